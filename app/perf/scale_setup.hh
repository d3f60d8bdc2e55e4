// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <isoplane/runtime/time.hh>
#include <isoplane/topology/topology.hh>
#include <optional>

namespace isoplane::perf {

/// What is simulated.
struct ScaleSetup {
    unsigned hosts = 2;
    bool tree = false;             ///< around three levels of switches, rather than one
    unsigned partners = 0;         ///< others that each host talks to; 0: all
    double loss = 0;               ///< of the frames that leave through each port of a switch
    std::uint32_t ahead = 1;       ///< tokens that every node sends ahead
    runtime::Duration latency{0};  ///< of each link, one way
    runtime::Duration poll{100};   ///< between two polls of a CPU that has something to do, at the most
    std::optional<runtime::Duration> timeout{};  ///< after which what was lost is sent again, at the least
    runtime::Duration every{0};     ///< between two isochrons of a host, and two messages outside time
    runtime::Duration duration{0};  ///< virtual, of what counts
    std::uint64_t seed = 1;
};

/// Hosts around a switch, or below three levels of them, each level with as many below it.
topology::Topology scale_topology(const ScaleSetup& setup);

}  // namespace isoplane::perf
