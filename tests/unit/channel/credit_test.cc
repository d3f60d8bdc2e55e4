// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/channel/credit.hh>

namespace isoplane::test {

using channel::Claim;
using channel::Promise;

TEST(Claim, covers_as_many_messages_as_were_granted) {
    Claim claim;
    EXPECT_FALSE(claim.covers_next());
    claim.grant(2);
    for (std::uint32_t number = 0; number < 2; ++number) {
        EXPECT_TRUE(claim.covers_next());
        EXPECT_EQ(claim.next(), number);
        claim.sent();
    }
    EXPECT_FALSE(claim.covers_next());
    claim.grant(1);  // an old one
    EXPECT_FALSE(claim.covers_next());
    claim.grant(3);
    EXPECT_TRUE(claim.covers_next());
}

/// As after 2^32 of them.
TEST(Claim, grows_across_the_wrap) {
    Claim claim;
    for (const std::uint32_t limit : {0x7fffffffU, 0xfffffffeU, 2U})
        claim.grant(limit);
    for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(claim.covers_next());
        claim.sent();
    }
    EXPECT_FALSE(claim.covers_next());
}

TEST(Claim, asks_at_once_and_then_less_and_less_often) {
    Claim claim;
    unsigned questions = 0;
    std::uint32_t last = 0;
    std::uint32_t wait = 0;
    for (std::uint32_t i = 0; i < 10'000; ++i) {
        if (!claim.refused()) continue;
        claim.asked();
        ++questions;
        EXPECT_GE(i - last, wait);
        wait = i - last;
        last = i;
    }
    EXPECT_EQ(questions, 4U);
    claim.grant(1);
    claim.sent();
    EXPECT_FALSE(claim.refused());
}

TEST(Promise, never_promises_more_than_its_window_less_what_is_here) {
    constexpr std::uint32_t kWindow = 4;
    Promise promise;
    EXPECT_FALSE(promise.expects(0));
    promise.begin(1, 10);
    EXPECT_FALSE(promise.expects(10));  // it has not been told
    EXPECT_EQ(promise.limit(kWindow), 14U);
    EXPECT_TRUE(promise.worth_telling(kWindow));
    promise.told(14);
    for (std::uint32_t number = 10; number < 14; ++number) {
        EXPECT_FALSE(promise.expects(number + 1));
        EXPECT_TRUE(promise.expects(number));
        promise.arrived();
    }
    EXPECT_FALSE(promise.expects(14));
    EXPECT_FALSE(promise.worth_telling(kWindow));
    promise.released();
    EXPECT_EQ(promise.limit(kWindow), 15U);
    EXPECT_TRUE(promise.worth_telling(kWindow));  // the sender has nothing left
    promise.told(15);
    promise.released();
    EXPECT_FALSE(promise.worth_telling(kWindow));
    promise.released();
    EXPECT_TRUE(promise.worth_telling(kWindow));
}

TEST(Promise, is_kept_across_the_wrap) {
    constexpr std::uint32_t kWindow = 4;
    Promise promise;
    promise.begin(1, 0xfffffffe);
    EXPECT_TRUE(promise.worth_telling(kWindow));
    EXPECT_EQ(promise.limit(kWindow), 2U);
    promise.told(2);
    for (const std::uint32_t number : {0xfffffffeU, 0xffffffffU, 0U, 1U}) {
        EXPECT_TRUE(promise.expects(number));
        promise.arrived();
    }
    EXPECT_FALSE(promise.expects(2));
    EXPECT_EQ(promise.limit(kWindow), 2U);
}

TEST(Promise, keeps_room_for_what_came_in_an_earlier_life) {
    constexpr std::uint32_t kWindow = 4;
    Promise promise;
    promise.begin(1, 0);
    promise.told(4);
    for (int i = 0; i < 3; ++i)
        promise.arrived();
    EXPECT_FALSE(promise.is_of(2));
    promise.begin(2, 0);
    EXPECT_TRUE(promise.is_of(2));
    EXPECT_EQ(promise.limit(kWindow), 1U);
    promise.told(1);
    promise.released();
    EXPECT_EQ(promise.limit(kWindow), 2U);
}

}  // namespace isoplane::test
