// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/niu/ahead.hh>

namespace isoplane::niu {

TEST(Ahead, leaves_the_frames_that_went_ahead_out_of_the_numbers) {
    Ahead ahead;
    ahead.add(10);
    ahead.add(12);
    EXPECT_EQ(ahead.number(9), 9U);
    EXPECT_EQ(ahead.number(11), 10U);
    EXPECT_EQ(ahead.number(13), 11U);
    ahead.take_back(12);
    EXPECT_EQ(ahead.number(13), 12U);
}

TEST(Ahead, numbers_what_comes_as_before_whatever_has_passed) {
    Ahead ahead;
    ahead.add(10);
    ahead.add(12);
    for (const Sequence first : {10U, 11U, 12U, 13U}) {
        ahead.pass(first);
        EXPECT_EQ(ahead.number(13), 11U);
    }
    ahead.add(20);
    EXPECT_EQ(ahead.number(21), 18U);
}

/// What is far behind seems to be ahead.
TEST(Ahead, goes_on_across_the_wrap_of_all_numbers) {
    Ahead ahead;
    ahead.add(10);
    Sequence first = 8;
    for (int quarter = 0; quarter < 8; ++quarter) {
        first += 1U << 30;
        ahead.pass(first);
        EXPECT_EQ(ahead.number(first + 3), first + 2);
    }
}

}  // namespace isoplane::niu
