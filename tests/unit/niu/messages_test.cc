// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/niu/copy_words.hh>

#include "niu_test.hh"

namespace isoplane::test {

TEST_F(NiuTest, delivers_a_message_at_the_address_it_was_written_to) {
    meet();
    const niu::SendBuffer room = a->buffer(1, Protocol::kNoniso, 64);
    ASSERT_TRUE(room);
    const auto content = bytes(64);
    std::copy(content.begin(), content.end(), room.data.begin());
    a->send(room);
    a->poll(now);
    b->poll(now);
    ASSERT_TRUE(b->receive(received));
    EXPECT_EQ(received.data.data(), room.data.data());
    EXPECT_EQ(copy_of(received), content);
    EXPECT_EQ(received.source, 0);
    EXPECT_EQ(received.protocol, Protocol::kNoniso);
    EXPECT_TRUE(received.whole());
    EXPECT_EQ(a->counters().copied_bytes.get() + b->counters().copied_bytes.get(), 0U);
    b->release(received);
}

TEST_F(NiuTest, what_is_flushed_does_not_wait_for_the_next_poll) {
    meet();
    const std::uint64_t before = a->counters().frames_sent.get();
    a->flush();
    EXPECT_EQ(a->counters().frames_sent.get(), before);
    ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(20)));
    a->flush();
    EXPECT_EQ(a->counters().frames_sent.get(), before + 1);
    b->poll(now);
    ASSERT_TRUE(b->receive(received));
    EXPECT_EQ(copy_of(received), bytes(20));
    b->release(received);
}

TEST(CopyWords, copies_any_number_of_bytes_and_no_more) {
    std::vector<std::byte> from(80);
    for (std::size_t i = 0; i < from.size(); ++i)
        from[i] = static_cast<std::byte>(i + 1);
    for (std::size_t begin = 0; begin < 8; ++begin) {
        for (std::size_t size = 0; size <= 64; ++size) {
            std::vector<std::byte> to(size + 1);
            niu::copy_words(to.data(), std::span(from).subspan(begin, size));
            EXPECT_TRUE(
                std::equal(to.begin(), to.end() - 1, from.begin() + static_cast<std::ptrdiff_t>(begin)));
            EXPECT_EQ(to.back(), std::byte{0});
        }
    }
}

TEST_F(NiuTest, aligns_the_first_message_of_a_frame) {
    meet();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a->buffer(1, Protocol::kNoniso, 8).data.data()) % 8, 0U);
}

TEST_F(NiuTest, lets_small_messages_share_a_frame) {
    meet();
    for (unsigned i = 0; i < 10; ++i)
        ASSERT_TRUE(a->send(1, Protocol::kActive, bytes(i, i)));
    a->poll(now);
    EXPECT_EQ(a->counters().frames_sent.get(), 1U);
    b->poll(now);
    for (unsigned i = 0; i < 10; ++i) {
        ASSERT_TRUE(b->receive(received));
        EXPECT_EQ(copy_of(received), bytes(i, i));
        b->release(received);
    }
    EXPECT_FALSE(b->receive(received));
}

TEST_F(NiuTest, says_of_a_message_whether_it_is_alone_in_its_packet) {
    meet();
    for (const unsigned messages : {1U, 2U, 3U, 1U}) {
        for (unsigned i = 0; i < messages; ++i)
            ASSERT_TRUE(a->send(1, Protocol::kActive, bytes(20, i)));
        a->poll(now);
        b->poll(now);
        for (unsigned i = 0; i < messages; ++i) {
            ASSERT_TRUE(b->receive(received));
            EXPECT_EQ(received.alone, messages == 1) << i << " of " << messages;
            b->release(received);
        }
        EXPECT_FALSE(b->receive(received));
    }
}

/// Large ones have their checksum on the way into the frame, small ones when it leaves: it is that of all.
TEST_F(NiuTest, lets_large_and_small_messages_share_a_frame_in_any_order) {
    const std::vector<std::vector<std::size_t>> frames{
        {300, 5, 300, 7, 0, 256, 255}, {3, 1, 257, 400}, {700, 700}, {1}, {256}};
    for (const bool trust_fcs : {false, true}) {
        niu::Options of_a = options(0);
        niu::Options of_b = options(1);
        of_a.trust_fcs = of_b.trust_fcs = trust_fcs;
        start(of_a, of_b);
        meet();
        for (const auto& sizes : frames) {
            const std::uint64_t sent = a->counters().frames_sent.get();
            for (const std::size_t size : sizes)
                ASSERT_TRUE(a->send(1, Protocol::kActive, bytes(size, static_cast<unsigned>(size))));
            a->poll(now);
            EXPECT_EQ(a->counters().frames_sent.get(), sent + 1);
            b->poll(now);
            for (const std::size_t size : sizes) {
                ASSERT_TRUE(b->receive(received));
                EXPECT_EQ(copy_of(received), bytes(size, static_cast<unsigned>(size)));
                b->release(received);
            }
            run(100us);
        }
    }
}

TEST_F(NiuTest, copies_the_end_of_a_message_behind_what_was_written) {
    meet();
    for (const std::size_t rest : std::initializer_list<std::size_t>{0, 1, 255, 256, 1000}) {
        const auto content = bytes(40 + rest);
        const niu::SendBuffer room = a->buffer(1, Protocol::kNoniso, content.size());
        ASSERT_TRUE(room);
        std::copy_n(content.begin(), 40, room.data.begin());
        a->send(room, std::span(content).subspan(40));
        a->poll(now);
        b->poll(now);
        ASSERT_TRUE(b->receive(received));
        EXPECT_EQ(copy_of(received), content);
        b->release(received);
        run(100us);
    }
}

TEST_F(NiuTest, sends_a_frame_for_each_message_if_told_so) {
    niu::Options of_a = options(0);
    of_a.coalesce = false;
    start(of_a, options(1));
    meet();
    for (unsigned i = 0; i < 10; ++i)
        ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(i)));
    a->poll(now);
    EXPECT_EQ(a->counters().frames_sent.get(), 10U);
}

TEST_F(NiuTest, sends_the_part_of_a_buffer_that_was_used) {
    meet();
    niu::SendBuffer room = a->buffer(1, Protocol::kNoniso, 1000);
    room.data = room.data.first(3);
    a->send(room);
    a->poll(now);
    b->poll(now);
    ASSERT_TRUE(b->receive(received));
    EXPECT_EQ(received.size, 3U);
    b->release(received);
}

TEST_F(NiuTest, forgets_a_buffer_that_is_not_sent) {
    meet();
    ASSERT_TRUE(a->buffer(1, Protocol::kNoniso, 10));
    run(100us);
    EXPECT_EQ(a->counters().frames_sent.get(), 0U);
    EXPECT_FALSE(b->receive(received));
}

TEST_F(NiuTest, carries_a_message_of_the_largest_size_that_fits_and_offers_no_more) {
    meet();
    const std::size_t most = a->max_message(1);
    EXPECT_EQ(most, 1500U - extra() - 48 - 8);
    EXPECT_FALSE(a->buffer(1, Protocol::kNoniso, most + 1));
    ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(most)));
    run(20us);
    ASSERT_TRUE(b->receive(received));
    EXPECT_EQ(copy_of(received), bytes(most));
    b->release(received);
}

TEST_F(NiuTest, carries_a_message_of_many_windows_in_fragments_and_the_next_after_it) {
    meet();
    const auto large = bytes(1'000'000);
    ASSERT_TRUE(a->transfer(1, Protocol::kPortals, large));
    EXPECT_TRUE(a->transferring(1));
    EXPECT_FALSE(a->buffer(1, Protocol::kPortals, 1));
    std::vector<std::byte> got(large.size());
    std::size_t have = 0;
    for (int i = 0; i < 10'000 && have < got.size(); ++i) {
        run(5us);
        while (b->receive(received)) {
            ASSERT_EQ(received.size, large.size());
            ASSERT_EQ(received.offset, have);
            std::copy(received.data.begin(), received.data.end(), got.begin() + received.offset);
            have += received.data.size();
            b->release(received);
        }
    }
    EXPECT_EQ(got, large);
    EXPECT_FALSE(a->transferring(1));
    EXPECT_TRUE(a->send(1, Protocol::kPortals, bytes(1)));
    run(20us);
    ASSERT_TRUE(b->receive(received));
    EXPECT_TRUE(received.whole());
    b->release(received);
}

TEST_F(NiuTest, keeps_small_messages_behind_a_large_one_that_was_sent_before) {
    meet();
    const auto large = bytes(50'000);
    ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(1)));
    ASSERT_TRUE(a->buffer(1, Protocol::kNoniso, 1));  // never sent
    ASSERT_TRUE(a->transfer(1, Protocol::kNoniso, large));
    EXPECT_FALSE(a->send(1, Protocol::kNoniso, bytes(2)));
    std::vector<std::uint32_t> sizes;
    const auto receive = [&] {
        run(50us);
        for (; b->receive(received); b->release(received)) {
            if (sizes.empty() || sizes.back() != received.size) sizes.push_back(received.size);
        }
    };
    for (int i = 0; i < 100 && a->transferring(1); ++i)
        receive();
    receive();
    ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(2)));
    receive();
    EXPECT_EQ(sizes, (std::vector<std::uint32_t>{1, 50'000, 2}));
}

TEST_F(NiuTest, takes_the_next_large_message_as_soon_as_the_last_is_in_frames) {
    meet();
    const auto large = bytes(5000);
    ASSERT_TRUE(a->transfer(1, Protocol::kNoniso, large));
    EXPECT_FALSE(a->transferring(1)) << "its frames fit the window";
    ASSERT_TRUE(a->transfer(1, Protocol::kNoniso, large));
    ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(2)));
    run(20us);
    std::vector<std::uint32_t> offsets;
    for (; b->receive(received); b->release(received))
        offsets.push_back(received.offset);
    const auto most = static_cast<std::uint32_t>(a->max_message(1));
    EXPECT_EQ(offsets,
              (std::vector<std::uint32_t>{0, most, 2 * most, 3 * most, 0, most, 2 * most, 3 * most, 0}));
}

TEST_F(NiuTest, offers_no_room_when_the_credit_is_used_up_and_again_when_it_returns) {
    meet();
    std::vector<niu::Received> kept;
    for (int i = 0; i < kOrdinaryFrames; ++i) {
        ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(1400)));
        run(30us);
        ASSERT_TRUE(b->receive(received));
        kept.push_back(received);
    }
    EXPECT_FALSE(b->receive(received));
    EXPECT_FALSE(a->send(1, Protocol::kNoniso, bytes(1)));
    run(10ms);
    EXPECT_FALSE(a->send(1, Protocol::kNoniso, bytes(1)));
    for (auto last = kept.rbegin(); last != kept.rend(); ++last)
        b->release(*last);
    run(100us);
    EXPECT_TRUE(a->send(1, Protocol::kNoniso, bytes(1)));
}

TEST_F(NiuTest, sends_urgent_messages_when_the_credit_of_others_is_used_up) {
    meet();
    for (int i = 0; i < kOrdinaryFrames; ++i) {
        ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(1400)));
        run(30us);
    }
    ASSERT_FALSE(a->send(1, Protocol::kNoniso, bytes(1)));
    for (int i = kOrdinaryFrames; i < 16; ++i) {
        const niu::SendBuffer room = a->buffer(1, Protocol::kControl, 1, niu::Urgency::kUrgent);
        ASSERT_TRUE(room);
        a->send(room);
        run(30us);
    }
    EXPECT_FALSE(a->buffer(1, Protocol::kControl, 1, niu::Urgency::kUrgent));
    for (int i = 0; i < 16; ++i) {
        ASSERT_TRUE(b->receive(received));
        EXPECT_EQ(received.protocol, i < kOrdinaryFrames ? Protocol::kNoniso : Protocol::kControl);
        b->release(received);
    }
}

TEST_F(NiuTest, sends_urgent_messages_for_ever_while_others_are_not_released) {
    meet();
    std::vector<niu::Received> ordinary;
    const auto receive = [&] {
        unsigned urgent = 0;
        for (; b->receive(received);) {
            if (received.protocol == Protocol::kNoniso) {
                ordinary.push_back(received);
                continue;
            }
            ++urgent;
            b->release(received);
        }
        return urgent;
    };
    for (int i = 0; i < kOrdinaryFrames; ++i) {
        ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(1400)));
        run(30us);
        receive();
    }
    for (int i = 0; i < 100; ++i) {
        const niu::SendBuffer room = a->buffer(1, Protocol::kControl, 1, niu::Urgency::kUrgent);
        ASSERT_TRUE(room) << i;
        a->send(room);
        ASSERT_FALSE(a->send(1, Protocol::kNoniso, bytes(1))) << "it would keep what is for urgent ones";
        run(200us);
        ASSERT_EQ(receive(), 1U);
    }
    EXPECT_EQ(ordinary.size(), kOrdinaryFrames);
    for (const niu::Received& message : ordinary)
        b->release(message);
    run(1ms);
    EXPECT_TRUE(a->send(1, Protocol::kNoniso, bytes(1)));
}

TEST_F(NiuTest, sends_the_packet_that_a_message_was_written_into) {
    meet();
    const auto message = bytes(1000);
    runtime::Packet held = niu_pool().packet();
    runtime::Packet packet = niu_pool().packet();
    auto* at = reinterpret_cast<std::byte*>(rte_pktmbuf_append(packet.get(), 1000));
    std::copy(message.begin(), message.end(), at);
    const std::uint64_t copied = a->counters().copied_bytes.get();
    ASSERT_TRUE(a->send(1, Protocol::kNoniso, packet));
    EXPECT_FALSE(packet);
    run(20us);
    ASSERT_TRUE(b->receive(received));
    EXPECT_EQ(received.data.data(), at);
    EXPECT_EQ(copy_of(received), message);
    EXPECT_EQ(a->counters().copied_bytes.get(), copied);
    b->release(received);
    run(1ms);
}

TEST_F(NiuTest, lets_a_small_packet_share_a_frame_in_its_turn) {
    meet();
    for (unsigned i = 0; i < 3; ++i) {
        runtime::Packet packet = niu_pool().packet();
        const auto message = bytes(i == 1 ? 1000 : 10, i);
        std::copy(message.begin(), message.end(),
                  reinterpret_cast<std::byte*>(
                      rte_pktmbuf_append(packet.get(), static_cast<std::uint16_t>(message.size()))));
        ASSERT_TRUE(a->send(1, Protocol::kNoniso, packet));
    }
    run(20us);
    for (unsigned i = 0; i < 3; ++i) {
        ASSERT_TRUE(b->receive(received));
        EXPECT_EQ(copy_of(received), bytes(i == 1 ? 1000 : 10, i));
        b->release(received);
    }
    // The large one begins a frame, and what it leaves of it the last small one takes.
    EXPECT_EQ(a->counters().frames_sent.get(), 2U);
    run(1ms);
}

TEST_F(NiuTest, keeps_the_packet_when_it_cannot_be_sent) {
    runtime::Packet packet = niu_pool().packet();
    rte_pktmbuf_append(packet.get(), 1000);
    EXPECT_FALSE(a->send(1, Protocol::kNoniso, packet));
    EXPECT_TRUE(packet);
}

TEST_F(NiuTest, asks_for_credit_when_the_update_was_lost) {
    meet();
    for (int i = 0; i < kOrdinaryFrames; ++i) {
        ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(1400)));
        run(30us);
    }
    while (b->receive(received))
        b->release(received);
    b->poll(now);
    ASSERT_GT(to_a.drain(), 0U);
    EXPECT_FALSE(a->send(1, Protocol::kNoniso, bytes(1)));
    run(20ms);
    EXPECT_GE(a->counters().requests_sent.get(), 1U);
    EXPECT_TRUE(a->send(1, Protocol::kNoniso, bytes(1)));
}

TEST_F(NiuTest, sends_again_without_a_copy_what_nobody_else_holds) {
    meet();
    ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(100)));
    const std::uint64_t copied = a->counters().copied_bytes.get();
    a->poll(now);
    ASSERT_EQ(to_b.drain(), 1U);
    run(10ms);
    EXPECT_GE(a->counters().resent_timeout.get(), 1U);
    EXPECT_EQ(a->counters().copied_bytes.get(), copied);
    ASSERT_TRUE(b->receive(received));
    EXPECT_EQ(copy_of(received), bytes(100));
    b->release(received);
}

TEST_F(NiuTest, waits_no_longer_than_at_first_once_it_is_heard_again) {
    meet();
    for (int i = 0; i < 2; ++i)
        ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(1400)));
    for (const Time end = now + 1s; now < end; now += 50us) {
        a->poll(now);
        to_b.drain();
    }
    ASSERT_EQ(a->peer(1).rtt.timeout(), niu::TimeoutLimits{}.most);
    for (; !b->receive(received); now += 50us) {
        a->poll(now);
        b->poll(now);
    }
    b->release(received);
    // What is sent again when that is acknowledged is lost, too.
    for (; a->peer(1).out.size() == 2; now += 5us) {
        b->poll(now);
        a->poll(now);
        to_b.drain();
    }
    const std::uint64_t before = a->counters().resent_timeout.get();
    for (const Time end = now + 10ms; now < end; now += 5us) {
        a->poll(now);
        to_b.drain();
    }
    EXPECT_GT(a->counters().resent_timeout.get(), before);
    run(200ms);
    ASSERT_TRUE(b->receive(received));
    b->release(received);
}

TEST_F(NiuTest, sends_a_copy_of_what_the_receiver_may_be_reading) {
    meet();
    ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(100)));
    a->poll(now);
    b->poll(now);
    ASSERT_TRUE(b->receive(received));
    for (const Time end = now + 20ms; now < end; now += 5us)
        a->poll(now);
    EXPECT_GE(a->counters().resent_timeout.get(), 1U);
    EXPECT_GE(a->counters().copied_bytes.get(), 200U);
    EXPECT_EQ(copy_of(received), bytes(100));
    run(1ms);
    EXPECT_GE(b->counters().duplicates.get(), 1U);
    EXPECT_EQ(a->peer(1).out.size(), 0U);
    b->release(received);
}

/// The same where packets are handed over, as on a link within the process.
class NiuInProcessTest : public NiuTest {
  protected:
    NiuInProcessTest() {
        std::array<niu::Options, 2> both{options(0), options(1)};
        for (niu::Options& each : both)
            each.in_process = true;
        start(both[0], both[1]);
    }
    void write_over() {
        const auto data = received.data;
        std::fill_n(const_cast<std::byte*>(data.data()), data.size(), std::byte{0xee});
    }
};

TEST_F(NiuInProcessTest, asks_about_what_the_receiver_has_and_does_not_send_it_again) {
    meet();
    ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(100)));
    const std::uint64_t copied = a->counters().copied_bytes.get();
    a->poll(now);
    b->poll(now);
    ASSERT_TRUE(b->receive(received));
    write_over();
    for (const Time end = now + 20ms; now < end; now += 5us)
        a->poll(now);
    EXPECT_EQ(a->counters().resent_timeout.get(), 0U);
    EXPECT_EQ(a->counters().copied_bytes.get(), copied);
    EXPECT_GE(a->counters().requests_sent.get(), 1U);
    run(1ms);
    EXPECT_EQ(b->counters().duplicates.get(), 0U);
    EXPECT_EQ(a->peer(1).out.size(), 0U);
    b->release(received);
}

TEST_F(NiuInProcessTest, sends_again_what_was_lost_though_the_user_who_gave_it_still_has_it) {
    meet();
    rte_mbuf* const kept = packet();
    const auto content = bytes(1000);
    std::copy(content.begin(), content.end(), reinterpret_cast<std::byte*>(rte_pktmbuf_append(kept, 1000)));
    rte_mbuf_refcnt_update(kept, 1);
    runtime::Packet given(kept);
    ASSERT_TRUE(a->send(1, Protocol::kNoniso, given));
    a->poll(now);
    ASSERT_EQ(to_b.drain(), 1U);
    run(20ms);
    EXPECT_GE(a->counters().requests_sent.get(), 1U);
    EXPECT_GE(a->counters().resent_timeout.get(), 1U);
    ASSERT_TRUE(b->receive(received));
    EXPECT_EQ(copy_of(received), content);
    b->release(received);
    rte_pktmbuf_free(kept);
}

TEST_F(NiuInProcessTest, answers_what_comes_again_though_its_receiver_has_changed_it) {
    meet();
    ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(1000)));
    a->poll(now);
    b->poll(now);
    ASSERT_TRUE(b->receive(received));
    write_over();
    b->release(received);
    for (const Time end = now + 1ms; now < end; now += 5us)
        b->poll(now);
    ASSERT_GE(to_a.drain(), 1U) << "the acknowledgement was to be lost";
    run(20ms);
    EXPECT_GE(a->counters().resent_timeout.get(), 1U);
    EXPECT_GE(rejected_by_b(wire::Reject::kBadPayloadCrc), 1U);
    EXPECT_EQ(a->peer(1).out.size(), 0U);
    EXPECT_FALSE(b->receive(received));
}

TEST_F(NiuTest, acknowledges_many_frames_at_once) {
    meet();
    const std::uint64_t before = b->counters().acks_sent.get();
    for (int i = 0; i < 8; ++i)
        ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(1400)));
    run(200us);
    EXPECT_EQ(b->counters().acks_sent.get(), before + 1);
    EXPECT_EQ(a->peer(1).out.size(), 0U);
    while (b->receive(received))
        b->release(received);
}

TEST_F(NiuTest, leaves_a_part_of_the_pool_free_whatever_is_sent_and_granted) {
    runtime::Pool small("unit_niu_small", 15, runtime::Pool::kDefaultRoom, 0);
    a = std::make_unique<niu::Niu>("a", to_a.input(), to_b.output(), small, options(0));
    meet();
    unsigned sent = 0;
    while (a->send(1, Protocol::kNoniso, bytes(1400)))
        ++sent;
    EXPECT_EQ(sent, 5U);
    EXPECT_EQ(b->peer(0).allowance.limit(), 5U);
    run(100us);
    EXPECT_TRUE(a->send(1, Protocol::kNoniso, bytes(1400)));
    run(100us);
    while (b->receive(received))
        b->release(received);
    a.reset();
    to_b.drain();
    EXPECT_EQ(small.in_use(), 0U);
}

}  // namespace isoplane::test
