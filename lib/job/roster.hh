// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/niu/niu.hh>
#include <string>
#include <vector>

namespace isoplane::job {

/// The other nodes as the program knows them: in which of its lives each takes part. However short the time
/// is for which a node was away, it does not go unnoticed.
///
/// Called where the NIU may be touched.
class Roster {
  public:
    explicit Roster(const niu::Niu& niu);

    /// All nodes are up: these are the lives that count.
    void begin();

    /// A sentence about a node that is lost; empty when none is.
    std::string trouble() const;
    /// A sentence about a node that was lost, or is back, since the last call; empty when nothing has
    /// happened. From here on trouble() takes the new life of a node for the right one.
    std::string news();

  private:
    struct Known {
        bool up = false;
        std::uint32_t epoch = 0;
    };

    bool is_lost(niu::NodeId node) const;
    bool is_alone() const;
    std::string name(niu::NodeId node) const;
    std::string silence() const;
    std::string loss_of(niu::NodeId node) const;

    const niu::Niu& niu_;
    std::vector<niu::NodeId> others_;
    std::vector<Known> known_;  ///< by node
};

}  // namespace isoplane::job
