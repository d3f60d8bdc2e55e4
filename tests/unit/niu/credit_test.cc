// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/niu/credit.hh>

namespace isoplane::niu {

TEST(Sequence, compares_across_the_wrap) {
    EXPECT_TRUE(before(0xfffffffe, 1));
    EXPECT_FALSE(before(1, 0xfffffffe));
    EXPECT_FALSE(before(5, 5));
    EXPECT_EQ(distance(0xffffffff, 2), 3);
    EXPECT_EQ(distance(2, 0xffffffff), -3);
}

TEST(Grant, is_the_window_before_anything_has_come) {
    const Grant grant(8);
    EXPECT_EQ(grant.limit(), 8U);
    EXPECT_FALSE(grant.worth_telling());
}

TEST(Grant, grows_by_one_for_each_frame_released) {
    Grant grant(8);
    for (int i = 0; i < 100; ++i)
        grant.release();
    EXPECT_EQ(grant.limit(), 108U);
}

TEST(Grant, is_worth_telling_when_a_quarter_has_come_back) {
    Grant grant(8);
    grant.release();
    EXPECT_FALSE(grant.worth_telling());
    grant.release();
    EXPECT_TRUE(grant.worth_telling());
    grant.told();
    EXPECT_FALSE(grant.worth_telling());
}

TEST(Grant, tells_of_every_credit_when_the_window_is_one) {
    Grant grant(1);
    EXPECT_FALSE(grant.worth_telling());
    grant.release();
    EXPECT_TRUE(grant.worth_telling());
}

TEST(Grant, grows_across_the_wrap) {
    Grant grant(8);
    grant.reset(0xfffffffc);
    EXPECT_EQ(grant.limit(), 4U);
    EXPECT_FALSE(grant.worth_telling());
    grant.release();
    grant.release();
    EXPECT_EQ(grant.limit(), 6U);
    EXPECT_TRUE(grant.worth_telling());
}

TEST(Allowance, covers_what_was_granted_and_no_more) {
    Allowance allowance;
    EXPECT_FALSE(allowance.covers(0));
    allowance.reset(4);
    EXPECT_TRUE(allowance.covers(3));
    EXPECT_FALSE(allowance.covers(4));
}

TEST(Allowance, is_not_lowered_by_a_grant_that_comes_late) {
    Allowance allowance;
    allowance.reset(4);
    EXPECT_TRUE(allowance.raise(10));
    EXPECT_FALSE(allowance.raise(7));
    EXPECT_EQ(allowance.limit(), 10U);
}

TEST(Allowance, grows_across_the_wrap) {
    Allowance allowance;
    allowance.reset(0xfffffff0);
    EXPECT_TRUE(allowance.raise(0x10));
    EXPECT_TRUE(allowance.covers(0xf));
}

}  // namespace isoplane::niu
