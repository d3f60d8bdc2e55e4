// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <vector>

#include <isoplane/wire/arp.hh>

namespace isoplane::wire {
namespace {

constexpr MacAddress kUs = {2, 0, 0, 0, 0, 1};
constexpr MacAddress kRouter = {2, 0, 0, 0, 0, 2};
constexpr Arp kQuestion{
    .is_request = true, .sender_mac = kUs, .sender_address = 0x0a010007, .target_address = 0x0a010001};

std::vector<std::byte> written(const Arp& arp, const MacAddress& to = kBroadcastMac) {
    std::vector<std::byte> packet(kMinEthernetFrame);
    encode_arp(std::span(packet).first<kArpPacketSize>(), to, arp);
    return packet;
}

TEST(Arp, is_laid_out_as_rfc_826_says) {
    constexpr std::array<std::uint8_t, kArpPacketSize> kExpected = {
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0,  0, 0, 0, 1, 8, 6, 0, 1, 8, 0,  6, 4, 0,
        1,    2,    0,    0,    0,    0,    1, 10, 1, 0, 7, 0, 0, 0, 0, 0, 0, 10, 1, 0, 1};
    const auto packet = written(kQuestion);
    for (std::size_t i = 0; i < kExpected.size(); ++i)
        EXPECT_EQ(std::to_integer<int>(packet[i]), kExpected[i]) << "byte " << i;
}

TEST(Arp, says_whose_address_it_answers) {
    const Arp answer{.is_request = false,
                     .sender_mac = kRouter,
                     .sender_address = 0x0a010001,
                     .target_address = 0x0a010007};
    const auto read = decode_arp(written(answer, kUs));
    ASSERT_TRUE(read);
    EXPECT_FALSE(read->is_request);
    EXPECT_EQ(read->sender_mac, kRouter);
    EXPECT_EQ(read->sender_address, answer.sender_address);
    EXPECT_EQ(read->target_address, answer.target_address);
}

TEST(Arp, of_other_kinds_of_networks_is_refused) {
    for (const std::size_t byte : {12U, 15U, 16U, 18U, 19U, 20U, 22U}) {
        auto packet = written(kQuestion);
        packet[byte] ^= std::byte{1};
        EXPECT_FALSE(decode_arp(packet)) << "byte " << byte;
    }
    auto packet = written(kQuestion);
    EXPECT_TRUE(decode_arp(packet));
    packet.resize(kArpPacketSize - 1);
    EXPECT_FALSE(decode_arp(packet));
}

}  // namespace
}  // namespace isoplane::wire
