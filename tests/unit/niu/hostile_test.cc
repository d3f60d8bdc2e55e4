// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "niu_test.hh"

namespace isoplane::test {

using wire::Header;

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
    EXPECT_EQ(b->counters().rejected[static_cast<std::size_t>(wire::Reject::kBadKey)].get(), 1U);
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

TEST_F(NiuTest, drops_fragments_that_continue_nothing) {
    meet();
    const wire::MessageHeader middle{Protocol::kNoniso, 0, 4, 100};
    wire::Header header{.kind = wire::Kind::kData,
                        .job_key = 0x1234,
                        .source = 0,
                        .destination = 1,
                        .epoch = 10,
                        .peer_epoch = 11};
    rte_mbuf* m = packet();
    auto* at = reinterpret_cast<std::byte*>(rte_pktmbuf_append(m, 14 + 48 + 12));
    wire::encode_ethernet(std::span<std::byte, 14>(at, 14), {}, {}, wire::kDefaultEtherType);
    wire::encode_message(std::span<std::byte, 8>(at + 62, 8), middle);
    wire::encode_frame(std::span<std::byte, 48>(at + 14, 48), header, {at + 62, 12});
    to_b.output().send(&m, 1);
    b->poll(now);
    EXPECT_FALSE(b->receive(received));
    EXPECT_EQ(b->counters().broken_message.get(), 1U);
    EXPECT_EQ(b->peer(0).held, 0U);
}

}  // namespace isoplane::test
