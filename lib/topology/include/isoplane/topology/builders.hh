// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <vector>

#include <isoplane/topology/topology.hh>

namespace isoplane::topology {

// Networks of regular shapes, for the demo, tests and the simulator. Hosts are h0, h1, ... in the order of
// their node ids, and every token manager is implicit. Each throws Error when the shape exceeds the limits.

/// `hosts` hosts on ports 0, 1, ... of switch 0.
Topology single_switch(std::size_t hosts);

/// `switches` switches in a row, each with `hosts_each` hosts.
Topology line(std::size_t switches, std::size_t hosts_each);

/// As line(), closed to a ring; two switches are joined by one link, and one stands alone.
Topology ring(std::size_t switches, std::size_t hosts_each);

/// Three levels of switches with `radix` ports (even): radix pods, each of radix/2 edge and radix/2
/// aggregation switches, and (radix/2)^2 core switches. Holds radix^3/4 hosts, of which the first `hosts` are
/// there. Switches are numbered edge, aggregation, core; ports count downward links first.
Topology fat_tree(std::size_t radix, std::size_t hosts);

}  // namespace isoplane::topology
