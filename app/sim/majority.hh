// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/niu/niu.hh>
#include <isoplane/wire/view.hh>
#include <vector>

namespace isoplane::sim {

/// Whether the members of a view can still agree on the next. It is counted here from what membership.md
/// promises, and by none of the code that is to keep the promise.
class Majority {
  public:
    explicit Majority(const wire::View& view);

    /// That life of a node is there and has not been told to stop. `knows`: a host that can tell those who
    /// join how things stand.
    void add(std::uint16_t node, std::uint32_t epoch, bool knows);
    /// The same of the node with that NIU, which may have given others up.
    void add(const niu::Niu& niu, bool knows);
    /// One of them has given the other up for good: they cannot be in one view any more.
    void at_odds(std::uint16_t a, std::uint16_t b);

    /// More than half of the members with a voice are there, without any two who are at odds, and one of them
    /// knows.
    bool is_there() const { return is_there(there_); }

  private:
    struct Voice {
        std::uint16_t node = 0;
        bool knows = false;
    };
    struct Pair {
        std::uint16_t a = 0;
        std::uint16_t b = 0;
    };

    bool is_there(const std::vector<Voice>& some) const;

    const wire::View& view_;
    std::size_t voices_ = 0;
    std::vector<Voice> there_;
    std::vector<Pair> odds_;
};

}  // namespace isoplane::sim
