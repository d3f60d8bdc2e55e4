// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Which view comes next, of those who have promised to take part in it: a pure function.
#pragma once

#include <isoplane/topology/topology.hh>
#include <isoplane/wire/view.hh>
#include <optional>
#include <vector>

namespace isoplane::membership {

using topology::NodeId;

/// How a node stands, as it says in its promise.
struct Promise {
    std::uint32_t epoch = 0;  ///< 0 for a node that has promised nothing
    NodeId plays = wire::kNoNode;
    std::uint64_t held = 0;
    std::uint64_t last = 0;  ///< as in isotach::Standing
    std::vector<NodeId> doubts{};
    std::uint32_t accepted = 0;  ///< the ballot under which it has accepted `next`
    wire::View next{};
};

/// A node that wants to take part from the next view on.
struct Joiner {
    NodeId node = 0;
    std::uint32_t epoch = 0;
    NodeId plays = wire::kNoNode;
};

/// Of a view: members that have a voice, as they are no token manager that a host plays.
std::size_t voices(const wire::View& view) noexcept;
/// The member of that number, or nullptr.
const wire::Member* find(const wire::View& view, NodeId node) noexcept;

/// Nothing while there is no majority of the members of `now`, or, for the first view, while somebody is
/// missing; or nobody who could be the token manager of a switch. `promises` are by node.
std::optional<wire::View> choose(const topology::Topology& topology, const wire::View& now,
                                 const std::vector<Promise>& promises, const std::vector<Joiner>& joiners);

}  // namespace isoplane::membership
