// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Messages that are sent in runs.

#include <isoplane/wire/run.hh>

#include "hosts.hh"

namespace isoplane::test {

namespace {

using isotach::Delivery;
using isotach::Pulse;

}  // namespace

TEST(RunIssue, takes_no_more_room_than_other_messages) {
    Hosts hosts(topology::line(1, 3));
    const std::uint64_t before = hosts[0].niu.counters().frames_sent.get();
    const unsigned messages = 18;  // too many for a frame, were each to have its extension
    const std::size_t size = 64;
    const std::size_t payload = hosts[0].niu.max_message(2) + wire::kMessageHeaderSize;
    ASSERT_GT(messages * (wire::kMessageHeaderSize + wire::kIsotachSize + size), payload);
    for (unsigned i = 0; i < messages; ++i)
        ASSERT_TRUE(hosts[0].isotach.send(2, bytes(size, i)));
    hosts.run(1ms);
    EXPECT_EQ(hosts[0].niu.counters().frames_sent.get() - before, 1U);
    const auto received = hosts[2].receive();
    ASSERT_EQ(received.size(), messages);
    for (unsigned i = 0; i < messages; ++i) {
        EXPECT_EQ(received[i].isochron, received[0].isochron + i);
        EXPECT_EQ(received[i].time.pulse, received[0].time.pulse);
        EXPECT_EQ(received[i].time.host, 0U);
        EXPECT_EQ(received[i].time.rank, i);
        EXPECT_TRUE(std::ranges::equal(received[i].data, bytes(size, i)));
    }
    hosts[2].release(received);
}

TEST(RunIssue, goes_on_while_others_are_sent_to_in_between) {
    Hosts hosts(topology::line(1, 4));
    const std::uint64_t before = hosts[0].niu.counters().frames_sent.get();
    std::uint32_t first = hosts[0].isotach.next_isochron();
    for (unsigned i = 0; i < 16; ++i)
        ASSERT_TRUE(hosts[0].send({static_cast<NodeId>(2 + i % 2)}, i, 64));
    ASSERT_TRUE(hosts[0].send({2, 3, 0, 2}, 100, 64));
    ASSERT_TRUE(hosts[0].send({3, 2}, 200, 64));
    hosts.run(1ms);
    EXPECT_EQ(hosts[0].niu.counters().frames_sent.get() - before, 2U);
    for (const NodeId to : {NodeId{2}, NodeId{3}}) {
        const auto received = hosts[to].receive();
        ASSERT_EQ(received.size(), to == 2 ? 11U : 10U);
        std::uint32_t rank = 0;
        for (unsigned i = 0; i < 8; ++i) {
            EXPECT_EQ(received[i].isochron, first + 2 * i + to - 2);
            EXPECT_EQ(received[i].time.rank, 2 * i + to - 2);
            EXPECT_TRUE(std::ranges::equal(received[i].data, bytes(64, 2 * i + to - 2)));
        }
        EXPECT_EQ(received[8].isochron, first + 16);
        EXPECT_TRUE(std::ranges::equal(received[8].data, bytes(64, to == 2 ? 100 : 101)));
        if (to == 2) {
            EXPECT_EQ(received[9].isochron, first + 16);
            EXPECT_GT(received[9].time.rank, received[8].time.rank);
            EXPECT_TRUE(std::ranges::equal(received[9].data, bytes(64, 103)));
        }
        EXPECT_EQ(received.back().isochron, first + 17);
        EXPECT_TRUE(std::ranges::equal(received.back().data, bytes(64, to == 2 ? 201 : 200)));
        for (const Delivery& message : received) {
            EXPECT_EQ(message.time.host, 0U);
            EXPECT_GE(message.time.rank, rank);
            rank = message.time.rank + 1;
        }
        hosts[to].release(received);
    }
    hosts[0].release(hosts[0].receive());
}

/// What a host does not take a frame at a time.
TEST(RunIssue, is_taken_by_paranoid_hosts_too) {
    Hosts hosts(topology::line(1, 3), {.isotach = {.paranoid = true}});
    niu::Niu& sender = hosts[0].niu;
    const Pulse pulse = hosts[0].siu.clock() + 20;
    niu::Peer* peer = sender.with_room(2, wire::kIsotachSize);
    ASSERT_NE(peer, nullptr);
    wire::encode_isotach(
        std::span<std::byte, wire::kIsotachSize>(niu::Niu::room_in(*peer), wire::kIsotachSize),
        {.pulse = pulse, .host = 0, .rank = 4, .isochron = 6, .count = 1});
    sender.send(*peer, wire::Protocol::kIsotach, wire::kIsotachSize, {});
    for (unsigned i = 0; i < 3; ++i) {
        if (i == 0) niu::Niu::begin_run(*peer);
        peer = sender.in_run(2, 8);
        ASSERT_NE(peer, nullptr);
        sender.send_in_run(*peer, wire::Protocol::kIsotach,
                           wire::run_step::of(wire::Operation::kMessage, 2, 3), bytes(8, i));
    }
    hosts[2].siu.want(true);
    hosts.run(1ms);
    const auto received = hosts[2].receive();
    ASSERT_EQ(received.size(), 4U);
    for (unsigned i = 0; i < 4; ++i) {
        EXPECT_EQ(received[i].time, (isotach::LogicalTime{pulse, isotach::Place::kWithin, 0, 4 + 3 * i}));
        EXPECT_EQ(received[i].isochron, 6 + 2 * i);
        EXPECT_TRUE(std::ranges::equal(received[i].data, i == 0 ? Bytes{} : bytes(8, i - 1)));
    }
    hosts[2].release(received);
}

TEST(RunIssue, ends_with_a_message_of_another_protocol_and_with_its_frame) {
    Hosts hosts(topology::line(1, 3));
    niu::Niu& sender = hosts[0].niu;
    const auto follows = [&] { return sender.in_run(2, 8) != nullptr; };
    ASSERT_TRUE(hosts[0].send({2}));
    EXPECT_TRUE(follows());
    ASSERT_TRUE(sender.send(2, wire::Protocol::kNoniso, bytes(8)));
    EXPECT_FALSE(follows());
    ASSERT_TRUE(hosts[0].send({2}));
    EXPECT_TRUE(follows());
    hosts.run(1ms);
    EXPECT_FALSE(follows());
    const auto received = hosts[2].receive();
    EXPECT_EQ(received.size(), 2U);
    hosts[2].release(received);
}

TEST(RunIssue, has_no_more_isochrons_than_may_be_outstanding) {
    Hosts hosts(topology::line(1, 3), {.isotach = {.most_outstanding = 7}});
    isotach::Isotach& here = hosts[0].isotach;
    for (unsigned round = 0; round < 2; ++round) {
        unsigned sent = 0;
        while (sent < 20 && here.send(2, bytes(8, sent)))
            ++sent;
        EXPECT_EQ(sent, 7U);
        EXPECT_EQ(here.outstanding(), 7U);
        hosts.run(1ms);
        EXPECT_EQ(here.outstanding(), 0U);
        EXPECT_EQ(here.next_isochron(), 7 * (round + 1));
        const auto received = hosts[2].receive();
        EXPECT_EQ(received.size(), 7U);
        hosts[2].release(received);
    }
}

TEST(RunIssue, goes_on_in_another_frame_and_behind_another_message) {
    constexpr std::uint32_t kMost = 12;
    constexpr std::size_t kSize = 600;  // two of them fill a frame
    Hosts hosts(topology::line(1, 3), {.isotach = {.most_outstanding = kMost}});
    isotach::Isotach& here = hosts[0].isotach;
    const std::uint32_t first = here.next_isochron();
    std::uint32_t number = 0;
    for (; number < 5; ++number)
        ASSERT_TRUE(here.send(2, bytes(kSize, number)));
    ASSERT_TRUE(hosts[0].niu.send(2, wire::Protocol::kNoniso, bytes(8)));
    ASSERT_TRUE(here.send(2, bytes(kSize, number++)));
    ASSERT_TRUE(hosts[0].send({2, 1, 2}, number++, kSize));
    while (number < 20 && here.send(2, bytes(kSize, number)))
        ++number;
    EXPECT_EQ(number, kMost);
    EXPECT_EQ(here.outstanding(), kMost);
    hosts.run(1ms);
    EXPECT_EQ(here.outstanding(), 0U);
    EXPECT_EQ(here.counters().isochrons.get(), kMost);
    const auto received = hosts[2].receive();
    ASSERT_EQ(received.size(), kMost + 1U);
    for (std::uint32_t i = 0; i < received.size(); ++i) {
        // The seventh is one to host 1, too, and has two parts here.
        EXPECT_EQ(received[i].isochron, first + i - (i > 6 ? 1 : 0));
        EXPECT_EQ(received[i].time.pulse, received[0].time.pulse);
        EXPECT_EQ(received[i].time.rank, i + (i > 6 ? 1 : 0));
        EXPECT_EQ(received[i].data.size(), kSize);
    }
    EXPECT_EQ(hosts[2].isotach.counters().out_of_sequence.get(), 0U);
    hosts[2].release(received);
    hosts[1].release(hosts[1].receive());
    hosts.run(1ms);
}

/// Each kind of isochron between two that would follow each other.
TEST(RunIssue, goes_on_behind_what_was_issued_in_between) {
    Hosts hosts(topology::line(1, 3));
    isotach::Isotach& here = hosts[0].isotach;
    std::vector<std::uint32_t> expected;
    std::uint32_t number = here.next_isochron();
    const auto send_two = [&] {
        for (unsigned i = 0; i < 2; ++i) {
            ASSERT_TRUE(here.send(2, bytes(8, number)));
            expected.push_back(number++);
        }
    };
    send_two();
    ASSERT_TRUE(hosts[0].send({0}));
    ++number;
    send_two();
    ASSERT_TRUE(hosts[0].send({1}));
    ++number;
    send_two();
    ASSERT_TRUE(here.send_marked(2, bytes(8, number)));
    expected.push_back(number++);
    send_two();
    ASSERT_TRUE(hosts[0].send({2, 1, 2}, number));
    expected.push_back(number);
    expected.push_back(number++);
    send_two();
    ASSERT_TRUE(hosts[0].send({2}, number, 600));
    expected.push_back(number++);
    send_two();
    ASSERT_TRUE(here.send(2, bytes(4000, number)));
    expected.push_back(number++);
    EXPECT_EQ(here.next_isochron(), number);
    hosts.run(1ms);
    ASSERT_TRUE(here.send_signal(0));
    send_two();
    hosts.run(2ms);
    EXPECT_EQ(here.outstanding(), 0U);
    const auto received = hosts[2].receive();
    std::vector<std::uint32_t> numbers;
    for (const Delivery& message : received)
        if (message.kind == isotach::DeliveryKind::kMessage) numbers.push_back(message.isochron);
    EXPECT_EQ(numbers, expected);
    EXPECT_TRUE(std::ranges::is_sorted(received, {}, &Delivery::time));
    EXPECT_EQ(hosts[2].isotach.counters().out_of_sequence.get(), 0U);
    hosts[2].release(received);
    hosts[1].release(hosts[1].receive());
    hosts[0].release(hosts[0].receive());
    hosts.run(1ms);
}

TEST(RunIssue, ends_where_the_clock_goes_on) {
    Hosts hosts(topology::line(1, 3));
    isotach::Isotach& here = hosts[0].isotach;
    hosts[0].siu.want(true);
    for (unsigned round = 0; round < 50; ++round) {
        ASSERT_TRUE(here.send(2, bytes(8, 0)));
        const Pulse clock = hosts[0].siu.clock();
        hosts[0].niu.flush();
        ASSERT_TRUE(here.send(2, bytes(8, 1)));
        ASSERT_TRUE(here.send(2, bytes(8, 2)));
        EXPECT_GE(here.last_stamp(), hosts[0].siu.clock() + hosts[0].siu.distance(2)) << clock;
        hosts.run(3us);
    }
    hosts.run(1ms);
    const auto received = hosts[2].receive();
    EXPECT_EQ(received.size(), 150U);
    EXPECT_TRUE(std::ranges::is_sorted(received, {}, &Delivery::time));
    hosts[2].release(received);
}

}  // namespace isoplane::test
