// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <isoplane/wire/access.hh>
#include <vector>

namespace isoplane::wire {
namespace {

using Bytes = std::vector<std::byte>;

Answer answer_of(std::uint16_t words) {
    Answer answer{.ticket = 0x01020304, .offset = 0x0506, .words = words, .values = {}};
    for (std::uint32_t i = 0; i < words; ++i)
        answer.values[i] = 0x11121314 + i;
    return answer;
}

Bytes written(const Answer& answer) {
    Bytes bytes(answer_size(answer.words), std::byte{0xff});
    encode_answer(bytes, answer);
    return bytes;
}

TEST(Answer, is_read_as_it_was_written) {
    for (std::uint16_t words = 0; words <= kMostAccessWords; ++words) {
        const Answer answer = answer_of(words);
        Answer read;
        ASSERT_TRUE(decode_answer(written(answer), read)) << words << " words";
        EXPECT_EQ(read.ticket, answer.ticket);
        EXPECT_EQ(read.offset, answer.offset);
        EXPECT_TRUE(std::ranges::equal(read.told(), answer.told())) << words << " words";
    }
}

TEST(Answer, ends_where_the_next_message_can_be_read_in_words) {
    for (std::uint16_t words = 0; words <= kMostAccessWords; ++words)
        EXPECT_EQ(written(answer_of(words)).size() % 8, 0U) << words << " words";
    EXPECT_EQ(written(answer_of(1)).back(), std::byte{0});
}

TEST(Answer, of_another_size_than_it_says_is_malformed) {
    Bytes bytes = written(answer_of(3));
    Answer read;
    EXPECT_FALSE(decode_answer(std::span(bytes).first(bytes.size() - 4), read));
    bytes.resize(bytes.size() + 8);
    EXPECT_FALSE(decode_answer(bytes, read));
    EXPECT_FALSE(decode_answer(std::span(bytes).first(4), read));
}

TEST(Access, with_one_operand_is_the_same_written_in_one_step) {
    constexpr std::size_t kSize = access_size(AccessCode::kRead, 1);
    const Access access{.code = AccessCode::kRead, .words = 2, .address = 0x21222324, .ticket = 0x31323334};
    std::array<std::byte, kSize> in_steps{};
    encode_access(std::span(in_steps).first<access_layout::kSize>(), access);
    Field<std::uint32_t, access_layout::kSize>::put(in_steps.data(), 0x41424344);
    std::array<std::byte, kSize> at_once{};
    encode_access(std::span(at_once), access, 0x41424344);
    EXPECT_EQ(at_once, in_steps);
}

}  // namespace
}  // namespace isoplane::wire
