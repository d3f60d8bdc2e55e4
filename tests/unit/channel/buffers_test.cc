// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <stdexcept>

#include "hosts.hh"

namespace isoplane::test {

INSTANTIATE_TEST_SUITE_P(links, ChannelsTest,
                         testing::Values(Ways{}, Ways{.lcore = true}, Ways{.in_process = true},
                                         Ways{.in_process = true, .lcore = true}),
                         [](const auto& way) {
                             return std::string(way.param.in_process ? "rings" : "wire") +
                                    (way.param.lcore ? "_lcore" : "_inline");
                         });

TEST_P(ChannelsTest, carries_messages_of_all_sizes_in_order) {
    ASSERT_EQ(at(1).open(2), Status::kOk);
    std::uint8_t value = 0;
    for (const std::size_t size : {0UL, 1UL, 63UL, 64UL, 500UL, 247UL, at(0).max_size(1)}) {
        EXPECT_EQ(send(0, 1, 2, size, ++value), Status::kOk);
        const Buffer got = receive(1, 2);
        ASSERT_TRUE(got) << size;
        EXPECT_TRUE(is_filled(got, size, value)) << size;
        EXPECT_EQ(got.source(), 0);
    }
    EXPECT_FALSE(receive(1, 2));
    EXPECT_EQ(at(0).counters().sent.get(), 7U);
    EXPECT_EQ(at(1).counters().received.get(), 7U);
}

TEST_P(ChannelsTest, sends_a_large_message_from_where_it_was_written_and_gives_it_where_it_came) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    Buffer sent = filled(0, 1000, 7);
    ASSERT_EQ(at(0).send(1, 0, sent, 1000), Status::kOk);
    const Buffer got = receive(1, 0);
    EXPECT_TRUE(is_filled(got, 1000, 7));
    EXPECT_EQ(got.data().data() == sent.data().data(), ways.in_process);
    EXPECT_EQ(copied(0) + copied(1), 0U);
    EXPECT_EQ(at(0).counters().copied_bytes.get(), 0U);
    EXPECT_EQ(at(0).counters().sent_as_is.get(), 1U);
}

TEST_P(ChannelsTest, keeps_a_buffer_busy_until_it_has_been_sent) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    Buffer buffer = filled(0, 1000, 1);
    EXPECT_FALSE(at(0).busy(buffer));
    ASSERT_EQ(at(0).send(1, 0, buffer, 1000), Status::kOk);
    EXPECT_TRUE(at(0).busy(buffer));
    EXPECT_EQ(at(0).pending(), 1U);
    EXPECT_EQ(at(0).send(1, 0, buffer, 1000), Status::kBusy);
    Buffer got = receive(1, 0);
    // Where the very packet came, it is its receiver's as well.
    run(1ms);
    EXPECT_EQ(at(0).busy(buffer), ways.in_process);
    got.reset();
    run(1ms);
    EXPECT_FALSE(at(0).busy(buffer));
    EXPECT_EQ(at(0).pending(), 0U);
    EXPECT_TRUE(std::all_of(buffer.data().begin(), buffer.data().begin() + 1000,
                            [](std::byte b) { return b == std::byte{1}; }));
    std::fill_n(buffer.data().begin(), 900, std::byte{2});
    ASSERT_EQ(at(0).send(1, 0, buffer, 900), Status::kOk);
    EXPECT_TRUE(is_filled(receive(1, 0), 900, 2));
}

TEST_P(ChannelsTest, writes_nothing_behind_a_message_that_is_shorter_than_its_buffer) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    Buffer buffer = filled(0, 1000, 1);
    ASSERT_EQ(at(0).send(1, 0, buffer, 300), Status::kOk);
    for (std::uint8_t i = 0; i < 3; ++i)
        ASSERT_EQ(send(0, 1, 0, 40, 9), Status::kOk);
    run(1ms);
    EXPECT_TRUE(std::all_of(buffer.data().begin(), buffer.data().begin() + 1000,
                            [](std::byte b) { return b == std::byte{1}; }));
}

TEST_P(ChannelsTest, does_not_give_a_freed_buffer_to_others_before_it_has_been_sent) {
    std::vector<const std::byte*> places;
    for (unsigned i = 0; i < kOptions.send_buffers; ++i) {
        Buffer buffer = filled(0, 1000, static_cast<std::uint8_t>(i));
        places.push_back(buffer.data().data());
        ASSERT_EQ(at(0).send(1, 3, buffer, 1000), Status::kOk);
    }
    EXPECT_EQ(at(0).pending(), kOptions.send_buffers);
    EXPECT_FALSE(at(0).buffer());
    ASSERT_EQ(at(1).open(3), Status::kOk);
    for (unsigned i = 0; i < kOptions.send_buffers; ++i)
        EXPECT_TRUE(is_filled(receive(1, 3), 1000, static_cast<std::uint8_t>(i)));
    run(1ms);
    EXPECT_EQ(at(0).pending(), 0U);
    EXPECT_TRUE(at(0).buffer());
}

TEST_P(ChannelsTest, has_as_many_buffers_again_as_were_freed_without_being_sent) {
    for (unsigned round = 0; round < 3; ++round) {
        std::vector<Buffer> all;
        for (Buffer buffer = at(0).buffer(); buffer; buffer = at(0).buffer())
            all.push_back(std::move(buffer));
        EXPECT_EQ(all.size(), kOptions.send_buffers);
    }
}

TEST_P(ChannelsTest, lets_a_small_message_be_written_over_at_once) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    Buffer buffer = filled(0, 60, 1);
    for (std::uint8_t i = 1; i <= 3; ++i) {
        std::fill_n(buffer.data().begin(), 60, std::byte{i});
        ASSERT_EQ(at(0).send(1, 0, buffer, 60), Status::kOk);
        EXPECT_FALSE(at(0).busy(buffer));
    }
    run(1ms);
    for (std::uint8_t i = 1; i <= 3; ++i)
        EXPECT_TRUE(is_filled(at(1).receive(0), 60, i));
    EXPECT_EQ(hosts[0]->niu.counters().frames_sent.get(), 1U);  // they shared it
}

TEST_P(ChannelsTest, sends_on_what_it_received_without_a_copy_where_nobody_else_reads_it) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    ASSERT_EQ(at(2).open(1), Status::kOk);
    ASSERT_EQ(send(0, 1, 0, 1200, 5), Status::kOk);
    Buffer passing = receive(1, 0);
    ASSERT_TRUE(passing);
    passing.data()[0] = std::byte{5};
    EXPECT_EQ(at(1).send(2, 1, std::move(passing), 1200), Status::kOk);
    EXPECT_TRUE(is_filled(receive(2, 1), 1200, 5));
    EXPECT_EQ(copied(1), 0U);
    EXPECT_EQ(at(1).counters().copied_bytes.get(), 0U);
    run(1ms);
    EXPECT_EQ(at(1).pending(), 0U);
}

/// Over rings its sender's NIU may keep the packet for as long as this node does.
TEST_P(ChannelsTest, keeps_what_it_sends_on_and_knows_when_it_is_idle) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    ASSERT_EQ(at(2).open(1), Status::kOk);
    ASSERT_EQ(send(0, 1, 0, 1200, 5), Status::kOk);
    const Buffer passing = receive(1, 0);
    ASSERT_TRUE(passing);
    EXPECT_EQ(at(1).send(2, 1, passing, 1200), Status::kOk);
    EXPECT_TRUE(is_filled(receive(2, 1), 1200, 5));
    EXPECT_EQ(at(1).counters().copied_bytes.get(), ways.in_process ? 1200U : 0U);
    run(100us);
    EXPECT_FALSE(at(1).busy(passing));
}

TEST_P(ChannelsTest, sends_on_without_a_copy_what_its_sender_does_not_know_to_have_arrived) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    ASSERT_EQ(at(2).open(1), Status::kOk);
    Buffer sent = filled(0, 1200, 5);
    ASSERT_EQ(at(0).send(1, 0, std::move(sent), 1200), Status::kOk);
    Buffer passing;
    for (int i = 0; i < 100 && !passing; ++i) {
        run(5us);
        passing = at(1).receive(0);
    }
    run(5us);  // until an lcore has released the message
    ASSERT_EQ(at(0).pending(), 1U) << "it was to be sent on at once";
    EXPECT_EQ(at(1).send(2, 1, std::move(passing), 1200), Status::kOk);
    EXPECT_TRUE(is_filled(receive(2, 1), 1200, 5));
    EXPECT_EQ(at(1).counters().copied_bytes.get(), 0U);
    run(50ms);
    EXPECT_EQ(at(0).pending() + at(1).pending(), 0U);
    EXPECT_EQ(copied(0) + copied(1), 0U);
}

TEST_P(ChannelsTest, takes_the_buffer_with_the_message_unless_that_does_not_go) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    for (const std::size_t size : {std::size_t{50}, std::size_t{1000}}) {
        for (unsigned i = 0; i < 5 * kOptions.send_buffers; ++i) {
            Buffer buffer = filled(0, size, std::uint8_t(i));
            ASSERT_EQ(at(0).send(1, 9, std::move(buffer), size), Status::kNoChannel);
            ASSERT_TRUE(buffer);
            ASSERT_EQ(at(0).send(1, 0, std::move(buffer), size), Status::kOk);
            ASSERT_FALSE(buffer);
            ASSERT_FALSE(at(0).busy(buffer));
            ASSERT_EQ(at(0).send(1, 0, buffer, 0), Status::kTooLarge);
            ASSERT_TRUE(is_filled(receive(1, 0), size, std::uint8_t(i)));
        }
    }
    run(1ms);
    EXPECT_EQ(at(0).pending(), 0U);
}

TEST_P(ChannelsTest, copies_what_it_sends_on_while_others_read_its_packet) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    ASSERT_EQ(at(2).open(0), Status::kOk);
    // Two messages in one frame.
    Buffer large = filled(0, 100, 5);
    ASSERT_EQ(at(0).send(1, 0, filled(0, 50, 1), 50), Status::kOk);
    ASSERT_EQ(at(0).send(1, 0, large, 100), Status::kOk);
    run(1ms);
    const Buffer first = at(1).receive(0);
    const Buffer second = at(1).receive(0);
    ASSERT_TRUE(is_filled(first, 50, 1));
    ASSERT_TRUE(is_filled(second, 100, 5));
    EXPECT_EQ(at(1).send(2, 0, second, 100), Status::kOk);
    EXPECT_FALSE(at(1).busy(second));
    EXPECT_EQ(at(1).counters().copied_bytes.get(), 100U);
    EXPECT_TRUE(is_filled(receive(2, 0), 100, 5));
    EXPECT_TRUE(is_filled(first, 50, 1));
}

TEST_P(ChannelsTest, gives_a_user_no_more_at_a_time_than_the_slots_and_holds_the_rest) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    for (std::uint8_t i = 0; i < 8; ++i) {
        ASSERT_EQ(send(0, 1, 0, 300, i), Status::kOk);
        run(100us);
    }
    EXPECT_EQ(at(1).waiting(0), 4U);
    std::vector<Buffer> in_hand;
    for (std::uint8_t i = 0; i < 4; ++i)
        in_hand.push_back(at(1).receive(0));
    EXPECT_EQ(at(1).waiting(0), 0U);
    EXPECT_FALSE(at(1).receive(0));
    in_hand.erase(in_hand.begin() + 1);
    EXPECT_EQ(at(1).waiting(0), 1U);
    EXPECT_TRUE(is_filled(at(1).receive(0), 300, 4));
    EXPECT_EQ(drops(1, Drop::kFull), 0U);
}

TEST_P(ChannelsTest, drops_and_counts_datagrams_for_a_channel_that_is_full_and_no_others) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    ASSERT_EQ(at(1).open(1), Status::kOk);
    for (std::uint8_t i = 0; i < 100; ++i) {
        ASSERT_EQ(send(0, 1, 0, 300, i), Status::kOk);
        run(100us);
    }
    EXPECT_EQ(drops(1, Drop::kFull), 92U);
    // Neither the other channel nor any other protocol is kept from its messages.
    ASSERT_EQ(send(0, 1, 1, 300, 1), Status::kOk);
    EXPECT_TRUE(is_filled(receive(1, 1), 300, 1));
    EXPECT_EQ(hosts[1]->niu.peer(0).held, 0U);
    for (std::uint8_t i = 0; i < 8; ++i)
        EXPECT_TRUE(is_filled(receive(1, 0), 300, i));
    EXPECT_FALSE(receive(1, 0));
}

TEST_P(ChannelsTest, keeps_what_comes_before_a_channel_is_opened_and_drops_what_is_left_when_it_is_closed) {
    ASSERT_EQ(send(0, 1, 3, 10, 1), Status::kOk);
    ASSERT_EQ(send(0, 1, 3, 10, 2), Status::kOk);
    run(1ms);
    EXPECT_EQ(at(1).waiting(3), 0U);
    EXPECT_FALSE(at(1).receive(3));
    ASSERT_EQ(at(1).open(3), Status::kOk);
    const Buffer got = at(1).receive(3);
    EXPECT_TRUE(is_filled(got, 10, 1));
    EXPECT_EQ(at(1).close(3), Status::kOk);
    EXPECT_EQ(drops(1, Drop::kClosed), 1U);
    EXPECT_TRUE(is_filled(got, 10, 1));  // that is its user's
    ASSERT_EQ(at(1).open(3), Status::kOk);
    EXPECT_EQ(at(1).waiting(3), 0U);
}

TEST_P(ChannelsTest, says_who_has_which_channel) {
    EXPECT_EQ(at(0).open(2), Status::kOk);
    EXPECT_EQ(at(0).open(2), Status::kInUse);
    EXPECT_EQ(at(0).open(4), Status::kNoChannel);
    EXPECT_EQ(at(0).close(1), Status::kNotInUse);
    EXPECT_EQ(at(0).close(4), Status::kNoChannel);
    EXPECT_EQ(at(0).open_any(), 1);
    EXPECT_EQ(at(0).open_any(), 3);
    EXPECT_EQ(at(0).open_any(), std::nullopt);
    EXPECT_EQ(at(0).open(0), Status::kOk);
    EXPECT_EQ(at(0).close(3), Status::kOk);
    EXPECT_EQ(at(0).open_any(), 3);
}

TEST_P(ChannelsTest, says_why_a_message_cannot_go) {
    const Buffer buffer = at(0).buffer();
    EXPECT_EQ(at(0).send(1, 4, buffer, 10), Status::kNoChannel);
    EXPECT_EQ(at(0).send(1, 0, buffer, buffer.data().size() + 1), Status::kTooLarge);
    EXPECT_EQ(at(0).send(1, 0, buffer, at(0).max_size(1) + 1), Status::kTooLarge);
    hosts[2].reset();
    run(500ms);
    EXPECT_EQ(at(0).send(2, 0, buffer, 10), Status::kNotUp);
}

TEST_P(ChannelsTest, sends_to_itself_from_one_buffer_into_another) {
    ASSERT_EQ(at(0).open(1), Status::kOk);
    const Buffer sent = filled(0, 500, 1);
    for (Mode mode : {Mode::kDatagram, Mode::kReliable}) {
        ASSERT_EQ(at(0).send(0, 1, sent, 500, mode), Status::kOk);
        EXPECT_FALSE(at(0).busy(sent));
        const Buffer got = at(0).receive(1);
        EXPECT_TRUE(is_filled(got, 500, 1));
        EXPECT_EQ(got.source(), 0);
        EXPECT_EQ(at(0).send(1, 1, got, 500), Status::kOk);
    }
    run(1ms);
    for (unsigned i = 0; i < 8; ++i)
        EXPECT_EQ(at(0).send(0, 1, sent, 500, Mode::kReliable), Status::kOk);
    EXPECT_EQ(at(0).send(0, 1, sent, 500, Mode::kReliable), Status::kFull);
    EXPECT_EQ(drops(0, Drop::kFull), 0U);
    EXPECT_EQ(at(0).send(0, 1, sent, 500), Status::kOk);
    EXPECT_EQ(drops(0, Drop::kFull), 1U);
    run(1ms);
}

TEST_P(ChannelsTest, drops_and_counts_what_is_no_message_of_a_channel) {
    const auto say = [&](std::span<const std::byte> message) {
        ASSERT_TRUE(hosts[0]->niu.send(1, wire::Protocol::kChannel, message));
        run(100us);
    };
    std::array<std::byte, 12> message{};
    const auto header = std::span(message).first<wire::kChannelHeaderSize>();
    using wire::ChannelSubtype;
    say(std::span(message).first(7));
    EXPECT_EQ(drops(1, Drop::kMalformed), 1U);
    wire::encode_channel(header, {.type = 0x371});
    say(message);
    EXPECT_EQ(drops(1, Drop::kBadType), 1U);
    for (const unsigned subtype : {0U, 5U, 255U}) {
        wire::encode_channel(header, {.subtype = static_cast<ChannelSubtype>(subtype)});
        say(message);
    }
    EXPECT_EQ(drops(1, Drop::kBadSubtype), 3U);
    wire::encode_channel(header, {.channel = 4});
    say(message);
    EXPECT_EQ(drops(1, Drop::kBadChannel), 1U);
    for (const ChannelSubtype subtype : {ChannelSubtype::kAsk, ChannelSubtype::kGrant}) {
        wire::encode_channel(header, {.subtype = subtype});
        say(std::span(message).first(11));
    }
    EXPECT_EQ(drops(1, Drop::kMalformed), 3U);
    // More than a frame has, so in several fragments.
    const std::vector<std::byte> large(5000);
    ASSERT_TRUE(hosts[0]->niu.transfer(1, wire::Protocol::kChannel, large));
    run(1ms);
    EXPECT_EQ(drops(1, Drop::kMalformed), 7U);
    EXPECT_EQ(hosts[1]->niu.peer(0).held, 0U);
}

/// More buffers than the NIU takes messages.
class ManyBuffersTest : public HostsTest, public testing::WithParamInterface<Ways> {
  protected:
    ManyBuffersTest() {
        channel::Options many = kOptions;
        many.send_buffers = 300;
        start(GetParam(), many);
    }
};

INSTANTIATE_TEST_SUITE_P(links, ManyBuffersTest,
                         testing::Values(Ways{}, Ways{.lcore = true}, Ways{.in_process = true},
                                         Ways{.in_process = true, .lcore = true}));

TEST_P(ManyBuffersTest, are_given_back_with_a_message_that_has_no_room) {
    ASSERT_EQ(at(1).open(0), Status::kOk);
    std::size_t gone = 0;
    Buffer buffer = filled(0, 1000, 0);
    for (; at(0).send(1, 0, std::move(buffer), 1000) == Status::kOk; ++gone) {
        buffer = filled(0, 1000, static_cast<std::uint8_t>(gone + 1));
        ASSERT_TRUE(buffer);
    }
    ASSERT_TRUE(buffer);
    run(1ms);
    for (std::size_t i = 0; i < kOptions.slots; ++i)
        EXPECT_TRUE(is_filled(at(1).receive(0), 1000, static_cast<std::uint8_t>(i)));
    while (at(1).receive(0)) {
    }
    ASSERT_EQ(at(0).send(1, 0, std::move(buffer), 1000), Status::kOk);
    EXPECT_TRUE(is_filled(receive(1, 0), 1000, static_cast<std::uint8_t>(gone)));
}

/// What an lcore knows and has not told yet.
TEST_F(HostsTest, a_buffer_is_busy_until_its_node_knows_that_it_has_arrived) {
    start({.in_process = true, .lcore = true});
    ASSERT_EQ(at(1).open(0), Status::kOk);
    const Buffer buffer = filled(0, 1000, 1);
    ASSERT_EQ(at(0).send(1, 0, buffer, 1000), Status::kOk);
    for (int i = 0; i < 100 && !at(1).receive(0); ++i)
        run(5us);
    run_with(0, 500us, [this] { hosts[0]->niu.poll(now); });
    EXPECT_TRUE(at(0).busy(buffer));
    run(100us);
    EXPECT_FALSE(at(0).busy(buffer));
}

TEST_F(HostsTest, a_driver_that_keeps_packets_keeps_no_buffer_busy) {
    lazy_driver = true;
    start({});
    ASSERT_EQ(at(1).open(0), Status::kOk);
    Buffer buffer = filled(0, 1000, 0);
    for (std::uint8_t i = 0; i < 20; ++i) {
        std::fill_n(buffer.data().begin(), 1000, std::byte{i});
        ASSERT_EQ(at(0).send(1, 0, buffer, 1000), Status::kOk);
        EXPECT_TRUE(at(0).busy(buffer));
        EXPECT_TRUE(is_filled(receive(1, 0), 1000, i));
        run(1ms);
        EXPECT_FALSE(at(0).busy(buffer));
    }
}

TEST_F(HostsTest, buffers_to_a_node_that_dies_are_free_again) {
    for (const bool lcore : {false, true}) {
        start({.lcore = lcore});
        hosts[2].reset();
        std::vector<Buffer> sent;
        for (std::uint8_t i = 0; i < 4; ++i) {
            sent.push_back(filled(0, 1000, i));
            ASSERT_EQ(at(0).send(2, 0, sent.back(), 1000), Status::kOk);
        }
        run(500ms);
        EXPECT_EQ(at(0).pending(), 0U);
        sent.clear();
        for (auto& host : hosts)
            host.reset();
    }
}

TEST_F(HostsTest, tells_what_is_wrong_with_options) {
    start({});
    const auto complaint = [&](const channel::Options& options, std::size_t nodes = kNodes) -> std::string {
        try {
            const Channels channels(hosts[0]->direct, pool, 0, nodes, options);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(complaint({.channels = 0}).find("give 1 to 256"), std::string::npos);
    EXPECT_NE(complaint({.channels = 257}).find("give 1 to 256"), std::string::npos);
    EXPECT_NE(complaint({.slots = 0}).find("no slots"), std::string::npos);
    EXPECT_NE(complaint({.channels = 1, .slots = 4, .held = 4}, 10).find("each of 10 nodes"),
              std::string::npos);
    EXPECT_NE(complaint({.channels = 100}).find("raise packets="), std::string::npos);
}

}  // namespace isoplane::test
