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

}  // namespace isoplane::test
