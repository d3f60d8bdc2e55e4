// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <vector>

#include <isoplane/topology/topology.hh>

namespace isoplane::topology {

/// One switch on the way of a frame, and the port it leaves by.
struct Hop {
    SwitchId at = 0;
    PortId out = 0;
    bool operator==(const Hop&) const = default;
};

/// Shortest ways through a topology, and the distances in logical time that follow from them.
///
/// - Made by one breadth-first search from each switch, and keeps two bytes for each pair of switches;
/// nothing is
///   kept for pairs of hosts, so thousands of hosts cost no more than their switches.
/// - Deterministic: of several shortest ways, the one by the lowest port of each switch. Every node that
/// reads the
///   same files finds the same ways.
/// - The topology must outlive it. Const calls may come from any number of threads.
/// - Throws std::out_of_range for a node or switch that is not there, and std::invalid_argument where said.
class Paths {
  public:
    explicit Paths(const Topology& topology);

    /// Links on the way between two switches; 0 from a switch to itself.
    std::uint32_t switch_hops(SwitchId from, SwitchId to) const;

    /// H: the hops a token makes from one node to another, A - TM - B being 2, and one more for each further
    /// switch. From a host to itself it is also 2, as the token comes back to it through its token manager;
    /// from a token manager to itself it is 0.
    std::uint32_t token_hops(NodeId from, NodeId to) const;

    /// The distance between two hosts in pulses, when every node sends tokens 1..h unprompted:
    ///
    ///     distance = (H - 1) * h + 1
    ///
    /// A message sent at pulse t is stamped t + distance. Token m of the sender's neighbourhood reaches the
    /// receiver as its token m only after the sender has sent its token m - (H-1)h, so what the sender still
    /// sends is stamped m + 1 at least: token m ends pulse m at the receiver for every sender, near or far.
    ///
    /// Throws std::invalid_argument when one of them is no host, or h is 0.
    std::uint64_t distance(NodeId from, NodeId to, std::uint32_t h) const;

    /// The greatest distance between any two hosts; after so many pulses a signal is everywhere.
    std::uint64_t greatest_distance(std::uint32_t h) const;
    /// H between the two hosts that are furthest apart; 2 when all are on one switch.
    std::uint32_t greatest_token_hops() const { return greatest_token_hops_; }
    /// Links on the way between the two switches that are furthest apart.
    std::uint32_t diameter() const { return diameter_; }

    /// The port by which frames leave switch `at` for switch `to`, which must be another one
    /// (std::invalid_argument otherwise).
    PortId next_port(SwitchId at, SwitchId to) const;

    /// The switches a frame crosses from one node to another, and the port it leaves each by. The last hop
    /// onto an implicit token manager is left out, since it has no port. Empty from a node to itself.
    std::vector<Hop> route(NodeId from, NodeId to) const;

    /// The token neighbour of `at` to which an entry for `to`, another node, goes next
    /// (std::invalid_argument for the same node).
    NodeId next_token_hop(NodeId at, NodeId to) const;

    const Topology& topology() const { return *topology_; }

  private:
    void search_from(SwitchId from);

    const Topology* topology_;
    std::vector<std::uint16_t> hops_;  ///< row: from, column: to
    std::uint32_t diameter_ = 0;
    std::uint32_t greatest_token_hops_ = 2;
};

}  // namespace isoplane::topology
