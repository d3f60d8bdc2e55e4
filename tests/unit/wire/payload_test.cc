// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <initializer_list>
#include <string>
#include <vector>

#include <isoplane/wire/hello.hh>
#include <isoplane/wire/probe.hh>
#include <isoplane/wire/token.hh>

#include "samples.hh"

namespace isoplane::wire {
namespace {

using samples::Bytes;
using samples::kNodeCount;

constexpr Token kToken{
    .number = 0x0102030405060708, .wanted = 129, .further = 130, .part = 0x0203, .last_part = 0x0405};

Bytes token(std::span<const TokenEntry> entries) {
    Bytes out(token_size(entries.size()));
    EXPECT_EQ(encode_token(out, kToken, entries), out.size());
    return out;
}

Bytes hello(const Hello& hello) {
    Bytes out(kHelloSize + hello.name.size());
    EXPECT_EQ(encode_hello(out, hello), out.size());
    return out;
}

const Hello kHello{
    .roles = kRoleHost, .mtu = 9000, .credit = 128, .build_id = 0xfedcba9876543210, .name = "alpha"};

TEST(Token, round_trips_with_any_number_of_entries) {
    for (std::size_t count = 0; count < 180; ++count) {
        std::vector<TokenEntry> entries(count);
        for (std::size_t i = 0; i < count; ++i)
            entries[i] = {.source = static_cast<std::uint16_t>(i % 4),
                          .destination = static_cast<std::uint16_t>(4 + i % 4),
                          .value = static_cast<std::uint32_t>(0xfffffff0 + i)};
        const Bytes payload = token(entries);
        const auto view = TokenView::parse(payload, kNodeCount);
        ASSERT_TRUE(view);
        EXPECT_EQ(view->token(), kToken);
        ASSERT_EQ(view->size(), count);
        for (std::size_t i = 0; i < count; ++i)
            EXPECT_EQ(view->entry(i), entries[i]);
    }
}

TEST(Token, has_the_documented_bytes) {
    const std::array<TokenEntry, 2> entries = {TokenEntry{1, 2, 0x0a0b0c0d},
                                               TokenEntry{3, kEveryHost, group_join(1) | group_signal(5)}};
    const std::uint8_t expected[] = {1, 2, 3, 4, 5,    6,    7,    8,    129, 130, 2,    3,    4, 5, 0, 0,
                                     0, 1, 0, 2, 0x0a, 0x0b, 0x0c, 0x0d, 0,   3,   0xff, 0xff, 0, 0, 2, 0x20};
    const Bytes payload = token(entries);
    ASSERT_EQ(payload.size(), sizeof expected);
    for (std::size_t i = 0; i < sizeof expected; ++i)
        EXPECT_EQ(std::to_integer<int>(payload[i]), expected[i]) << "byte " << i;
}

TEST(Token, as_many_entries_as_its_capacity_fit) {
    EXPECT_EQ(token_capacity(kTokenSize), 0U);
    EXPECT_EQ(token_capacity(1452), 179U);
    EXPECT_LE(token_size(token_capacity(1452)), 1452U);
}

TEST(Token, refuses_entries_that_are_not_whole) {
    const std::array<TokenEntry, 2> entries = {TokenEntry{1, 2, 3}, TokenEntry{2, 3, 4}};
    const Bytes payload = token(entries);
    for (std::size_t size = 0; size < payload.size(); ++size) {
        const auto view = TokenView::parse(std::span(payload).first(size), kNodeCount);
        const bool is_whole = size >= kTokenSize && (size - kTokenSize) % kTokenEntrySize == 0;
        EXPECT_EQ(view.has_value(), is_whole) << size;
    }
}

TEST(Token, is_of_any_view) {
    for (int bit = 0; bit < 16; ++bit) {
        Bytes payload = token({});
        const auto view = static_cast<std::uint16_t>(1 << bit);
        token_layout::View::put(payload.data(), view);
        const auto parsed = TokenView::parse(payload, kNodeCount);
        ASSERT_TRUE(parsed) << "bit " << bit;
        EXPECT_EQ(parsed->view(), view);
        EXPECT_EQ(parsed->token().view, view);
    }
}

TEST(Token, may_be_wanted_for_any_number_of_hops) {
    Bytes payload = token({});
    for (int hops = 0; hops < 256; ++hops) {
        token_layout::Wanted::put(payload.data(), static_cast<std::uint8_t>(hops));
        const auto view = TokenView::parse(payload, kNodeCount);
        ASSERT_TRUE(view) << hops;
        EXPECT_EQ(view->token().wanted, hops);
    }
}

TEST(Token, says_where_it_is_from_when_it_goes_along_with_messages) {
    const TokenOrigin origin{.epoch = 0x01020304, .from = 0x0506, .to = 0x0708};
    std::array<std::byte, kTokenOriginSize> out{};
    encode_token_origin(out, origin);
    for (std::size_t i = 0; i < out.size(); ++i)
        EXPECT_EQ(out[i], static_cast<std::byte>(i + 1));
    EXPECT_EQ(decode_token_origin(out), origin);
}

TEST(Token, refuses_a_part_beyond_the_last) {
    Bytes payload = token({});
    for (const int part : {0, kToken.last_part - 1, int{kToken.last_part}, kToken.last_part + 1, 0xffff}) {
        token_layout::Part::put(payload.data(), static_cast<std::uint16_t>(part));
        EXPECT_EQ(TokenView::parse(payload, kNodeCount).has_value(), part <= kToken.last_part) << part;
    }
}

TEST(Token, refuses_entries_that_are_not_between_two_nodes_of_the_job) {
    for (const TokenEntry& bad : {TokenEntry{kNodeCount, 0, 1}, TokenEntry{0, kNodeCount, 1},
                                  TokenEntry{2, 2, 1}, TokenEntry{kNodeCount, kEveryHost, 1}}) {
        const std::array<TokenEntry, 2> entries = {TokenEntry{0, 1, 1}, bad};
        EXPECT_FALSE(TokenView::parse(token(entries), kNodeCount)) << bad.source << " to " << bad.destination;
    }
}

TEST(Token, accepts_entries_for_every_host) {
    std::uint32_t everything = 0;
    for (unsigned channel = 0; channel < kSignalChannels; ++channel)
        everything |= group_signal(channel);
    for (unsigned channel = 0; channel < kBarrierChannels; ++channel)
        everything |= group_join(channel) | group_enter(channel) | group_leave(channel);
    const std::array<TokenEntry, 2> entries = {TokenEntry{0, kEveryHost, everything},
                                               TokenEntry{kNodeCount - 1, kEveryHost, group_signal(0)}};
    const Bytes payload = token(entries);
    const auto view = TokenView::parse(payload, kNodeCount);
    ASSERT_TRUE(view);
    EXPECT_EQ(view->entry(0), entries[0]);
    EXPECT_EQ(view->entry(1), entries[1]);
}

TEST(Token, refuses_entries_from_every_host) {
    for (const std::uint16_t destination : {std::uint16_t{1}, kEveryHost})
        for (const std::uint16_t node_count : {kNodeCount, std::uint16_t{0xffff}}) {
            const std::array<TokenEntry, 1> entries = {TokenEntry{kEveryHost, destination, 1}};
            EXPECT_FALSE(TokenView::parse(token(entries), node_count))
                << "to " << destination << " of " << node_count;
        }
}

TEST(Token, a_group_word_has_a_bit_for_each_thing_on_each_channel) {
    std::vector<std::uint32_t> bits;
    for (unsigned channel = 0; channel < kSignalChannels; ++channel)
        bits.push_back(group_signal(channel));
    for (unsigned channel = 0; channel < kBarrierChannels; ++channel)
        bits.insert(bits.end(), {group_join(channel), group_enter(channel), group_leave(channel)});
    std::uint32_t seen = 0;
    for (const std::uint32_t bit : bits) {
        EXPECT_TRUE(std::has_single_bit(bit)) << bit;
        EXPECT_EQ(seen & bit, 0U) << bit;
        seen |= bit;
    }
    EXPECT_EQ(seen, kKnownGroupBits);
}

TEST(Token, refuses_group_words_that_say_nothing_or_something_unknown) {
    const auto accepted = [](std::uint32_t word) {
        const std::array<TokenEntry, 2> entries = {TokenEntry{0, 1, word}, TokenEntry{0, kEveryHost, word}};
        EXPECT_TRUE(TokenView::parse(token(std::span(entries).first<1>()), kNodeCount))
            << "a count, " << word;
        return TokenView::parse(token(entries), kNodeCount).has_value();
    };
    EXPECT_FALSE(accepted(0));
    for (unsigned bit = 0; bit < 32; ++bit) {
        const std::uint32_t word = 1U << bit;
        const bool known = (kKnownGroupBits & word) != 0;
        EXPECT_EQ(accepted(word), known) << "bit " << bit;
        EXPECT_EQ(accepted(word | group_signal(0)), known) << "bit " << bit << " beside a signal";
    }
}

TEST(Hello, round_trips) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kMaxNameSize}) {
        const std::string name(size, 'n');
        Hello sent = kHello;
        sent.roles = kKnownRoles;
        sent.features = kKnownFeatures;
        sent.name = name;
        EXPECT_EQ(decode_hello(hello(sent)).value_or(Hello{}), sent);
    }
}

TEST(Hello, refuses_every_other_size) {
    Bytes payload = hello(kHello);
    for (std::size_t size = 0; size < payload.size(); ++size)
        EXPECT_FALSE(decode_hello(std::span(payload).first(size))) << size;
    payload.push_back(std::byte{'x'});
    EXPECT_FALSE(decode_hello(payload));
}

TEST(Hello, refuses_a_name_that_is_too_long) {
    Bytes payload = hello(kHello);
    payload.resize(kHelloSize + kMaxNameSize + 1, std::byte{'x'});
    hello_layout::NameSize::put(payload.data(), kMaxNameSize + 1);
    EXPECT_FALSE(decode_hello(payload));
}

TEST(Hello, refuses_a_name_that_is_not_printable) {
    for (const char bad : {'\0', '\n', '\x1b', '\x7f', '\x80', '\xff'}) {
        const std::string name = std::string("ab") + bad;
        Hello sent = kHello;
        sent.name = name;
        EXPECT_FALSE(decode_hello(hello(sent))) << static_cast<int>(bad);
    }
}

TEST(Hello, refuses_unknown_roles_and_features) {
    Hello sent = kHello;
    sent.roles = 0x80;
    EXPECT_FALSE(decode_hello(hello(sent)));
    sent.roles = kRoleFabric;
    sent.features = 0x02;
    EXPECT_FALSE(decode_hello(hello(sent)));
}

TEST(Hello, refuses_an_mtu_nobody_has) {
    Hello sent = kHello;
    sent.mtu = kMinMtu - 1;
    EXPECT_FALSE(decode_hello(hello(sent)));
    sent.mtu = kMinMtu;
    EXPECT_TRUE(decode_hello(hello(sent)));
}

TEST(Probe, round_trips_at_every_size) {
    const Probe sent{.stream = 77, .number = 0xffffffffffffffff, .sent_ns = 0x1122334455667788};
    for (std::size_t size = kProbeSize; size < 200; ++size) {
        Bytes payload(size);
        encode_probe(payload, sent);
        EXPECT_EQ(decode_probe(payload).value_or(Probe{}), sent);
        EXPECT_TRUE(probe_intact(payload));
    }
}

TEST(Probe, refuses_too_few_bytes) {
    for (std::size_t size = 0; size < kProbeSize; ++size)
        EXPECT_FALSE(decode_probe(Bytes(size))) << size;
}

TEST(Probe, refuses_a_reserved_field_in_use) {
    Bytes payload(kProbeSize);
    probe_layout::Reserved::put(payload.data(), 1);
    EXPECT_FALSE(decode_probe(payload));
}

TEST(Probe, every_bit_flip_breaks_the_pattern) {
    Bytes payload(kProbeSize + 21);
    encode_probe(payload, {.number = 42});
    for (std::size_t bit = kProbeSize * 8; bit < payload.size() * 8; ++bit) {
        payload[bit / 8] ^= std::byte{1} << (bit % 8);
        EXPECT_FALSE(probe_intact(payload)) << "bit " << bit;
        payload[bit / 8] ^= std::byte{1} << (bit % 8);
    }
}

TEST(Probe, patterns_of_different_numbers_differ) {
    Bytes payload(kProbeSize + 8);
    encode_probe(payload, {.number = 42});
    probe_layout::Number::put(payload.data(), 43);
    EXPECT_FALSE(probe_intact(payload));
}

}  // namespace
}  // namespace isoplane::wire
