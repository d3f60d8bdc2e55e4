// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cstring>

#include <isoplane/wire/datagram.hh>

namespace isoplane::wire {
namespace {

constexpr std::size_t kIp = kEthernetSize;
constexpr std::size_t kUdp = kIp + kIpv4Size;

}  // namespace

Datagram::Datagram(const UdpPath& path) {
    std::array<std::byte, kUdpEnvelopeSize> packet;
    encode_udp(packet, {}, {}, path, 0);
    ipv4_layout::TotalLength::put(packet.data() + kIp, 0);
    ipv4_layout::Checksum::put(packet.data() + kIp, 0);
    udp_layout::Length::put(packet.data() + kUdp, 0);
    ip_sum_ = static_cast<std::uint16_t>(~ipv4_checksum(std::span(packet).subspan<kIp, kIpv4Size>()));
    std::memcpy(bytes_.data(), packet.data() + kIp, bytes_.size());
}

void Datagram::write(std::byte* packet, std::size_t frame_size) const noexcept {
    std::memcpy(packet + kIp, bytes_.data(), bytes_.size());
    const std::size_t udp_length = kUdpSize + frame_size;
    const std::size_t total = kIpv4Size + udp_length;
    const std::size_t sum = ip_sum_ + total;
    ipv4_layout::TotalLength::put(packet + kIp, static_cast<std::uint16_t>(total));
    ipv4_layout::Checksum::put(packet + kIp, static_cast<std::uint16_t>(~(sum + (sum >> 16))));
    udp_layout::Length::put(packet + kUdp, static_cast<std::uint16_t>(udp_length));
}

bool Datagram::surrounds(const std::byte* packet, std::size_t size) const noexcept {
    const Encapsulation ours{.transport = Transport::kUdp,
                             .udp_port = udp_layout::DestinationPort::get(bytes_.data() + kIpv4Size)};
    const Unwrapped unwrapped = unwrap({packet, size}, ours);
    return unwrapped.reason == Reject::kNone && unwrapped.frame.size() + kUdpEnvelopeSize == size &&
           ipv4_layout::Source::get(packet + kIp) == ipv4_layout::Source::get(bytes_.data());
}

}  // namespace isoplane::wire
