// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_ether.h>

#include <isoplane/fabric/damage.hh>
#include <isoplane/fabric/random.hh>
#include <isoplane/runtime/packet.hh>

namespace isoplane::fabric {

bool is_ours_alone(const rte_mbuf* frame) noexcept {
    for (const rte_mbuf* segment = frame; segment != nullptr; segment = segment->next) {
        if (runtime::references(segment) != 1 || !RTE_MBUF_DIRECT(segment)) return false;
    }
    return true;
}

void flip_bit(rte_mbuf* frame, std::uint64_t where) noexcept {
    const std::uint64_t bits = std::uint64_t{frame->pkt_len - RTE_ETHER_HDR_LEN} * 8;
    const std::uint64_t bit = Draws::below(where, bits);
    std::uint64_t byte = RTE_ETHER_HDR_LEN + bit / 8;
    rte_mbuf* segment = frame;
    while (byte >= segment->data_len) {
        byte -= segment->data_len;
        segment = segment->next;
    }
    auto* data = rte_pktmbuf_mtod(segment, std::uint8_t*);
    data[byte] = static_cast<std::uint8_t>(data[byte] ^ (1U << (bit % 8)));
}

}  // namespace isoplane::fabric
