// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "scale_setup.hh"

#include <string>

#include "../sim/large.hh"

namespace isoplane::perf {

topology::Topology scale_topology(const ScaleSetup& setup) {
    if (setup.tree) return topology::Topology(sim::three_levels(setup.hosts), "scale");
    std::vector<topology::SwitchSpec> one(1);
    for (unsigned i = 0; i < setup.hosts; ++i)
        one[0].ports.push_back({topology::PortKind::kHost, "host" + std::to_string(i), 0, {}});
    return topology::Topology(one, "scale");
}

}  // namespace isoplane::perf
