// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "memory_pair.hh"

#include "ends.hh"

namespace isoplane::perf {

MemoryPair::MemoryPair(Workers& workers, Sides& sides) : workers_(workers) {
    hosts_ = workers.make_both([&](unsigned end) {
        niu::Options options = options_of(sides[end], end, TwoHosts::nodes());
        options.manages = end == 0;
        link::Link& link = *sides[end].link;
        return std::make_unique<MemoryHost>(link.input(), link.output(), *sides[end].pool,
                                            std::move(options));
    });
}

/// Until both have had nothing under way for a while. One that is quiet may hear of more, when the other was
/// off its CPU meanwhile: then it is not quiet any more.
bool MemoryPair::settle(unsigned self, runtime::Idler& idler) {
    MemoryHost& host = *hosts_[self];
    const std::uint64_t limit = rte_rdtsc() + to_ticks(kLimit);
    std::uint64_t quiet_at = rte_rdtsc() + to_ticks(kQuiet);
    for (std::uint64_t now = rte_rdtsc(); now < limit; now = rte_rdtsc()) {
        // Looked at first: what the other had sent by then is found by this poll, or there is none.
        const bool other_quiet = quiet_[1 - self].load(std::memory_order_acquire);
        host.poll();
        if (!host.settled()) quiet_at = now + to_ticks(kQuiet);
        const bool quiet = now >= quiet_at;
        quiet_[self].store(quiet, std::memory_order_release);
        if (quiet && other_quiet) return true;
        idler.step(false);
    }
    return false;
}

}  // namespace isoplane::perf
