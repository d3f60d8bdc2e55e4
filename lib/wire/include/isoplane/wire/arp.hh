// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The address resolution protocol (RFC 826) for IPv4 on Ethernet, as far as a node that sends UDP needs it:
/// it asks for its router, and its router asks for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <isoplane/wire/ethernet.hh>

namespace isoplane::wire {

inline constexpr std::uint16_t kArpEtherType = 0x0806;
inline constexpr std::size_t kArpSize = 28;
inline constexpr std::size_t kArpPacketSize = kEthernetSize + kArpSize;  ///< before padding

namespace arp_layout {
using HardwareType = Field<std::uint16_t, 0>;
using ProtocolType = Field<std::uint16_t, 2>;
using HardwareSize = Field<std::uint8_t, 4>;
using ProtocolSize = Field<std::uint8_t, 5>;
using Operation = Field<std::uint16_t, 6>;
inline constexpr std::size_t kSenderMac = 8;
using SenderAddress = Field<std::uint32_t, 14>;
inline constexpr std::size_t kTargetMac = 18;
using TargetAddress = Field<std::uint32_t, 24>;
static_assert(TargetAddress::kEnd == kArpSize);
}  // namespace arp_layout

struct Arp {
    bool is_request = true;            ///< else the answer to one
    MacAddress sender_mac{};           ///< who says it,
    std::uint32_t sender_address = 0;  ///< and its IPv4 address, in host order
    std::uint32_t target_address = 0;  ///< in a request, whose Ethernet address is asked for
};

/// Writes an Ethernet header from the sender to `destination`, and `arp` behind it. An answer is for
/// `destination`.
void encode_arp(std::span<std::byte, kArpPacketSize> out, const MacAddress& destination, const Arp& arp);

/// Nothing unless the packet is a request or an answer for IPv4 on Ethernet, by a single station.
std::optional<Arp> decode_arp(std::span<const std::byte> packet);

}  // namespace isoplane::wire
