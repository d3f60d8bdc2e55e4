// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/fmconfig.hh>

#include <isoplane/topology/paths.hh>

#include "round_trip.hh"

using namespace isoplane::topology;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::round_trip(
        data, size,
        [](const std::string& text) {
            Topology topology = parse_fmconfig(text);
            const Paths paths(topology);
            const auto last = static_cast<NodeId>(topology.host_count() - 1);
            if (paths.distance(0, last, 3) > paths.greatest_distance(3))
                fuzz::fail("no distance exceeds the greatest", text);
            return topology;
        },
        write_fmconfig);
    return 0;
}
