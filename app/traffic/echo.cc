// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "echo.hh"

#include <rte_ether.h>

#include <utility>

namespace isoplane::traffic {

unsigned Echo::poll(runtime::Time /*now*/) {
    if (!to_.flush()) [[unlikely]]
        return 0;
    runtime::Burst burst;
    const std::uint16_t n = from_.receive(burst);
    for (std::uint16_t i = 0; i < n; ++i) {
        auto* ethernet = rte_pktmbuf_mtod(burst[i], rte_ether_hdr*);
        if (rte_pktmbuf_data_len(burst[i]) >= sizeof *ethernet) [[likely]]
            std::swap(ethernet->src_addr, ethernet->dst_addr);
    }
    if (n > 0) to_.send(burst.data(), n);
    return n;
}

}  // namespace isoplane::traffic
