// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <set>

#include "samples.hh"

namespace isoplane::wire {
namespace {

using samples::Bytes;

constexpr MacAddress kFrom = {0x02, 1, 2, 3, 4, 5};
constexpr MacAddress kTo = {0x02, 6, 7, 8, 9, 10};
constexpr Encapsulation kUdp{.transport = Transport::kUdp};

/// A datagram of `size` counting bytes, unpadded.
Bytes datagram(std::size_t size, std::uint16_t port = kDefaultUdpPort) {
    Bytes out(kUdpEnvelopeSize);
    encode_udp(std::span(out).first<kUdpEnvelopeSize>(), kTo, kFrom, {0x0a000001, 0xc0a80102, 50000, port},
               size);
    const Bytes content = samples::counting(size);
    out.insert(out.end(), content.begin(), content.end());
    return out;
}

std::span<std::byte, kIpv4Size> ip_of(Bytes& packet) {
    return std::span(packet).subspan(kEthernetSize).first<kIpv4Size>();
}

void renew_checksum(Bytes& packet) {
    ipv4_layout::Checksum::put(ip_of(packet).data(), 0);
    ipv4_layout::Checksum::put(ip_of(packet).data(), ipv4_checksum(ip_of(packet)));
}

TEST(Ethernet, header_has_the_standard_layout) {
    std::array<std::byte, kEthernetSize> out{};
    encode_ethernet(out, kTo, kFrom, kDefaultEtherType);
    const std::array<std::uint8_t, kEthernetSize> expected = {2, 6, 7, 8, 9, 10,   2,
                                                              1, 2, 3, 4, 5, 0x88, 0xb5};
    for (std::size_t i = 0; i < kEthernetSize; ++i)
        EXPECT_EQ(std::to_integer<std::uint8_t>(out[i]), expected[i]) << "byte " << i;
}

TEST(Ethernet, unwrap_keeps_everything_behind_the_header) {
    Bytes packet(kEthernetSize + 50);
    encode_ethernet(std::span(packet).first<kEthernetSize>(), kTo, kFrom, 0x1234);
    const Unwrapped unwrapped = unwrap(packet, {.ethertype = 0x1234});
    EXPECT_EQ(unwrapped.reason, Reject::kNone);
    EXPECT_EQ(unwrapped.frame.data(), packet.data() + kEthernetSize);
    EXPECT_EQ(unwrapped.frame.size(), 50U);
}

TEST(Ethernet, another_ethertype_is_not_ours) {
    Bytes packet(kMinEthernetFrame);
    encode_ethernet(std::span(packet).first<kEthernetSize>(), kTo, kFrom, 0x0806);
    EXPECT_EQ(unwrap(packet, {}).reason, Reject::kNotOurs);
    EXPECT_EQ(unwrap(packet, kUdp).reason, Reject::kNotOurs);
}

TEST(Ethernet, a_link_takes_only_its_own_encapsulation) {
    EXPECT_EQ(unwrap(datagram(60), {}).reason, Reject::kNotOurs);
    Bytes packet(kMinEthernetFrame);
    encode_ethernet(std::span(packet).first<kEthernetSize>(), kTo, kFrom, kDefaultEtherType);
    EXPECT_EQ(unwrap(packet, kUdp).reason, Reject::kNotOurs);
}

TEST(Ethernet, a_packet_shorter_than_its_header_is_short) {
    const Bytes packet(kEthernetSize - 1);
    EXPECT_EQ(unwrap(packet, {}).reason, Reject::kShortFrame);
    EXPECT_EQ(unwrap({}, {}).reason, Reject::kShortFrame);
}

TEST(Ipv4, checksum_of_a_known_header) {
    const std::array<std::uint8_t, kIpv4Size> known = {0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40,
                                                       0x00, 0x40, 0x11, 0x00, 0x00, 0xc0, 0xa8,
                                                       0x00, 0x01, 0xc0, 0xa8, 0x00, 0xc7};
    EXPECT_EQ(ipv4_checksum(std::as_bytes(std::span(known))), 0xb861);
}

TEST(Udp, envelope_round_trips) {
    const Bytes packet = datagram(100);
    const Unwrapped unwrapped = unwrap(packet, kUdp);
    ASSERT_EQ(unwrapped.reason, Reject::kNone);
    EXPECT_EQ(unwrapped.frame.data(), packet.data() + kUdpEnvelopeSize);
    EXPECT_EQ(unwrapped.frame.size(), 100U);
}

TEST(Udp, headers_have_the_standard_layout) {
    Bytes packet = datagram(100);
    const std::byte* ip = ip_of(packet).data();
    EXPECT_EQ(ethernet_layout::EtherType::get(packet.data()), kIpv4EtherType);
    EXPECT_EQ(ipv4_layout::VersionAndSize::get(ip), 0x45);
    EXPECT_EQ(ipv4_layout::TotalLength::get(ip), 128);
    EXPECT_EQ(ipv4_layout::Fragment::get(ip), 0x4000);
    EXPECT_EQ(ipv4_layout::Protocol::get(ip), 17);
    EXPECT_EQ(ipv4_layout::Source::get(ip), 0x0a000001U);
    EXPECT_EQ(ipv4_layout::Destination::get(ip), 0xc0a80102U);
    EXPECT_EQ(ipv4_checksum(ip_of(packet)), 0);
    const std::byte* udp = ip + kIpv4Size;
    EXPECT_EQ(udp_layout::SourcePort::get(udp), 50000);
    EXPECT_EQ(udp_layout::DestinationPort::get(udp), 34997);
    EXPECT_EQ(udp_layout::Length::get(udp), 108);
    EXPECT_EQ(udp_layout::Checksum::get(udp), 0);
}

TEST(Udp, ethernet_padding_is_cut_off) {
    Bytes packet = datagram(4);
    packet.resize(kMinEthernetFrame);
    EXPECT_EQ(unwrap(packet, kUdp).frame.size(), 4U);
}

TEST(Udp, every_truncation_is_short) {
    const Bytes packet = datagram(48);
    for (std::size_t size = 0; size < packet.size(); ++size)
        EXPECT_EQ(unwrap(std::span(packet).first(size), kUdp).reason, Reject::kShortFrame)
            << size << " bytes";
}

TEST(Udp, every_bit_flip_in_the_ip_header_is_refused) {
    for (std::size_t bit = 0; bit < kIpv4Size * 8; ++bit) {
        Bytes packet = datagram(48);
        packet[kEthernetSize + bit / 8] ^= std::byte{1} << (bit % 8);
        const Reject reason = unwrap(packet, kUdp).reason;
        EXPECT_TRUE(reason == Reject::kBadEncapsulation || reason == Reject::kNotOurs) << "bit " << bit;
    }
}

TEST(Udp, fragments_are_refused) {
    for (const std::uint16_t fragment : std::initializer_list<std::uint16_t>{0x2000, 0x0001, 0x1fff}) {
        Bytes packet = datagram(48);
        ipv4_layout::Fragment::put(ip_of(packet).data(), fragment);
        renew_checksum(packet);
        EXPECT_EQ(unwrap(packet, kUdp).reason, Reject::kBadEncapsulation) << fragment;
    }
}

TEST(Udp, ip_options_are_refused) {
    Bytes packet = datagram(48);
    ipv4_layout::VersionAndSize::put(ip_of(packet).data(), 0x46);
    renew_checksum(packet);
    EXPECT_EQ(unwrap(packet, kUdp).reason, Reject::kBadEncapsulation);
}

TEST(Udp, lengths_that_disagree_are_refused) {
    for (const std::uint16_t length : std::initializer_list<std::uint16_t>{0, 7, 8, 55, 57, 65535}) {
        Bytes packet = datagram(48);
        udp_layout::Length::put(packet.data() + kEthernetSize + kIpv4Size, length);
        EXPECT_EQ(unwrap(packet, kUdp).reason, Reject::kBadEncapsulation) << length;
    }
    for (const std::uint16_t total : std::initializer_list<std::uint16_t>{0, 20, 27, 75}) {
        Bytes packet = datagram(48);
        ipv4_layout::TotalLength::put(ip_of(packet).data(), total);
        renew_checksum(packet);
        EXPECT_EQ(unwrap(packet, kUdp).reason, Reject::kBadEncapsulation) << total;
    }
}

TEST(Udp, other_protocols_and_ports_are_not_ours) {
    EXPECT_EQ(unwrap(datagram(48, 53), kUdp).reason, Reject::kNotOurs);
    Bytes tcp = datagram(48);
    ipv4_layout::Protocol::put(ip_of(tcp).data(), 6);
    renew_checksum(tcp);
    EXPECT_EQ(unwrap(tcp, kUdp).reason, Reject::kNotOurs);
}

TEST(Udp, a_router_may_change_what_routers_change) {
    Bytes packet = datagram(48);
    ipv4_layout::TimeToLive::put(ip_of(packet).data(), 3);
    ipv4_layout::Service::put(ip_of(packet).data(), 0x2f);
    renew_checksum(packet);
    EXPECT_EQ(unwrap(packet, kUdp).reason, Reject::kNone);
}

TEST(Udp, source_ports_spread_over_the_dynamic_range) {
    std::set<std::uint16_t> ports;
    for (std::uint16_t source = 0; source < 16; ++source)
        for (std::uint16_t destination = 0; destination < 16; ++destination) {
            const std::uint16_t port = udp_source_port(source, destination);
            EXPECT_GE(port, 49152);
            EXPECT_EQ(port, udp_source_port(source, destination));
            ports.insert(port);
        }
    EXPECT_GT(ports.size(), 240U);
}

}  // namespace
}  // namespace isoplane::wire
