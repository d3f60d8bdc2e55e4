// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What surrounds a frame on the network: an Ethernet II header, or Ethernet, IPv4 and UDP so that it crosses
/// routers.
///
/// The UDP form has a fixed IPv4 header without options, is never fragmented, and leaves the UDP checksum 0:
/// the frame's own CRCs are stronger. Its source port differs between pairs of nodes, so that a NIC's RSS
/// spreads them over queues while each pair keeps to one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <isoplane/wire/byte_order.hh>
#include <isoplane/wire/reject.hh>

namespace isoplane::wire {

inline constexpr std::uint16_t kDefaultEtherType = 0x88B5;  ///< IEEE 802 local experimental EtherType 1
inline constexpr std::uint16_t kDefaultUdpPort = 0x88B5;    ///< 34997
inline constexpr std::uint16_t kIpv4EtherType = 0x0800;

inline constexpr std::size_t kEthernetSize = 14;
inline constexpr std::size_t kIpv4Size = 20;
inline constexpr std::size_t kUdpSize = 8;
inline constexpr std::size_t kUdpEnvelopeSize = kEthernetSize + kIpv4Size + kUdpSize;
inline constexpr std::size_t kMinEthernetFrame = 60;  ///< shorter ones are padded; without the FCS

using MacAddress = std::array<std::uint8_t, 6>;
inline constexpr MacAddress kBroadcastMac = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

namespace ethernet_layout {
inline constexpr std::size_t kDestination = 0;
inline constexpr std::size_t kSource = 6;
using EtherType = Field<std::uint16_t, 12>;
static_assert(EtherType::kEnd == kEthernetSize);
}  // namespace ethernet_layout

/// IPv4 without options.
namespace ipv4_layout {
using VersionAndSize = Field<std::uint8_t, 0>;
using Service = Field<std::uint8_t, 1>;
using TotalLength = Field<std::uint16_t, 2>;
using Identification = Field<std::uint16_t, 4>;
using Fragment = Field<std::uint16_t, 6>;
using TimeToLive = Field<std::uint8_t, 8>;
using Protocol = Field<std::uint8_t, 9>;
using Checksum = Field<std::uint16_t, 10>;
using Source = Field<std::uint32_t, 12>;
using Destination = Field<std::uint32_t, 16>;
static_assert(Destination::kEnd == kIpv4Size);
}  // namespace ipv4_layout

namespace udp_layout {
using SourcePort = Field<std::uint16_t, 0>;
using DestinationPort = Field<std::uint16_t, 2>;
using Length = Field<std::uint16_t, 4>;
using Checksum = Field<std::uint16_t, 6>;
static_assert(Checksum::kEnd == kUdpSize);
}  // namespace udp_layout

enum class Transport : std::uint8_t { kEthernet, kUdp };

/// Bytes in front of the frame's own header.
constexpr std::size_t envelope_size(Transport transport) {
    return transport == Transport::kUdp ? kUdpEnvelopeSize : kEthernetSize;
}

/// How frames travel on a link; one choice for both directions.
struct Encapsulation {
    Transport transport = Transport::kEthernet;
    std::uint16_t ethertype = kDefaultEtherType;  ///< used by Transport::kEthernet
    std::uint16_t udp_port = kDefaultUdpPort;     ///< destination port, used by Transport::kUdp

    /// Bytes in front of the frame's own header.
    constexpr std::size_t size() const { return envelope_size(transport); }
};

/// IPv4 addresses, in host order, and ports of a datagram.
struct UdpPath {
    std::uint32_t source_address;
    std::uint32_t destination_address;
    std::uint16_t source_port;
    std::uint16_t destination_port;
};

/// Writes an Ethernet II header.
void encode_ethernet(std::span<std::byte, kEthernetSize> out, const MacAddress& destination,
                     const MacAddress& source, std::uint16_t ethertype);

/// Writes the Ethernet, IPv4 and UDP headers in front of a frame of `frame_size` bytes, its 48-byte header
/// included. The datagram, frame_size + 28, must not exceed 65535.
void encode_udp(std::span<std::byte, kUdpEnvelopeSize> out, const MacAddress& destination,
                const MacAddress& source, const UdpPath& path, std::size_t frame_size);

/// The source port for traffic from one node to another: in the dynamic range, always the same for a pair.
std::uint16_t udp_source_port(std::uint16_t source_node, std::uint16_t destination_node);

/// The Internet checksum of an IPv4 header; 0 over a header that carries its right checksum.
std::uint16_t ipv4_checksum(std::span<const std::byte, kIpv4Size> header);

/// What remains of a packet when its envelope is taken off.
struct Unwrapped {
    Reject reason = Reject::kNone;
    std::span<const std::byte> frame;  ///< empty unless reason is kNone; may end in Ethernet padding
};

/// Takes off the envelope, if it is whole and of the given kind. Refuses with kNotOurs, kShortFrame or
/// kBadEncapsulation. Addresses, source port, time to live and UDP checksum are not looked at. `apart` bytes
/// of the packet are elsewhere, behind these.
Unwrapped unwrap(std::span<const std::byte> packet, const Encapsulation& encapsulation,
                 std::size_t apart = 0);

}  // namespace isoplane::wire
