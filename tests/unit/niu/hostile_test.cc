// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/wire/hello.hh>

#include "niu_test.hh"

namespace isoplane::test {

using wire::Header;

/// Somebody with the job's key, who presents himself to b as node a in an epoch of his own.
class ForgedHello : public NiuTest {
  protected:
    void forge_hello(std::uint32_t epoch, wire::Kind kind = wire::Kind::kHello, std::uint16_t of_b = 11,
                     std::size_t mtu = 1500) {
        std::array<std::byte, wire::kHelloSize + wire::kMaxNameSize> hello{};
        const std::size_t size =
            wire::encode_hello(hello, {.mtu = static_cast<std::uint16_t>(mtu), .credit = 16, .name = "a"});
        Header header{.kind = kind,
                      .job_key = 0x1234,
                      .source = 0,
                      .destination = 1,
                      .epoch = epoch,
                      .peer_epoch = of_b};
        put(header, std::span(hello).first(size), {kForger.mac, kA.ip});
    }
    void expect_talk() {
        ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(7)));
        run(1ms);
        ASSERT_TRUE(b->receive(received));
        EXPECT_EQ(received.size, 7U);
        b->release(received);
    }
};

TEST_F(ForgedHello, of_a_later_epoch_does_not_displace_a_peer_that_answers) {
    meet();
    for (std::uint32_t i = 0; i < 50; ++i) {
        forge_hello(1000 + i, i % 2 == 0 ? wire::Kind::kHello : wire::Kind::kHelloAck);
        run(i * 200us);
        ASSERT_EQ(b->state(0), PeerState::kUp);
    }
    EXPECT_EQ(b->peer(0).epoch, 10U);
    EXPECT_EQ(b->counters().peers_lost.get(), 0U);
    EXPECT_EQ(b->counters().doubted.get(), 50U);
    expect_talk();
}

TEST_F(ForgedHello, of_the_epoch_of_a_peer_that_is_up_does_not_move_it_to_another_address) {
    meet();
    const auto mac = b->peer(0).mac;
    forge_hello(10);
    forge_hello(10, wire::Kind::kHelloAck);
    run(1ms);
    EXPECT_EQ(b->peer(0).mac, mac);
    EXPECT_EQ(rejected_by_b(wire::Reject::kBadSource), 2U);
    EXPECT_EQ(b->counters().doubted.get(), 0U);
    expect_talk();
}

TEST_F(ForgedHello, of_the_epoch_of_a_peer_that_is_not_up_yet_is_forgotten_when_that_speaks) {
    forge_hello(10);
    b->poll(now);
    EXPECT_EQ(b->state(0), PeerState::kUp);  // it names our epoch
    start();
    forge_hello(10, wire::Kind::kHello, 0);
    b->poll(now);
    EXPECT_EQ(b->state(0), PeerState::kHeard);
    run(20ms);
    ASSERT_EQ(b->state(0), PeerState::kUp);
    expect_talk();
}

TEST_F(NiuTest, takes_no_frames_of_a_peer_from_another_address) {
    meet();
    for (const wire::Kind kind :
         {wire::Kind::kData, wire::Kind::kAck, wire::Kind::kCreditRequest, wire::Kind::kBye})
        forge([&](Header& header) { header.kind = kind; }, kForger);
    run(1ms);
    EXPECT_FALSE(b->receive(received));
    EXPECT_EQ(rejected_by_b(wire::Reject::kBadSource), 4U);
    EXPECT_FALSE(b->peer(0).bye_received);
    ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(7)));
    run(1ms);
    ASSERT_TRUE(b->receive(received));
    b->release(received);
}

TEST_F(ForgedHello, does_not_displace_a_peer_that_has_long_been_idle) {
    meet();
    run(5s, 100us);
    forge_hello(1000);
    run(1s, 100us);
    EXPECT_EQ(b->peer(0).epoch, 10U);
    expect_talk();
}

TEST_F(ForgedHello, that_was_answered_does_not_make_a_later_silence_count) {
    meet();
    forge_hello(1000);
    run(100ms);
    for (const Time end = now + 1s; now < end; now += 100us) {
        b->poll(now);
        to_a.drain();
    }
    EXPECT_EQ(b->state(0), PeerState::kUp);
    expect_talk();
}

/// Also while the two find each other; then by somebody who has not seen a frame of b, whose epoch it would
/// have to name.
TEST_F(ForgedHello, shuts_nobody_out_whenever_it_comes) {
    for (Duration before{0}; before < 150us; before += 5us) {
        start();
        to_a.drain();
        to_b.drain();
        run(before);
        forge_hello(1000, wire::Kind::kHello, 0);
        run(50ms);
        EXPECT_EQ(a->state(1), PeerState::kUp) << before.count();
        EXPECT_EQ(b->state(0), PeerState::kUp) << before.count();
        expect_talk();
    }
}

/// Who sends small messages counts on there being room for them.
TEST_F(ForgedHello, of_a_link_that_is_too_small_for_any_message_is_not_believed) {
    const std::size_t least = wire::kMinMtu + extra();
    forge_hello(10, wire::Kind::kHello, 11, least - 1);
    b->poll(now);
    EXPECT_EQ(b->state(0), PeerState::kUnknown);
    forge_hello(10, wire::Kind::kHello, 11, least);
    b->poll(now);
    EXPECT_EQ(b->state(0), PeerState::kUp);
}

TEST_F(NiuTest, takes_a_frame_that_is_right_in_all) {
    meet();
    forge([](Header&) {});
    ASSERT_TRUE(b->receive(received));
    b->release(received);
}

TEST_F(NiuTest, refuses_another_jobs_key) {
    meet();
    forge([](Header& h) { h.job_key = 1; });
    EXPECT_FALSE(b->receive(received));
    EXPECT_EQ(rejected_by_b(wire::Reject::kBadKey), 1U);
}

TEST_F(NiuTest, refuses_another_epoch_of_either_side) {
    meet();
    forge([](Header& h) { h.epoch = 9; });
    forge([](Header& h) { h.epoch = 11; });
    forge([](Header& h) { h.peer_epoch = 10; });
    forge([](Header& h) { h.peer_epoch = 0; });
    EXPECT_FALSE(b->receive(received));
    EXPECT_EQ(b->counters().stale_epoch.get(), 4U);
}

TEST_F(NiuTest, refuses_sequence_numbers_that_are_stale_or_not_granted) {
    meet();
    forge([](Header& h) { h.sequence = 0xfffffff0; });
    forge([](Header& h) { h.sequence = 16; });
    forge([](Header& h) { h.sequence = 0x7fffffff; });
    EXPECT_FALSE(b->receive(received));
    EXPECT_EQ(b->counters().duplicates.get(), 1U);
    EXPECT_EQ(b->counters().beyond_credit.get(), 2U);
    EXPECT_EQ(b->peer(0).in.early(), 0U);
}

TEST_F(NiuTest, does_not_let_go_of_a_frame_for_an_acknowledgement_that_cannot_be) {
    meet();
    ASSERT_TRUE(b->send(0, Protocol::kNoniso, bytes(10)));
    b->poll(now);
    forge([](Header& h) {
        h.kind = wire::Kind::kAck;
        h.ack = 1000;
    });
    EXPECT_EQ(b->counters().impossible_ack.get(), 1U);
    EXPECT_EQ(b->peer(0).out.size(), 1U);
}

TEST_F(NiuTest, refuses_frames_of_a_peer_that_has_not_presented_itself) {
    forge([](Header&) {});
    EXPECT_FALSE(b->receive(received));
    EXPECT_EQ(b->counters().stale_epoch.get(), 1U);
}

TEST_F(NiuTest, refuses_damage_and_what_is_not_of_the_job) {
    meet();
    forge([](Header& h) { h.source = 5; });
    forge([](Header& h) { h.source = 1; });
    forge([](Header& h) { h.destination = 0; });
    EXPECT_FALSE(b->receive(received));
    EXPECT_EQ(b->counters().frames_received.get(), 0U);
}

/// A body that is none, in a frame that is right otherwise.
TEST_F(NiuTest, counts_a_damaged_frame_once_and_answers_it_only_if_it_was_here_before) {
    meet();
    ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(10)));
    run(1ms);
    const std::array<std::byte, 3> nonsense{};
    const auto damaged = [&](Header header, const Sender& from) {
        const std::uint64_t before = b->counters().acks_sent.get();
        put(header, nonsense, from);
        b->poll(now);
        b->poll(now);
        return b->counters().acks_sent.get() - before;
    };
    Header repeated = header_of_a();
    Header next = header_of_a();
    next.sequence = 1;
    Header stale = header_of_a();
    stale.epoch = 9;
    EXPECT_EQ(damaged(repeated, kA), 1U);
    EXPECT_EQ(damaged(next, kA), 0U);
    EXPECT_EQ(damaged(stale, kA), 0U);
    EXPECT_EQ(damaged(repeated, kForger), 0U);
    EXPECT_EQ(rejected_by_b(wire::Reject::kBadBody), 4U);
    EXPECT_EQ(rejected_by_b(wire::Reject::kBadSource), 0U);
    EXPECT_EQ(b->counters().stale_epoch.get(), 0U);
    ASSERT_TRUE(b->receive(received));
    b->release(received);
}

TEST_F(NiuTest, drops_fragments_that_continue_nothing) {
    meet();
    const wire::MessageHeader middle{Protocol::kNoniso, 0, 4, 100};
    std::array<std::byte, wire::kMessageHeaderSize + 4> message{};
    wire::encode_message(std::span(message).first<wire::kMessageHeaderSize>(), middle);
    put(header_of_a(), message);
    b->poll(now);
    EXPECT_FALSE(b->receive(received));
    EXPECT_EQ(b->counters().broken_message.get(), 1U);
    EXPECT_EQ(b->peer(0).held, 0U);
}

}  // namespace isoplane::test
