// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_ether.h>

#include <isoplane/runtime/packet_filter.hh>
#include <isoplane/runtime/pcapng.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/runtime/ring.hh>
#include <string>

namespace isoplane::runtime {

/// The lcore's half of a capture: copies what passes an edge into the capture's pool, and hands it over
/// through a ring of its own. What finds no room there is missed, and counted.
class CaptureTap final : public Tap {
  public:
    /// The largest frame, which may have the tag of a VLAN.
    static constexpr std::uint32_t kSnapLength = kMaxMtu + RTE_ETHER_HDR_LEN + RTE_VLAN_HLEN;

    /// Of a packet that holds a copy.
    static constexpr std::uint16_t kRoom = RTE_PKTMBUF_HEADROOM + kSnapLength;

    /// In front of the bytes of each copy.
    struct Mark {
        std::uint64_t when;    ///< by the time stamp counter
        std::uint32_t length;  ///< of the packet
        std::uint32_t missed;  ///< of those before it, since the last that was not
    };
    static_assert(sizeof(Mark) <= RTE_PKTMBUF_HEADROOM);

    /// Bytes that its ring takes.
    static std::size_t memory();

    /// `pool`, of packets with room for kRoom, and `filter` outlive it.
    CaptureTap(const std::string& ring, std::uint32_t interface, pcapng::Direction direction, Pool& pool,
               const PacketFilter& filter);

    void see(rte_mbuf* const* packets, std::uint16_t n) noexcept override;
    void settle(std::uint16_t n) noexcept override;

    /// For the thread that writes.
    Input& handed_over() noexcept { return ring_.input(); }
    std::uint32_t interface() const noexcept { return interface_; }
    pcapng::Direction direction() const noexcept { return direction_; }
    pcapng::Counts counts() const noexcept { return {passed_.get(), accepted_.get(), missed_.get()}; }

  private:
    bool is_wanted(const rte_mbuf* packet) const noexcept;

    Ring ring_;
    std::uint32_t interface_;
    pcapng::Direction direction_;
    Pool& pool_;
    const PacketFilter& filter_;
    Burst copies_{};
    std::array<bool, kBurst> wanted_{};
    std::uint16_t seen_ = 0;
    std::uint32_t missed_since_ = 0;
    Counter passed_;
    Counter accepted_;
    Counter missed_;
};

}  // namespace isoplane::runtime
