// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>

#include <isoplane/wire/active.hh>

#include "samples.hh"

namespace isoplane::wire {
namespace {

using samples::Bytes;

Bytes with_body(ActiveType type, std::size_t body) {
    Bytes bytes(kActiveHeaderSize + body);
    encode_active(std::span(bytes).first<kActiveHeaderSize>(), {.type = type, .slot = 3});
    return bytes;
}
Bytes part(std::uint32_t size, std::uint32_t at, std::size_t data) {
    Bytes bytes = with_body(ActiveType::kRequestTransfer, kActiveTransferSize + data);
    encode_active_transfer(std::span(bytes).subspan(kActiveHeaderSize).first<kActiveTransferSize>(),
                           {.argument = 1, .address = 2, .size = size, .at = at});
    return bytes;
}

TEST(ActiveMessage, comes_out_as_it_went_in) {
    const ActiveHeader header{.type = ActiveType::kReply,
                              .convention = 1,
                              .slot = 63,
                              .reason = 2,
                              .program = 3,
                              .number = 4,
                              .life = 5,
                              .handler = {6, 7}};
    Bytes bytes = with_body(ActiveType::kReply, kActiveWordsSize);
    encode_active(std::span(bytes).first<kActiveHeaderSize>(), header);
    encode_active_words(std::span(bytes).last<kActiveWordsSize>(), {1, 2, 3, ~std::uint64_t{0}});
    const auto message = decode_active(bytes);
    ASSERT_TRUE(message);
    Bytes again(kActiveHeaderSize);
    encode_active(std::span(again).first<kActiveHeaderSize>(), message->header);
    EXPECT_TRUE(std::equal(again.begin(), again.end(), bytes.begin()));
    EXPECT_EQ(message->words[3], ~std::uint64_t{0});
}

TEST(ActiveMessage, has_just_what_its_type_has) {
    for (const ActiveType type : {ActiveType::kRequest, ActiveType::kGet, ActiveType::kReply}) {
        EXPECT_TRUE(decode_active(with_body(type, kActiveWordsSize)));
        EXPECT_FALSE(decode_active(with_body(type, kActiveWordsSize - 1)));
        EXPECT_FALSE(decode_active(with_body(type, kActiveWordsSize + 1)));
    }
    for (const ActiveType type : {ActiveType::kAcknowledgement, ActiveType::kRefusal}) {
        EXPECT_TRUE(decode_active(with_body(type, 0)));
        EXPECT_FALSE(decode_active(with_body(type, 1)));
    }
    EXPECT_FALSE(decode_active(with_body(static_cast<ActiveType>(0), 0)));
    EXPECT_FALSE(decode_active(with_body(static_cast<ActiveType>(8), 0)));
    EXPECT_FALSE(decode_active(Bytes(kActiveHeaderSize - 1)));
}

TEST(ActiveMessage, of_a_transfer_lies_within_it) {
    EXPECT_TRUE(decode_active(part(10, 0, 10))->ends());
    EXPECT_FALSE(decode_active(part(10, 0, 9))->ends());
    EXPECT_TRUE(decode_active(part(10, 9, 1))->ends());
    EXPECT_TRUE(decode_active(part(0, 0, 0))->ends());
    EXPECT_FALSE(decode_active(part(10, 1, 10)));
    EXPECT_FALSE(decode_active(part(10, 11, 0)));
    EXPECT_FALSE(decode_active(part(10, 0xffffffff, 11)));
    EXPECT_FALSE(decode_active(with_body(ActiveType::kReplyTransfer, kActiveTransferSize - 1)));
}

TEST(ActiveMessage, has_a_slot_that_there_is) {
    Bytes bytes = with_body(ActiveType::kRefusal, 0);
    active_layout::Slot::put(bytes.data(), kActiveSlots);
    EXPECT_FALSE(decode_active(bytes));
}

}  // namespace
}  // namespace isoplane::wire
