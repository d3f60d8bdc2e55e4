// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "capture_tap.hh"

#include <rte_cycles.h>

#include <algorithm>
#include <new>

namespace isoplane::runtime {

namespace {

constexpr unsigned kRingPackets = 2048;
/// As far as a filter may look into a packet of several segments.
constexpr std::uint32_t kFilteredHead = 256;

}  // namespace

std::size_t CaptureTap::memory() {
    return static_cast<std::size_t>(rte_ring_get_memsize(rte_align32pow2(kRingPackets + 1)));
}

CaptureTap::CaptureTap(const std::string& ring, std::uint32_t interface, pcapng::Direction direction,
                       Pool& pool, const PacketFilter& filter)
    : ring_(ring, kRingPackets), interface_(interface), direction_(direction), pool_(pool), filter_(filter) {}

bool CaptureTap::is_wanted(const rte_mbuf* packet) const noexcept {
    if (filter_.takes_all()) return true;
    std::array<std::byte, kFilteredHead> room;
    const std::uint32_t in_one = rte_pktmbuf_data_len(packet);
    const std::uint32_t head =
        packet->nb_segs == 1 ? in_one : std::min(rte_pktmbuf_pkt_len(packet), kFilteredHead);
    const auto* at = static_cast<const std::byte*>(rte_pktmbuf_read(packet, 0, head, room.data()));
    return filter_.passes({at, head}, rte_pktmbuf_pkt_len(packet));
}

void CaptureTap::see(rte_mbuf* const* packets, std::uint16_t n) noexcept {
    const std::uint64_t when = rte_rdtsc();
    for (std::uint16_t i = 0; i < n; ++i) {
        wanted_[i] = is_wanted(packets[i]);
        copies_[i] = wanted_[i] ? rte_pktmbuf_copy(packets[i], pool_.raw(), 0, kSnapLength) : nullptr;
        if (copies_[i] == nullptr) continue;
        void* const mark = rte_pktmbuf_prepend(copies_[i], sizeof(Mark));
        new (mark) Mark{.when = when, .length = rte_pktmbuf_pkt_len(packets[i]), .missed = 0};
    }
    seen_ = n;
}

void CaptureTap::settle(std::uint16_t n) noexcept {
    passed_.add(n);
    for (std::uint16_t i = 0; i < seen_; ++i) {
        if (!wanted_[i]) continue;
        rte_mbuf* const copy = copies_[i];
        const bool passed = i < n;
        if (passed) accepted_.add();
        if (copy != nullptr && passed) {
            rte_pktmbuf_mtod(copy, Mark*)->missed = missed_since_;
            if (ring_.output().send(&copies_[i], 1) == 1) {
                missed_since_ = 0;
                continue;
            }
        }
        if (copy != nullptr) rte_pktmbuf_free(copy);
        if (!passed) continue;
        missed_.add();
        ++missed_since_;
    }
}

}  // namespace isoplane::runtime
