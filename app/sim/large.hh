// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Networks of more hosts than can all talk to each other.
#pragma once

#include <cstdint>
#include <isoplane/niu/names.hh>
#include <isoplane/topology/topology.hh>
#include <vector>

namespace isoplane::sim {

/// For packets. Every host keeps a few in stock, whatever it does, and what came of each host it talks to
/// until it can be executed.
struct Room {
    unsigned packets = 65535;
    unsigned memory_mb = 512;
};
/// `partners` that each talks to; 0 when to all.
Room room_for(unsigned hosts, unsigned partners);

/// Three levels of switches: the top, then those in the middle, then those with hosts; each has as many below
/// it, or less.
std::vector<topology::SwitchSpec> three_levels(unsigned hosts);

/// Whom each host talks to. Those that talk to each other are a group, as far from each other as they can be,
/// and share the names by which they know each other.
class Partners {
  public:
    /// So many others each host has, or a few more where they do not divide evenly; 0: all.
    Partners(const topology::Topology& topology, unsigned partners);

    /// Of those of its group and itself; all others have none.
    const niu::Names& names(niu::NodeId host) const { return names_[host % names_.size()]; }
    /// Those of its group, in their order, itself among them.
    std::vector<niu::NodeId> group(niu::NodeId host) const;

  private:
    std::vector<niu::Names> names_;  ///< by group
};

}  // namespace isoplane::sim
