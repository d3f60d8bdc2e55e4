// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_cycles.h>

#include <isoplane/runtime/pipeline.hh>

namespace isoplane::runtime {

unsigned Pipeline::poll_sampled(Time now) {
    unsigned moved = 0;
    std::uint64_t before = rte_rdtsc();
    for (Stage* stage : stages_) {
        const unsigned n = account(*stage, stage->poll(now));
        const std::uint64_t after = rte_rdtsc();
        Stage::Load& load = stage->load();
        load.sampled_cycles.add(after - before);
        if (n > 0) {
            load.busy_cycles.add(after - before);
            load.sampled_packets.add(n);
        }
        before = after;
        moved += n;
    }
    return moved;
}

}  // namespace isoplane::runtime
