// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>

#include "samples.hh"

namespace isoplane::wire {
namespace {

using samples::Bytes;

/// Decodes from a buffer that ends where the packet does, so that a sanitizer sees any over-read.
Reject reason_for_exact(std::span<const std::byte> packet, const Expect& expect) {
    const auto exact = std::make_unique<std::byte[]>(packet.size());
    if (!packet.empty()) std::memcpy(exact.get(), packet.data(), packet.size());
    return decode({exact.get(), packet.size()}, expect).reason;
}

/// Claims about packets of every kind, in both encapsulations.
class EveryPacket : public testing::TestWithParam<Transport> {};

INSTANTIATE_TEST_SUITE_P(Wire, EveryPacket, testing::Values(Transport::kEthernet, Transport::kUdp),
                         [](const auto& instance) {
                             return instance.param == Transport::kUdp ? "udp" : "ethernet";
                         });

TEST_P(EveryPacket, accepts_every_kind) {
    std::set<Kind> kinds;
    for (const auto& sample : samples::all(GetParam())) {
        const Decoded decoded = decode(sample.packet, samples::expect(GetParam()));
        EXPECT_EQ(decoded.reason, Reject::kNone) << sample.name << ": " << name(decoded.reason);
        EXPECT_EQ(decoded.header.kind, sample.kind);
        kinds.insert(sample.kind);
    }
    EXPECT_EQ(kinds.size(), 10U);
}

TEST_P(EveryPacket, refuses_every_bit_flip_in_header_or_payload) {
    const Expect expect = samples::expect(GetParam());
    for (const auto& sample : samples::all(GetParam())) {
        const Header header = decode(sample.packet, expect).header;
        const bool covered = (header.flags & kFlagNoPayloadCrc) == 0;
        const std::size_t begin = expect.encapsulation.size();
        const std::size_t end = begin + kHeaderSize + (covered ? header.payload_length : 0);
        Bytes packet = sample.packet;
        for (std::size_t bit = begin * 8; bit < end * 8; ++bit) {
            const std::byte mask = std::byte{1} << (bit % 8);
            packet[bit / 8] ^= mask;
            EXPECT_NE(decode(packet, expect).reason, Reject::kNone) << sample.name << ", bit " << bit;
            packet[bit / 8] ^= mask;
        }
    }
}

TEST_P(EveryPacket, refuses_truncation_at_every_length) {
    const Expect expect = samples::expect(GetParam());
    for (const auto& sample : samples::all(GetParam())) {
        const std::size_t payload = decode(sample.packet, expect).payload.size();
        const std::size_t needed = expect.encapsulation.size() + kHeaderSize + payload;
        for (std::size_t size = 0; size < needed; ++size)
            EXPECT_NE(reason_for_exact(std::span(sample.packet).first(size), expect), Reject::kNone)
                << sample.name << " cut to " << size;
        EXPECT_EQ(reason_for_exact(std::span(sample.packet).first(needed), expect), Reject::kNone)
            << sample.name;
    }
}

TEST_P(EveryPacket, ignores_padding_and_addresses) {
    const Expect expect = samples::expect(GetParam());
    for (const auto& sample : samples::all(GetParam())) {
        Bytes packet = sample.packet;
        packet.insert(packet.end(), 40, std::byte{0xee});
        std::fill_n(packet.begin(), 12, std::byte{0x5a});
        const Decoded decoded = decode(packet, expect);
        EXPECT_EQ(decoded.reason, Reject::kNone) << sample.name;
        EXPECT_EQ(decoded.payload.size(), decode(sample.packet, expect).payload.size());
    }
}

}  // namespace
}  // namespace isoplane::wire
