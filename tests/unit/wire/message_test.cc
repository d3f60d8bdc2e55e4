// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>

#include <isoplane/wire/control.hh>

#include "samples.hh"

namespace isoplane::wire {
namespace {

using samples::Bytes;
using samples::counting;

/// Whether a payload of one message with this header and body is well formed.
bool accepts(MessageHeader header, const Bytes& body) {
    const Bytes payload = samples::message(header, body);
    MessageCursor cursor(payload);
    for (Message message; cursor.next(message);) {
    }
    return cursor.at_end();
}

TEST(Message, coalesced_messages_come_out_in_order) {
    Bytes payload;
    for (std::size_t size = 0; size < 20; ++size) {
        const Bytes message = samples::message(Protocol::kActive, counting(size));
        payload.insert(payload.end(), message.begin(), message.end());
    }
    MessageCursor cursor(payload);
    Message message;
    for (std::size_t size = 0; size < 20; ++size) {
        ASSERT_TRUE(cursor.next(message));
        EXPECT_EQ(message.header.protocol, Protocol::kActive);
        EXPECT_EQ(message.body.size(), size);
        EXPECT_TRUE(std::ranges::equal(message.body, counting(size)));
    }
    EXPECT_FALSE(cursor.next(message));
    EXPECT_TRUE(cursor.at_end());
}

TEST(Message, every_truncation_is_noticed) {
    const Bytes payload = samples::message(Protocol::kPortals, counting(40));
    for (std::size_t size = 1; size < payload.size(); ++size) {
        const auto part = std::span(payload).first(size);
        MessageCursor cursor(part);
        Message message;
        EXPECT_FALSE(cursor.next(message)) << size << " bytes";
        EXPECT_FALSE(cursor.at_end()) << size << " bytes";
    }
}

TEST(Message, a_malformed_message_ends_the_walk_behind_the_good_ones) {
    Bytes payload = samples::message(Protocol::kControl, counting(4));
    payload.resize(payload.size() + kMessageHeaderSize, std::byte{0xff});
    MessageCursor cursor(payload);
    Message message;
    EXPECT_TRUE(cursor.next(message));
    EXPECT_FALSE(cursor.next(message));
    EXPECT_FALSE(cursor.next(message));
    EXPECT_FALSE(cursor.at_end());
    EXPECT_EQ(message.body.size(), 4U);
}

TEST(Message, unknown_protocols_are_refused) {
    for (int protocol = 0; protocol < 256; ++protocol) {
        const auto body = samples::isotach_body({});
        const bool ordered = is_ordered(static_cast<Protocol>(protocol));
        const auto size = static_cast<std::uint32_t>(ordered ? 0 : body.size());
        EXPECT_EQ(accepts({.protocol = static_cast<Protocol>(protocol), .size_or_offset = size}, body),
                  protocol < static_cast<int>(kProtocolCount))
            << protocol;
    }
}

TEST(Message, unknown_fragment_bits_are_refused) {
    for (int bit = 2; bit < 8; ++bit) {
        const auto fragment = static_cast<std::uint8_t>(kWholeMessage | 1 << bit);
        EXPECT_FALSE(accepts({.fragment = fragment, .size_or_offset = 10}, counting(10))) << bit;
    }
}

TEST(Message, sizes_and_offsets_that_cannot_be_are_refused) {
    const Bytes ten = counting(10);
    EXPECT_TRUE(accepts({.fragment = kWholeMessage, .size_or_offset = 10}, ten));
    EXPECT_FALSE(accepts({.fragment = kWholeMessage, .size_or_offset = 11}, ten));
    EXPECT_TRUE(accepts({.fragment = kFirstFragment, .size_or_offset = 11}, ten));
    EXPECT_FALSE(accepts({.fragment = kFirstFragment, .size_or_offset = 10}, ten));
    EXPECT_FALSE(accepts({.fragment = kFirstFragment, .size_or_offset = 10}, {}));
    for (const std::uint8_t fragment : std::initializer_list<std::uint8_t>{std::uint8_t{0}, kLastFragment}) {
        EXPECT_TRUE(accepts({.fragment = fragment, .size_or_offset = 1}, ten));
        EXPECT_FALSE(accepts({.fragment = fragment, .size_or_offset = 0}, ten));
        EXPECT_FALSE(accepts({.fragment = fragment, .size_or_offset = 10}, {}));
        EXPECT_TRUE(accepts({.fragment = fragment, .size_or_offset = 0xffffffff - 10}, ten));
        EXPECT_FALSE(accepts({.fragment = fragment, .size_or_offset = 0xffffffff - 9}, ten));
    }
}

TEST(Message, header_round_trips) {
    const MessageHeader sent{
        .protocol = Protocol::kChannel, .fragment = kFirstFragment, .size_or_offset = 0x01020304};
    const Bytes payload = samples::message(sent, counting(300));
    Message message;
    ASSERT_TRUE(MessageCursor(payload).next(message));
    EXPECT_EQ(message.header.protocol, sent.protocol);
    EXPECT_EQ(message.header.fragment, sent.fragment);
    EXPECT_EQ(message.header.length, 300);
    EXPECT_EQ(message.header.size_or_offset, sent.size_or_offset);
}

TEST(Isotach, extension_round_trips) {
    const Bytes payload = samples::message(Protocol::kIsotach, samples::isotach_body(counting(5)));
    Message message;
    ASSERT_TRUE(MessageCursor(payload).next(message));
    ASSERT_EQ(message.body.size(), kIsotachSize + 5);
    EXPECT_EQ(decode_isotach(message.body.first<kIsotachSize>()), samples::isotach_header());
}

TEST(Isotach, an_ordered_message_without_its_extension_is_refused) {
    for (std::uint32_t size = 0; size < kIsotachSize; ++size)
        EXPECT_FALSE(accepts({.protocol = Protocol::kIsotach, .size_or_offset = size}, counting(size)))
            << size;
}

TEST(Isotach, sizes_do_not_count_the_extension) {
    const Bytes body = samples::isotach_body(counting(5));
    EXPECT_TRUE(accepts({.protocol = Protocol::kIsotach, .size_or_offset = 5}, body));
    EXPECT_FALSE(accepts({.protocol = Protocol::kIsotach, .size_or_offset = kIsotachSize + 5}, body));
}

TEST(Barrier, comes_out_as_it_went_in) {
    std::array<std::byte, kBarrierSize> out;
    encode_barrier(out, 0x01020304);
    EXPECT_EQ(decode_barrier(out), 0x01020304U);
}

TEST(Barrier, is_nothing_else) {
    std::array<std::byte, kBarrierSize + 1> out{};
    const std::span<std::byte, kBarrierSize> barrier(out.data(), kBarrierSize);
    encode_barrier(barrier, 1);
    EXPECT_FALSE(decode_barrier(out));
    EXPECT_FALSE(decode_barrier(barrier.first(kBarrierSize - 1)));
    for (const std::size_t changed : {0U, 1U, 2U, 3U}) {
        encode_barrier(barrier, 1);
        out[changed] ^= std::byte{0x40};
        EXPECT_FALSE(decode_barrier(barrier)) << "byte " << changed;
    }
}

}  // namespace
}  // namespace isoplane::wire
