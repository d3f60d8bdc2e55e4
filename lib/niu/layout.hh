// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_mbuf.h>

#include <cstddef>
#include <cstdint>
#include <isoplane/wire/ethernet.hh>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/message.hh>

namespace isoplane::niu {

/// What stands in a packet in front of its payload.
constexpr std::uint16_t overhead_of(wire::Transport transport) noexcept {
    return static_cast<std::uint16_t>(wire::envelope_size(transport) + wire::kHeaderSize);
}

/// What is skipped of a packet's room, so that the first message of a frame is aligned to 8.
inline constexpr std::size_t kEthernetOverhead = overhead_of(wire::Transport::kEthernet);
inline constexpr std::uint16_t kAlignment = (8 - (kEthernetOverhead + wire::kMessageHeaderSize) % 8) % 8;

/// Where the payload of a frame begins in the packet that it is written to, whatever comes to stand in front
/// of it: what IPv4 and UDP add has room in the headroom.
inline constexpr std::uint16_t kPayloadAt = RTE_PKTMBUF_HEADROOM + kAlignment + kEthernetOverhead;
static_assert(kPayloadAt >= overhead_of(wire::Transport::kUdp) + 16, "drivers need some of it, too");

inline std::byte* payload_of_new(const rte_mbuf* packet) noexcept {
    return static_cast<std::byte*>(packet->buf_addr) + kPayloadAt;
}

}  // namespace isoplane::niu
