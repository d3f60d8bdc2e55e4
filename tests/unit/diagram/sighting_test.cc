// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "diagram/sighting.hh"

#include <gtest/gtest.h>

#include <array>
#include <isoplane/wire/isotach.hh>
#include <isoplane/wire/message.hh>
#include <isoplane/wire/token.hh>

namespace isoplane::test {
namespace {

using diagram::Observer;

constexpr wire::MacAddress kMac{2, 0, 0, 0, 0, 1};

capture::Frame frame_of(wire::Header header, std::span<const std::byte> payload) {
    std::vector<std::byte> bytes(wire::kEthernetSize + wire::kHeaderSize);
    wire::encode_ethernet(std::span(bytes).first<wire::kEthernetSize>(), kMac, kMac, wire::kDefaultEtherType);
    wire::encode_frame(std::span(bytes).subspan<wire::kEthernetSize, wire::kHeaderSize>(), header, payload);
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    return {.direction = capture::Direction::kOut, .bytes = std::move(bytes)};
}

/// Two ordered messages with one of another protocol between them.
capture::Frame data_frame(std::uint32_t job_key = 7) {
    std::vector<std::byte> payload;
    const auto add = [&payload](wire::Protocol protocol, std::uint32_t isochron) {
        const bool ordered = wire::is_ordered(protocol);
        const std::size_t extension = ordered ? wire::kIsotachSize : 0;
        const std::size_t at = payload.size();
        payload.resize(at + wire::kMessageHeaderSize + extension + 5);
        wire::encode_message(
            std::span<std::byte, wire::kMessageHeaderSize>(payload.data() + at, wire::kMessageHeaderSize),
            {.protocol = protocol, .length = static_cast<std::uint16_t>(extension + 5), .size_or_offset = 5});
        if (!ordered) return;
        wire::encode_isotach(std::span<std::byte, wire::kIsotachSize>(
                                 payload.data() + at + wire::kMessageHeaderSize, wire::kIsotachSize),
                             {.pulse = 40, .host = 3, .rank = isochron, .isochron = isochron});
    };
    add(wire::Protocol::kIsotach, 8);
    add(wire::Protocol::kNoniso, 0);
    add(wire::Protocol::kIsotach, 9);
    return frame_of(
        {.kind = wire::Kind::kData, .job_key = job_key, .source = 3, .destination = 1, .epoch = 5}, payload);
}

TEST(Observer, finds_the_ordered_messages_of_a_frame) {
    Observer observer;
    observer.see(data_frame());
    EXPECT_EQ(observer.nodes().size(), 2U);
    const auto sightings = std::move(observer).sightings();
    ASSERT_EQ(sightings.size(), 1U);
    EXPECT_EQ(sightings[0].key.from, 3);
    const diagram::Message first{.issuer = 3, .isochron = 8, .pulse = 40, .rank = 8, .size = 5};
    const diagram::Message second{.issuer = 3, .isochron = 9, .pulse = 40, .rank = 9, .size = 5};
    EXPECT_EQ(sightings[0].messages, (std::vector{first, second}));
}

TEST(Observer, reads_tokens_and_what_their_sender_does_in_the_group) {
    std::array<std::byte, wire::token_size(2)> payload{};
    const std::array<wire::TokenEntry, 2> entries{
        {{1, wire::kEveryHost, wire::group_signal(2)}, {4, wire::kEveryHost, wire::group_signal(3)}}};
    wire::encode_token(payload, {.number = 12}, entries);
    Observer observer;
    observer.see(frame_of({.kind = wire::Kind::kToken, .source = 1, .destination = 6}, payload));
    const auto sightings = std::move(observer).sightings();
    ASSERT_EQ(sightings.size(), 1U);
    ASSERT_TRUE(sightings[0].token);
    EXPECT_EQ(sightings[0].token->number, 12U);
    EXPECT_EQ(sightings[0].token->group_word, wire::group_signal(2));
}

/// An ordered message, and with it a token of the token manager 4, whose host is 3.
capture::Frame frame_with_token() {
    constexpr std::size_t kMessage = wire::kIsotachSize;
    constexpr std::size_t kToken = wire::kTokenOriginSize + wire::token_size(1);
    std::vector<std::byte> payload(wire::kMessageHeaderSize + kMessage + wire::kMessageHeaderSize + kToken);
    std::byte* at = payload.data();
    const auto begin = [&at](wire::Protocol protocol, std::size_t size, std::size_t extension) {
        wire::encode_message(std::span<std::byte, wire::kMessageHeaderSize>(at, wire::kMessageHeaderSize),
                             {.protocol = protocol,
                              .length = static_cast<std::uint16_t>(size),
                              .size_or_offset = static_cast<std::uint32_t>(size - extension)});
        at += wire::kMessageHeaderSize;
    };
    begin(wire::Protocol::kIsotach, kMessage, wire::kIsotachSize);
    wire::encode_isotach(std::span<std::byte, wire::kIsotachSize>(at, wire::kIsotachSize),
                         {.pulse = 40, .host = 3, .isochron = 8});
    at += kMessage;
    begin(wire::Protocol::kToken, kToken, 0);
    wire::encode_token_origin(std::span<std::byte, wire::kTokenOriginSize>(at, wire::kTokenOriginSize),
                              {.epoch = 6, .from = 4, .to = 1});
    const std::array<wire::TokenEntry, 1> entries{{{3, 1, 17}}};
    wire::encode_token({at + wire::kTokenOriginSize, wire::token_size(1)}, {.number = 40, .further = 1},
                       entries);
    return frame_of({.kind = wire::Kind::kData, .source = 3, .destination = 1, .epoch = 5, .sequence = 9},
                    payload);
}

TEST(Observer, sees_a_token_that_goes_along_with_messages) {
    Observer observer;
    observer.see(frame_with_token());
    EXPECT_EQ(observer.nodes().size(), 3U);
    const auto sightings = std::move(observer).sightings();
    ASSERT_EQ(sightings.size(), 2U);
    const diagram::Sighting& token = sightings[0];
    ASSERT_TRUE(token.token);
    EXPECT_EQ(token.token->number, 40U);
    EXPECT_EQ(token.token->further, 1U);
    EXPECT_EQ(token.key.from, 4);
    EXPECT_EQ(token.key.to, 1);
    EXPECT_EQ(token.key.epoch, 6U);
    EXPECT_TRUE(token.messages.empty());
    const diagram::Sighting& message = sightings[1];
    EXPECT_FALSE(message.token);
    EXPECT_EQ(message.key.from, 3);
    ASSERT_EQ(message.messages.size(), 1U);
    EXPECT_EQ(message.messages[0].isochron, 8U);
}

/// Host 3 to host 1, with one in short.
capture::Frame frame_in_short(std::uint64_t number) {
    std::array<std::byte, wire::kMessageHeaderSize + wire::kShortTokenSize> payload{};
    wire::encode_message(
        std::span(payload).first<wire::kMessageHeaderSize>(),
        {.protocol = wire::Protocol::kToken, .length = wire::kShortTokenSize, .size_or_offset = 4});
    wire::encode_short_token(payload.data() + wire::kMessageHeaderSize, {.number = number, .further = 2});
    return frame_of({.kind = wire::Kind::kData, .source = 3, .destination = 1, .epoch = 5}, payload);
}

TEST(Observer, knows_of_a_token_in_short_what_a_whole_one_says) {
    Observer observer;
    observer.see(frame_in_short(38));
    observer.see(frame_with_token());
    observer.see(frame_in_short(42));
    std::vector<std::uint64_t> numbers;
    for (const diagram::Sighting& each : std::move(observer).sightings()) {
        if (!each.token) continue;
        numbers.push_back(each.token->number);
        EXPECT_EQ(each.key.from, 4);
        EXPECT_EQ(each.key.to, 1);
        EXPECT_EQ(each.key.epoch, 6U);
        EXPECT_EQ(each.key.sequence, each.token->number);
    }
    std::ranges::sort(numbers);
    EXPECT_EQ(numbers, (std::vector<std::uint64_t>{38, 40, 42}));
}

TEST(Observer, counts_what_it_leaves_out) {
    Observer observer;
    observer.see(data_frame());
    observer.see(data_frame(8));
    capture::Frame damaged = data_frame();
    damaged.bytes[40] ^= std::byte{1};
    observer.see(damaged);
    capture::Frame foreign = data_frame();
    foreign.bytes[12] = std::byte{0x08};
    observer.see(foreign);
    EXPECT_EQ(observer.frames(), 4U);
    EXPECT_EQ(observer.ours(), 1U);
    EXPECT_EQ(observer.foreign(), 1U);
    EXPECT_EQ(observer.damaged(), 1U);
}

}  // namespace
}  // namespace isoplane::test
