// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// A node that says to a NAL what no NAL would.
#include "nal_test.hh"

namespace isoplane::test {

/// It has room for the beginning of a message, and for none of its data.
TEST_F(NalTest, speaks_to_a_node_with_the_smallest_link_that_may_be) {
    start(wire::kMinMtu);
    put(1000);
    const std::vector<std::byte> begin = hear();
    ASSERT_TRUE(wire::is_portals_message(begin));
    EXPECT_EQ(wire::portals_begin_layout::Length::get(begin.data()), 1000U);
    release();
    pull(source_of(begin), 1000);
    EXPECT_EQ(hear_what_it_was(), 1000U);
}

/// Who says that he is done with data which he has asked for gets it as it was, whatever it is now.
TEST_F(NalTest, reads_no_memory_that_it_has_given_back_to_who_is_done_early) {
    start();
    put(20'000);
    const std::vector<std::byte> begin = hear();
    ASSERT_TRUE(wire::is_portals_message(begin));
    pull(source_of(begin), 20'000);
    for (unsigned i = 0; i < kWindow; ++i)
        hear();
    say_done(source_of(begin));
    run(200us);
    EXPECT_EQ(take_memory_back(), end_of(EventKind::kSendStart));
    release();
    EXPECT_GT(hear_what_it_was(), 0U);
}

/// The same of who leaves.
TEST_F(NalTest, reads_no_memory_that_it_has_given_back_as_its_receiver_left) {
    start();
    put(20'000);
    const std::vector<std::byte> begin = hear();
    ASSERT_TRUE(wire::is_portals_message(begin));
    pull(source_of(begin), 20'000);
    for (unsigned i = 0; i < kWindow; ++i)
        hear();
    other_->leave();
    run(200us);
    EXPECT_EQ(take_memory_back(), end_of(EventKind::kSendStart));
    release();
    hear_what_it_was();
}

/// None of ours has more than a few pulls that are not answered.
TEST_F(NalTest, owes_few_slices_to_who_pulls_again_and_again_and_takes_none) {
    start();
    put(20'000);
    const std::vector<std::byte> begin = hear();
    ASSERT_TRUE(wire::is_portals_message(begin));
    constexpr unsigned kPulls = 300;
    for (unsigned i = 0; i < kPulls; ++i, run(200us))
        pull(source_of(begin), 1000);
    const std::uint64_t refused = nal_->counters().malformed.get();
    EXPECT_GT(refused, 0U);
    EXPECT_LE(kPulls - refused, niu_->options().transfers + nal::OverNiuOptions{}.ahead + kWindow);
    EXPECT_EQ(hear_what_it_was(), 1000 * (kPulls - refused));
    pull(source_of(begin), 20'000);
    EXPECT_EQ(hear_what_it_was(), 20'000U) << "who takes what is owed may ask again";
}

/// Answers withhold no credit, or nobody could answer: but their rest that waits is that of a source, of
/// which no node has more than so many.
TEST_F(NalTest, says_done_of_so_many_answers_as_there_can_be_to_who_hears_nothing) {
    start();
    constexpr std::uint32_t kAnswers = kMostObjects + 1000;
    std::uint32_t number = 0;
    const auto answer = [&] {
        std::vector<std::byte> message =
            request(MessageType::kReply, number, 20'000, wire::kPortalsRestWaits);
        wire::portals_more_layout::Moved::put(message.data() + wire::kPortalsBeginSize, 20'000);
        return other_->send(0, Protocol::kPortals, message);
    };
    for (; number < kAnswers; run(5us))
        while (number < kAnswers && answer())
            ++number;
    run(1ms);
    EXPECT_EQ(nal_->counters().arrived.get(), kAnswers);
    EXPECT_GT(nal_->counters().malformed.get(), 0U);
}

}  // namespace isoplane::test
