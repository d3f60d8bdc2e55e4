// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/network_cfg.hh>

#include "round_trip.hh"

using namespace isoplane::topology;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::round_trip(
        data, size,
        [](const std::string& text) {
            NetworkCfg cfg = parse_network_cfg(text);
            const Topology topology = topology_of(cfg);
            for (std::size_t node = 0; node < cfg.hosts.size(); ++node)
                if (topology.name(static_cast<NodeId>(node)) != cfg.hosts[node])
                    fuzz::fail("the topology numbers the hosts as the file does", text);
            return cfg;
        },
        write_network_cfg);
    return 0;
}
