// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/fmconfig.hh>
#include <isoplane/topology/shmem_map.hh>

#include "round_trip.hh"

using namespace isoplane::topology;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Topology topology = parse_fmconfig("0 alice bob tm:t 1\n1 carol 0\n");
    // Both with and without names to look up.
    for (const Topology* known : {static_cast<const Topology*>(nullptr), &topology})
        fuzz::round_trip(
            data, size,
            [known](const std::string& text) {
                ShmemMap map = parse_shmem_map(text, "shmem_map", {.topology = known});
                for (const Copyset& run : map.runs())
                    if (map.copyset(run.first).data() != run.nodes.data() ||
                        map.copyset(run.last).data() != run.nodes.data())
                        fuzz::fail("a page of an entry has its copyset", text);
                return map;
            },
            write_shmem_map);
    return 0;
}
