// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/wire/run.hh>

#include "samples.hh"

namespace isoplane::wire {
namespace {

using samples::Bytes;
using samples::counting;

constexpr std::uint16_t kHosts = 8;

Bytes operator+(Bytes front, const Bytes& back) {
    front.insert(front.end(), back.begin(), back.end());
    return front;
}

/// With its extension.
Bytes first(std::size_t data = 5) {
    return samples::message(Protocol::kIsotach, samples::isotach_body(counting(data)));
}

Bytes in_run(std::uint32_t step, std::size_t data = 5, Protocol protocol = Protocol::kIsotach) {
    return samples::message({.protocol = protocol, .fragment = kInRun, .size_or_offset = step},
                            counting(data));
}

bool accepts(const Bytes& payload) {
    MessageCursor cursor(payload);
    for (Message message; cursor.next(message);) {
    }
    EXPECT_EQ(are_messages(payload, kHosts), cursor.at_end());
    return cursor.at_end();
}

constexpr std::uint32_t kStep = run_step::of(Operation::kMessage, 1, 1);

}  // namespace

TEST(Run, may_follow_a_whole_ordered_message) {
    EXPECT_TRUE(accepts(first() + in_run(kStep)));
    EXPECT_TRUE(accepts(first() + in_run(kStep) + in_run(kStep, 0) + in_run(kStep, 40)));
    EXPECT_TRUE(accepts(first() + in_run(kStep) + first() + in_run(kStep)));
}

TEST(Run, may_stand_nowhere_else) {
    EXPECT_FALSE(accepts(in_run(kStep)));
    EXPECT_FALSE(accepts(samples::message(Protocol::kNoniso, counting(30)) + in_run(kStep)));
    EXPECT_FALSE(accepts(first() + samples::message(Protocol::kNoniso, counting(30)) + in_run(kStep)));
    EXPECT_FALSE(accepts(first() + in_run(kStep, 5, Protocol::kNoniso)));
    const MessageHeader fragment{
        .protocol = Protocol::kIsotach, .fragment = kFirstFragment, .size_or_offset = 100};
    EXPECT_FALSE(accepts(samples::message(fragment, samples::isotach_body(counting(5))) + in_run(kStep)));
}

TEST(Run, goes_on_by_a_rank_at_least) {
    EXPECT_TRUE(accepts(first() + in_run(run_step::of(Operation::kMessage, 0, 1))));
    EXPECT_FALSE(accepts(first() + in_run(run_step::of(Operation::kMessage, 1, 0))));
}

TEST(Run, ends_where_its_frame_does) {
    const Bytes payload = first() + in_run(kStep, 20);
    const std::size_t whole = first().size();
    for (std::size_t size = 1; size < payload.size(); ++size) {
        const Bytes part(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_EQ(accepts(part), size == whole) << size << " bytes";
    }
}

/// What is right behind a message is looked at in its own way where it is as short as most tokens are.
TEST(Run, may_have_a_short_token_behind_its_messages_and_nothing_that_is_nearly_one) {
    const Bytes token = samples::message(Protocol::kToken, counting(kShortTokenSize));
    for (const Bytes& messages :
         {first(), first() + in_run(kStep), samples::message(Protocol::kNoniso, counting(30))}) {
        EXPECT_TRUE(accepts(messages + token));
        for (std::size_t at = 0; at < kMessageHeaderSize; ++at) {
            for (unsigned value = 0; value <= UINT8_MAX; ++value) {
                Bytes nearly = token;
                nearly[at] = static_cast<std::byte>(value);
                accepts(messages + nearly);
            }
        }
    }
}

TEST(Run, begins_with_a_message_of_a_host_that_there_is) {
    Bytes alone = first();
    for (const std::uint16_t host :
         {std::uint16_t{0}, std::uint16_t{kHosts - 1}, kHosts, std::uint16_t{0xffff}}) {
        isotach_layout::Host::put(alone.data() + kMessageHeaderSize, host);
        const bool there = host < kHosts;
        EXPECT_EQ(are_messages(alone, kHosts), there) << host;
        EXPECT_EQ(are_messages(alone + in_run(kStep), kHosts), there) << host << ", and one that follows";
        EXPECT_EQ(are_messages(first() + alone, kHosts), there) << host << ", behind another";
    }
}

TEST(Run, a_message_of_it_is_a_step_from_the_one_before_it) {
    const Bytes payload = first(3) + in_run(run_step::of(Operation::kAccesses, 255, 65535), 7) +
                          in_run(run_step::of(Operation::kMessage, 0, 2), 0) + first(1);
    IsotachHeader expected = samples::isotach_header();
    MessageCursor cursor(payload);
    OrderedReader reader;
    const auto next = [&] {
        Message message;
        EXPECT_TRUE(cursor.next(message));
        return reader.read(message);
    };
    OrderedMessage message = next();
    EXPECT_EQ(message.header, expected);
    EXPECT_EQ(message.data.size(), 3U);

    message = next();
    expected.flags = 0;
    expected.operation = Operation::kAccesses;
    expected.isochron += 255;
    expected.rank += 65535;
    ++expected.count;
    EXPECT_EQ(message.header, expected);
    EXPECT_EQ(message.data.size(), 7U);

    message = next();
    expected.operation = Operation::kMessage;
    expected.rank += 2;
    ++expected.count;
    EXPECT_EQ(message.header, expected);
    EXPECT_TRUE(message.data.empty());

    message = next();
    EXPECT_EQ(message.header, samples::isotach_header());
    EXPECT_EQ(message.data.size(), 1U);
}

TEST(Run, its_numbers_wrap) {
    const IsotachHeader before{.rank = UINT32_MAX, .isochron = UINT32_MAX, .count = UINT32_MAX};
    const IsotachHeader after = step_from(before, run_step::of(Operation::kMessage, 2, 3));
    EXPECT_EQ(after.rank, 2U);
    EXPECT_EQ(after.isochron, 1U);
    EXPECT_EQ(after.count, 0U);
}

}  // namespace isoplane::wire
