// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>
#include <isoplane/wire/view_parts.hh>
#include <utility>
#include <vector>

namespace isoplane::wire {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::uint16_t kNodes = 300;
constexpr std::size_t kRoom = kViewSize + 32;  ///< of the smallest frames
constexpr std::uint32_t kEpoch = 9;

ViewMessage view_message() {
    return {.step = ViewStep::kPromise,
            .plays = 2,
            .view = 7,
            .ballot = 0x00030001,
            .held = 1ULL << 40,
            .last = 12,
            .accepted = 0x00020000,
            .doubts = {0, 2},
            .next = {.number = 8, .cut = 5, .base = 1ULL << 33, .members = {{0, 0, 9}, {2, 0, 9}}}};
}

ViewMessage large(std::uint16_t doubts, std::uint16_t members) {
    ViewMessage message = view_message();
    message.doubts.clear();
    message.next.members.clear();
    for (std::uint16_t node = 0; node < doubts; ++node)
        message.doubts.push_back(node);
    for (std::uint16_t node = 0; node < members; ++node)
        message.next.members.push_back({node, node, kEpoch + node});
    return message;
}

Bytes encoded(const ViewMessage& message) {
    Bytes bytes(view_size(message.doubts.size(), message.next.members.size()));
    EXPECT_EQ(encode_view(bytes, message), bytes.size());
    return bytes;
}

bool is_read(const ViewMessage& message) {
    return decode_view(encoded(message), kNodes).has_value();
}

/// What is whole after the last of them.
std::optional<ViewMessage> collected(ViewParts& parts, const std::vector<ViewMessage>& come) {
    std::optional<ViewMessage> whole;
    for (const ViewMessage& part : come) {
        EXPECT_FALSE(whole) << "before the last part";
        whole = parts.add(kEpoch, part);
    }
    return whole;
}

}  // namespace

TEST(ViewMessage, is_read_as_it_was_written) {
    EXPECT_EQ(decode_view(encoded(view_message()), kNodes), view_message());
}

TEST(ViewMessage, is_refused_unless_it_is_exactly_one) {
    Bytes longer = encoded(view_message());
    for (std::size_t size = 0; size < longer.size(); ++size)
        EXPECT_FALSE(decode_view(std::span(longer).first(size), kNodes)) << size;
    longer.push_back({});
    EXPECT_FALSE(decode_view(longer, kNodes));
}

TEST(ViewMessage, is_refused_with_nodes_that_there_are_not) {
    ViewMessage doubts = view_message();
    doubts.doubts.push_back(kNodes);
    EXPECT_FALSE(is_read(doubts));
    for (const auto& doubted : {std::vector<std::uint16_t>{2, 0}, {2, 2}}) {
        doubts.doubts = doubted;
        EXPECT_FALSE(is_read(doubts)) << "not in their order";
    }
    ViewMessage player = view_message();
    player.next.members[0].played_by = kNodes;
    EXPECT_FALSE(is_read(player));
    ViewMessage twice = view_message();
    twice.next.members[1].node = 0;
    EXPECT_FALSE(is_read(twice));
    ViewMessage lifeless = view_message();
    lifeless.next.members[1].epoch = 0;
    EXPECT_FALSE(is_read(lifeless));
    ViewMessage plays = view_message();
    plays.plays = kNodes;
    EXPECT_FALSE(is_read(plays));
}

TEST(ViewMessage, is_refused_as_a_part_that_there_is_not) {
    ViewMessage part = view_message();
    part.digest = 5;
    EXPECT_FALSE(is_read(part)) << "whole, with the checksum of a part";
    part.last_part = 2 * kNodes - 1;
    part.part = part.last_part;
    EXPECT_TRUE(is_read(part));
    ++part.part;
    EXPECT_FALSE(is_read(part)) << "behind the last";
    part.part = 0;
    ++part.last_part;
    EXPECT_FALSE(is_read(part)) << "more parts than there can be";
    part.last_part = 1;
    part.doubts.clear();
    part.next.members.clear();
    EXPECT_FALSE(is_read(part)) << "with nothing in it";
}

TEST(ViewParts, are_one_when_it_fits) {
    const ViewMessage message = view_message();
    EXPECT_EQ(parts_of(message, view_size(2, 2)), std::vector{message});
    EXPECT_EQ(parts_of(message, view_size(2, 2) - 1).size(), 2U);
    ViewParts parts;
    EXPECT_EQ(parts.add(kEpoch, message), message);
}

TEST(ViewParts, fit_their_room_and_make_the_message_in_any_order) {
    for (const auto& [doubts, members] : {std::pair{0, 5}, {17, 0}, {3, 4}, {200, 300}}) {
        for (const std::size_t room : {view_size(0, 1), kRoom, kRoom + 5, std::size_t{1452}}) {
            const ViewMessage whole =
                large(static_cast<std::uint16_t>(doubts), static_cast<std::uint16_t>(members));
            std::vector<ViewMessage> come = parts_of(whole, room);
            for (const ViewMessage& part : come) {
                EXPECT_LE(encoded(part).size(), room);
                EXPECT_EQ(decode_view(encoded(part), kNodes), part);
            }
            ViewParts parts;
            EXPECT_EQ(collected(parts, come), whole);
            std::ranges::reverse(come);
            EXPECT_EQ(collected(parts, come), whole);
        }
    }
}

TEST(ViewParts, that_were_lost_are_of_the_next_time_that_it_is_said) {
    const ViewMessage whole = large(0, 9);
    const std::vector<ViewMessage> come = parts_of(whole, kRoom);
    ASSERT_EQ(come.size(), 3U);
    ViewParts parts;
    EXPECT_EQ(collected(parts, {come[0], come[2], come[2], come[0], come[1]}), whole);
}

TEST(ViewParts, of_what_is_not_said_any_more_are_forgotten) {
    const ViewMessage whole = large(0, 9);
    ViewMessage changed = whole;
    changed.next.members[8].epoch = 1;
    const std::vector<ViewMessage> before = parts_of(whole, kRoom);
    const std::vector<ViewMessage> after = parts_of(changed, kRoom);
    ViewParts parts;
    EXPECT_EQ(collected(parts, {before[0], before[1], after[2], after[1], after[0]}), changed);
    EXPECT_EQ(collected(parts, {before[0], before[1]}), std::nullopt);
    EXPECT_EQ(parts.add(kEpoch + 1, before[2]), std::nullopt) << "of another life";
    EXPECT_EQ(collected(parts, {before[0], before[1], view_message()}), view_message());
    EXPECT_EQ(parts.add(kEpoch, before[2]), whole) << "what is whole by itself comes between";
}

TEST(ViewParts, are_nothing_unless_they_are_of_one_message) {
    const std::vector<ViewMessage> good = parts_of(large(0, 9), kRoom);
    std::vector<ViewMessage> come = good;
    come[1].next.members[0].epoch = 77;
    ViewParts parts;
    EXPECT_EQ(collected(parts, come), std::nullopt) << "other members than those of the checksum";
    come = good;
    come[0].ballot = 1;
    EXPECT_EQ(collected(parts, come), std::nullopt);
    ViewMessage unordered = large(0, 9);
    std::swap(unordered.next.members[0], unordered.next.members[8]);
    come = parts_of(unordered, kRoom);
    EXPECT_EQ(collected(parts, come), std::nullopt) << "members that are not in order";
    EXPECT_EQ(collected(parts, good), large(0, 9)) << "and what comes after is as good as ever";
}

}  // namespace isoplane::wire
