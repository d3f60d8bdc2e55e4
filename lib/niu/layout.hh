// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_ether.h>
#include <rte_mbuf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <isoplane/wire/ethernet.hh>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/message.hh>

namespace isoplane::niu {

/// What stands in a packet in front of its payload.
inline constexpr std::size_t kOverhead = wire::kEthernetSize + wire::kHeaderSize;

/// What is skipped of a packet's room, so that the first message of a frame is aligned to 8.
inline constexpr std::uint16_t kAlignment = (8 - (kOverhead + wire::kMessageHeaderSize) % 8) % 8;

inline bool comes_from(const rte_mbuf* packet, const wire::MacAddress& mac) noexcept {
    const auto* ethernet = rte_pktmbuf_mtod(packet, const rte_ether_hdr*);
    return std::memcmp(ethernet->src_addr.addr_bytes, mac.data(), mac.size()) == 0;
}

}  // namespace isoplane::niu
