// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "hosts.hh"

namespace isoplane::test {

class ReliableTest : public HostsTest {
  protected:
    static constexpr channel::Options kRoomy{
        .channels = 4, .slots = 4, .held = 8, .send_buffers = 8, .copy_below = 64, .life = 1};

    ReliableTest() { start({}, kRoomy); }

    /// Sends as many as go, with numbered content.
    unsigned send_all(NodeId from, NodeId to, channel::ChannelId channel, unsigned most,
                      std::uint8_t first = 0) {
        unsigned n = 0;
        for (unsigned tries = 0; n < most && tries < 50; ++tries) {
            const auto value = static_cast<std::uint8_t>(first + n);
            if (send(from, to, channel, 300, value, Mode::kReliable) == Status::kOk) ++n;
            run(100us);
        }
        return n;
    }
};

TEST_F(ReliableTest, sends_what_the_channel_has_room_for_and_the_rest_when_it_is_received) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    // Twelve, of which each of the others has a third.
    EXPECT_EQ(send_all(0, 1, 0, 20), 4U);
    EXPECT_EQ(send_all(2, 1, 0, 20), 4U);
    for (std::uint8_t i = 0; i < 4; ++i)
        EXPECT_TRUE(is_filled(receive(1, 0), 300, i));
    EXPECT_EQ(send_all(0, 1, 0, 20, 4), 4U);
    EXPECT_EQ(drops(1, Drop::kFull), 0U);
}

TEST_F(ReliableTest, sends_any_number_of_messages_in_order_to_who_receives_slowly) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    unsigned sent = 0;
    for (unsigned received = 0; received < 300;) {
        while (send(0, 1, 0, 100, static_cast<std::uint8_t>(sent), Mode::kReliable) == Status::kOk)
            ++sent;
        run(50us);
        const Buffer got = at(1).receive(0);
        if (!got) continue;
        ASSERT_TRUE(is_filled(got, 100, static_cast<std::uint8_t>(received)));
        ++received;
    }
    EXPECT_EQ(drops(1, Drop::kFull), 0U);
    EXPECT_EQ(at(0).counters().sent_reliable.get(), sent);
}

TEST_F(ReliableTest, holds_up_one_channel_and_nothing_else) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    ASSERT_EQ(at(1).open(1), Status::kOk);
    EXPECT_EQ(send_all(0, 1, 0, 20), 4U);
    EXPECT_EQ(send_all(0, 1, 1, 1), 1U);
    EXPECT_EQ(send(0, 1, 1, 300, 9), Status::kOk);
    run(1ms);
    EXPECT_EQ(at(1).waiting(1), 2U);
    EXPECT_EQ(hosts[1]->niu.peer(0).held, 0U);
}

TEST_F(ReliableTest, keeps_its_room_free_of_datagrams) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    EXPECT_EQ(send_all(0, 1, 0, 1), 1U);
    for (std::uint8_t i = 0; i < 10; ++i) {
        ASSERT_EQ(send(2, 1, 0, 300, i), Status::kOk);
        run(100us);
    }
    EXPECT_EQ(drops(1, Drop::kFull), 2U);
    EXPECT_EQ(send_all(0, 1, 0, 20, 1), 3U);
    EXPECT_EQ(drops(1, Drop::kFull), 2U);
}

TEST_F(ReliableTest, waits_for_room_that_datagrams_have_taken) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    for (std::uint8_t i = 0; i < 12; ++i) {
        ASSERT_EQ(send(2, 1, 0, 300, i), Status::kOk);
        run(100us);
    }
    EXPECT_EQ(send_all(0, 1, 0, 1), 0U);
    for (std::uint8_t i = 0; i < 4; ++i)
        EXPECT_TRUE(is_filled(receive(1, 0), 300, i));
    EXPECT_EQ(send_all(0, 1, 0, 20), 4U);
}

/// Whose sender has the next one there as soon as there is room for it.
TEST_F(ReliableTest, has_room_before_datagrams_that_come_all_the_time) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    for (unsigned i = 0; i < 13; ++i) {
        ASSERT_EQ(send(2, 1, 0, 300, 0), Status::kOk);
        run(100us);
    }
    unsigned sent = 0;
    for (unsigned i = 0; i < 50 && sent == 0; ++i) {
        sent += send_all(0, 1, 0, 1);
        ASSERT_TRUE(at(1).receive(0));
        ASSERT_EQ(send(2, 1, 0, 300, 0), Status::kOk);
        run(100us);
    }
    EXPECT_EQ(sent, 1U);
}

TEST_F(ReliableTest, loses_nothing_to_a_channel_that_is_opened_late) {
    EXPECT_EQ(send_all(0, 1, 3, 20), 4U);
    ASSERT_EQ(at(1).open(3), Status::kOk);
    for (std::uint8_t i = 0; i < 4; ++i)
        EXPECT_TRUE(is_filled(receive(1, 3), 300, i));
}

TEST_F(ReliableTest, goes_on_with_a_receiver_that_has_started_again) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    EXPECT_EQ(send_all(0, 1, 0, 20), 4U);
    hosts[1].reset();
    run(500ms);
    ASSERT_EQ(hosts[0]->niu.state(1), niu::PeerState::kDead);
    auto& host = hosts[1];
    host = std::make_unique<Host>(1, ways, *in[1], *up[1], pool, kRoomy, 2);
    run(100ms);
    ASSERT_EQ(hosts[0]->niu.state(1), niu::PeerState::kUp);
    ASSERT_EQ(at(1).open(0), Status::kOk);
    unsigned sent = 0;
    // It knows nothing of the credit, and is asked again before long.
    for (unsigned tries = 0; sent == 0 && tries < 5000; ++tries) {
        if (send(0, 1, 0, 300, 7, Mode::kReliable) == Status::kOk) ++sent;
        run(5us);
    }
    EXPECT_EQ(sent, 1U);
    EXPECT_TRUE(is_filled(receive(1, 0), 300, 7));
}

TEST_F(ReliableTest, sends_nothing_to_a_receiver_that_has_started_again_with_what_the_last_one_granted) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    EXPECT_EQ(send_all(0, 1, 0, 1), 1U);
    hosts[1].reset();
    run(500ms);
    hosts[1] = std::make_unique<Host>(1, ways, *in[1], *up[1], pool, kRoomy, 2);
    run(100ms);
    ASSERT_EQ(hosts[0]->niu.state(1), niu::PeerState::kUp);
    ASSERT_EQ(at(1).open(0), Status::kOk);
    // Datagrams have all the room that there is.
    for (std::uint8_t i = 0; i < 12; ++i) {
        ASSERT_EQ(send(2, 1, 0, 300, i), Status::kOk);
        run(100us);
    }
    EXPECT_EQ(send_all(0, 1, 0, 4), 0U);
    EXPECT_EQ(drops(1, Drop::kFull), 0U);
}

TEST_F(ReliableTest, takes_a_sender_that_has_started_again_for_another) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    EXPECT_EQ(send_all(0, 1, 0, 20), 4U);
    hosts[0].reset();
    run(500ms);
    channel::Options options = kRoomy;
    options.life = 2;
    hosts[0] = std::make_unique<Host>(0, ways, *in[0], *up[0], pool, options, 2);
    run(100ms);
    // What came in its last life has the room.
    EXPECT_EQ(send_all(0, 1, 0, 20, 10), 0U);
    for (std::uint8_t i = 0; i < 4; ++i)
        EXPECT_TRUE(is_filled(receive(1, 0), 300, i));
    EXPECT_EQ(send_all(0, 1, 0, 20, 10), 4U);
    for (std::uint8_t i = 0; i < 4; ++i)
        EXPECT_TRUE(is_filled(receive(1, 0), 300, static_cast<std::uint8_t>(10 + i)));
    EXPECT_EQ(drops(1, Drop::kFull), 0U);
}

TEST_F(ReliableTest, gives_nobody_room_who_sends_without_credit) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    EXPECT_EQ(send_all(0, 1, 0, 1), 1U);
    std::array<std::byte, wire::kChannelHeaderSize> message;
    for (const std::uint32_t number : {0U, 1U, 100U, 0xffffffffU}) {
        wire::encode_channel(message, {.subtype = wire::ChannelSubtype::kReliable, .number = number});
        for (unsigned i = 0; i < 10; ++i) {
            ASSERT_TRUE(hosts[2]->niu.send(1, wire::Protocol::kChannel, message));
            run(100us);
        }
    }
    EXPECT_EQ(drops(1, Drop::kFull), 32U);
    EXPECT_EQ(send_all(0, 1, 0, 20, 1), 3U);
}

}  // namespace isoplane::test
