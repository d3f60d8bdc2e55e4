// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/wire/frame.hh>
#include <isoplane/wire/trailer.hh>

namespace isoplane::wire {

Trailer read_trailer(const std::byte* at) noexcept {
    using namespace trailer_layout;
    return {.born = Born::get(at), .salt = Salt::get(at), .number = Number::get(at), .proof = Proof::get(at)};
}

void write_trailer(std::byte* at, const Trailer& trailer) noexcept {
    using namespace trailer_layout;
    Born::put(at, trailer.born);
    Salt::put(at, trailer.salt);
    Number::put(at, trailer.number);
    Proof::put(at, trailer.proof);
}

std::optional<std::size_t> end_of_payload(std::span<const std::byte> packet,
                                          const Encapsulation& encapsulation) noexcept {
    const std::size_t front = encapsulation.size() + kHeaderSize;
    if (packet.size() < front) return {};
    const std::uint16_t type = ethernet_layout::EtherType::get(packet.data());
    const bool udp = encapsulation.transport == Transport::kUdp;
    if (type != (udp ? kIpv4EtherType : encapsulation.ethertype)) return {};
    const std::size_t end = front + frame_layout::PayloadLength::get(packet.data() + encapsulation.size());
    return end <= packet.size() ? std::optional(end) : std::nullopt;
}

void stretch_datagram(std::byte* packet, std::size_t size) noexcept {
    std::byte* const ip = packet + kEthernetSize;
    const std::size_t udp_length = kUdpSize + size;
    ipv4_layout::TotalLength::put(ip, static_cast<std::uint16_t>(kIpv4Size + udp_length));
    ipv4_layout::Checksum::put(ip, 0);
    ipv4_layout::Checksum::put(ip, ipv4_checksum(std::span<const std::byte, kIpv4Size>(ip, kIpv4Size)));
    udp_layout::Length::put(ip + kIpv4Size, static_cast<std::uint16_t>(udp_length));
}

}  // namespace isoplane::wire
