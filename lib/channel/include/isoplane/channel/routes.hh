// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The nodes that messages go to, by numbers that a program chooses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <isoplane/niu/options.hh>
#include <optional>
#include <string>
#include <vector>

namespace isoplane::channel {

using niu::NodeId;
using RouteId = std::uint16_t;

/// Each route leads to one node. The zero route is that of a cable between two: it leads to the other node of
/// a job that has only these, and nowhere in a larger one.
class Routes {
  public:
    static constexpr RouteId kMost = 4096;

    /// `node` is this one, of so many.
    Routes(NodeId node, std::size_t nodes);

    /// From here on `id`, 1 to kMost - 1, leads to that node, wherever it led before. False when there is no
    /// such route or node.
    bool set(RouteId id, NodeId to);
    /// The next free number for that node; nothing when all are taken, or there is no such node.
    std::optional<RouteId> add(NodeId to);
    /// Forgets all but the zero route.
    void clear();

    std::optional<NodeId> find(std::size_t id) const noexcept {
        return id < routes_.size() ? routes_[id] : std::nullopt;
    }

    /// Sets the routes of a file: lines of a number and a node, which is a number too or one of `names`; what
    /// follows a `#` is not looked at. Throws std::runtime_error with a sentence.
    void load(const std::string& file, const std::vector<std::string>& names);

  private:
    NodeId node_;
    std::size_t nodes_;
    std::vector<std::optional<NodeId>> routes_;
};

}  // namespace isoplane::channel
