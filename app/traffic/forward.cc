// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "forward.hh"

#include <cstring>

namespace isoplane::traffic {

namespace {

constexpr unsigned kBurstsPerPoll = 4;

}  // namespace

unsigned Forward::poll(runtime::Time /*now*/) {
    if (own_bursts_ > 0) [[unlikely]]
        send_own();
    unsigned moved = 0;
    std::uint16_t n = runtime::kBurst;
    // A full burst promises another; following it saves a round of the lcore's loop, a bounded number of
    // times.
    for (unsigned i = 0; i < kBurstsPerPoll && n == runtime::kBurst && to_.flush(); ++i) {
        runtime::Burst burst;
        n = from_.receive(burst);
        if (n > 0) to_.send(burst.data(), n);
        moved += n;
    }
    return moved;
}

void Forward::prime(runtime::Pool& pool, unsigned bursts, std::uint16_t size) {
    own_pool_ = &pool;
    own_bursts_ = bursts;
    own_size_ = size;
}

void Forward::send_own() {
    runtime::Burst burst;
    if (!to_.flush() || rte_pktmbuf_alloc_bulk(own_pool_->raw(), burst.data(), runtime::kBurst) != 0) return;
    for (rte_mbuf* m : burst)
        std::memset(rte_pktmbuf_append(m, own_size_), 0, own_size_);
    to_.send(burst.data(), runtime::kBurst);
    --own_bursts_;
}

}  // namespace isoplane::traffic
