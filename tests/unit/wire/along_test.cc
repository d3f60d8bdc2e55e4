// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <array>
#include <isoplane/wire/along.hh>

#include "samples.hh"

namespace isoplane::wire {
namespace {

using samples::Bytes;

constexpr TokenOrigin kOrigin{.epoch = 0x01020304, .from = 5, .to = 6};

Bytes whole(const Token& token, std::span<const TokenEntry> entries = {}) {
    Bytes message(kTokenOriginSize + token_size(entries.size()));
    encode_token_origin(std::span(message).first<kTokenOriginSize>(), kOrigin);
    encode_token(std::span(message).subspan(kTokenOriginSize), token, entries);
    return message;
}

Bytes in_short(const Token& token) {
    Bytes message(kShortTokenSize);
    encode_short_token(message.data(), token);
    return message;
}

TEST(PlainToken, is_one_in_one_part_with_an_entry_at_most) {
    const std::array<TokenEntry, 2> entries = {TokenEntry{1, 2, 0x0a0b0c0d}, TokenEntry{3, 4, 5}};
    for (const unsigned part : {0U, 1U}) {
        for (const unsigned last_part : {0U, 1U}) {
            for (std::size_t count = 0; count <= entries.size(); ++count) {
                const Token its{.number = 0x0102030405060708,
                                .wanted = 129,
                                .further = 130,
                                .part = static_cast<std::uint16_t>(part),
                                .last_part = static_cast<std::uint16_t>(last_part),
                                .view = 0xffff};
                const Bytes message = whole(its, std::span(entries).first(count));
                ASSERT_EQ(PlainToken::is(message), part == 0 && last_part == 0 && count <= 1);
                EXPECT_FALSE(PlainToken::is(std::span(message).first(message.size() - 1)));
                if (!PlainToken::is(message)) continue;
                const PlainToken plain(message);
                EXPECT_EQ(plain.origin(), word_of(kOrigin));
                EXPECT_EQ(plain.from(), kOrigin.from);
                EXPECT_EQ(plain.number(), its.number);
                EXPECT_EQ(plain.wanted(), its.wanted);
                EXPECT_EQ(plain.further(), its.further);
                EXPECT_EQ(plain.view(), its.view);
                ASSERT_EQ(plain.has_entry(), count == 1);
                if (plain.has_entry()) {
                    EXPECT_EQ(plain.entry(), entries[0]);
                }
            }
        }
    }
    EXPECT_FALSE(PlainToken::is({}));
}

TEST(ShortToken, takes_four_bytes) {
    const Bytes message = in_short({.number = 0x01020304, .wanted = 5, .further = 6});
    const std::uint8_t expected[] = {3, 4, 5, 6};
    for (std::size_t i = 0; i < sizeof expected; ++i)
        EXPECT_EQ(std::to_integer<int>(message[i]), expected[i]) << "byte " << i;
}

TEST(ShortToken, has_the_number_next_to_what_is_known) {
    const std::uint64_t known = 0x1'0000'fff0;
    for (const int ahead : {-0x8000, -64, -1, 0, 1, 15, 16, 64, 0x7fff}) {
        const std::uint64_t number = known + static_cast<std::uint64_t>(std::int64_t{ahead});
        const Token token{.number = number, .wanted = 7, .further = 8, .view = 9};
        const Bytes message = in_short(token);
        EXPECT_EQ(decode_short_token(std::span(message).first<kShortTokenSize>(), known, 9), token) << ahead;
    }
}

TEST(AlongReader, knows_of_a_short_one_what_the_last_whole_one_said) {
    AlongReader reader;
    EXPECT_FALSE(reader.read(in_short({.number = 0x1fffe}))) << "in front of all whole ones";
    const TokenEntry entry{.source = 1, .destination = 2, .value = 3};
    const Bytes first = whole({.number = 0x1fffd, .view = 4}, {&entry, 1});
    const auto as_it_stands = reader.read(first);
    ASSERT_TRUE(as_it_stands);
    EXPECT_EQ(as_it_stands->origin, kOrigin);
    EXPECT_EQ(as_it_stands->token.data(), first.data() + kTokenOriginSize);
    EXPECT_EQ(as_it_stands->token.size(), token_size(1));
    for (const std::uint64_t number : {0x20005ULL, 0x1fffcULL}) {
        const auto along = reader.read(in_short({.number = number, .wanted = 5, .further = 6}));
        ASSERT_TRUE(along);
        EXPECT_EQ(along->origin, kOrigin);
        const auto view = TokenView::parse(along->token, samples::kNodeCount);
        ASSERT_TRUE(view);
        EXPECT_EQ(view->token(), (Token{.number = number, .wanted = 5, .further = 6, .view = 4}));
        EXPECT_EQ(view->size(), 0U);
    }
}

TEST(AlongReader, a_short_one_announces_the_message_right_before_it) {
    AlongReader reader;
    ASSERT_TRUE(reader.read(whole({.number = 9})));
    const auto along = reader.read(in_short({.number = 10}), IsotachHeader{.host = 1, .count = 77}, 2);
    ASSERT_TRUE(along);
    const auto view = TokenView::parse(along->token, samples::kNodeCount);
    ASSERT_TRUE(view);
    ASSERT_EQ(view->size(), 1U);
    EXPECT_EQ(view->entry(0), (TokenEntry{.source = 1, .destination = 2, .value = 77}));
}

TEST(AlongReader, what_is_no_token_changes_nothing) {
    AlongReader reader;
    ASSERT_TRUE(reader.read(whole({.number = 9})));
    const Bytes other = whole({.number = 900});
    for (std::size_t size = 0; size < kTokenOriginSize + kTokenSize; ++size) {
        if (size == kShortTokenSize) continue;
        EXPECT_FALSE(reader.read(std::span(other).first(size))) << size;
    }
    const auto along = reader.read(in_short({.number = 10}));
    ASSERT_TRUE(along);
    EXPECT_EQ(TokenView::parse(along->token, samples::kNodeCount)->token().number, 10U);
}

}  // namespace
}  // namespace isoplane::wire
