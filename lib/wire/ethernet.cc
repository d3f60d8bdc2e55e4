// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <cassert>
#include <cstring>

#include <isoplane/wire/ethernet.hh>

namespace isoplane::wire {
namespace {

constexpr std::uint8_t kIpv4NoOptions = 0x45;
constexpr std::uint16_t kDontFragment = 0x4000;
constexpr std::uint16_t kMoreFragmentsOrOffset = 0x3fff;
constexpr std::uint8_t kTimeToLive = 64;
constexpr std::uint8_t kUdpProtocol = 17;

Unwrapped refuse(Reject reason) {
    return {reason, {}};
}

/// Takes IPv4 and UDP off what followed an Ethernet header of EtherType IPv4.
Unwrapped unwrap_udp(std::span<const std::byte> datagram, std::uint16_t port, std::size_t apart) {
    if (datagram.size() < kIpv4Size) return refuse(Reject::kShortFrame);
    const std::byte* ip = datagram.data();
    if (ipv4_layout::Protocol::get(ip) != kUdpProtocol) return refuse(Reject::kNotOurs);
    if (ipv4_layout::VersionAndSize::get(ip) != kIpv4NoOptions ||
        (ipv4_layout::Fragment::get(ip) & kMoreFragmentsOrOffset) != 0 ||
        ipv4_checksum(datagram.first<kIpv4Size>()) != 0)
        return refuse(Reject::kBadEncapsulation);

    if (datagram.size() < kIpv4Size + kUdpSize) return refuse(Reject::kShortFrame);
    const std::byte* udp = ip + kIpv4Size;
    if (udp_layout::DestinationPort::get(udp) != port) return refuse(Reject::kNotOurs);
    const std::size_t total = ipv4_layout::TotalLength::get(ip);
    if (total < kIpv4Size + kUdpSize || udp_layout::Length::get(udp) != total - kIpv4Size)
        return refuse(Reject::kBadEncapsulation);
    if (datagram.size() + apart < total) return refuse(Reject::kShortFrame);
    return {Reject::kNone, datagram.first(std::min(total, datagram.size())).subspan(kIpv4Size + kUdpSize)};
}

}  // namespace

void encode_ethernet(std::span<std::byte, kEthernetSize> out, const MacAddress& destination,
                     const MacAddress& source, std::uint16_t ethertype) {
    std::memcpy(out.data() + ethernet_layout::kDestination, destination.data(), destination.size());
    std::memcpy(out.data() + ethernet_layout::kSource, source.data(), source.size());
    ethernet_layout::EtherType::put(out.data(), ethertype);
}

void encode_udp(std::span<std::byte, kUdpEnvelopeSize> out, const MacAddress& destination,
                const MacAddress& source, const UdpPath& path, std::size_t frame_size) {
    assert(frame_size + kIpv4Size + kUdpSize <= 0xffff);
    encode_ethernet(out.first<kEthernetSize>(), destination, source, kIpv4EtherType);

    const auto udp_length = static_cast<std::uint16_t>(frame_size + kUdpSize);
    std::byte* ip = out.data() + kEthernetSize;
    ipv4_layout::VersionAndSize::put(ip, kIpv4NoOptions);
    ipv4_layout::Service::put(ip, 0);
    ipv4_layout::TotalLength::put(ip, static_cast<std::uint16_t>(udp_length + kIpv4Size));
    ipv4_layout::Identification::put(ip, 0);
    ipv4_layout::Fragment::put(ip, kDontFragment);
    ipv4_layout::TimeToLive::put(ip, kTimeToLive);
    ipv4_layout::Protocol::put(ip, kUdpProtocol);
    ipv4_layout::Checksum::put(ip, 0);
    ipv4_layout::Source::put(ip, path.source_address);
    ipv4_layout::Destination::put(ip, path.destination_address);
    ipv4_layout::Checksum::put(ip, ipv4_checksum(out.subspan<kEthernetSize, kIpv4Size>()));

    std::byte* udp = ip + kIpv4Size;
    udp_layout::SourcePort::put(udp, path.source_port);
    udp_layout::DestinationPort::put(udp, path.destination_port);
    udp_layout::Length::put(udp, udp_length);
    udp_layout::Checksum::put(udp, 0);
}

std::uint16_t udp_source_port(std::uint16_t source_node, std::uint16_t destination_node) {
    const std::uint32_t pair = std::uint32_t{source_node} << 16 | destination_node;
    const std::uint32_t hash = pair * 0x9E3779B1U;  // multiplicative: the top bits depend on all of the pair
    return static_cast<std::uint16_t>(0xC000 | hash >> 18);
}

std::uint16_t ipv4_checksum(std::span<const std::byte, kIpv4Size> header) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < kIpv4Size; i += 2)
        sum += Field<std::uint16_t, 0>::get(header.data() + i);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(~sum);
}

Unwrapped unwrap(std::span<const std::byte> packet, const Encapsulation& encapsulation, std::size_t apart) {
    if (packet.size() < kEthernetSize) return refuse(Reject::kShortFrame);
    const bool udp = encapsulation.transport == Transport::kUdp;
    const std::uint16_t ours = udp ? kIpv4EtherType : encapsulation.ethertype;
    if (ethernet_layout::EtherType::get(packet.data()) != ours) return refuse(Reject::kNotOurs);
    const auto inner = packet.subspan(kEthernetSize);
    return udp ? unwrap_udp(inner, encapsulation.udp_port, apart) : Unwrapped{Reject::kNone, inner};
}

}  // namespace isoplane::wire
