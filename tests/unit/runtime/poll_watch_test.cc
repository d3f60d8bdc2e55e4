// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/runtime/poll_watch.hh>

namespace isoplane::runtime {
namespace {

using namespace std::chrono_literals;

TEST(PollWatch, tells_by_how_much_there_was_no_poll_for_longer_than_the_pause) {
    PollWatch watch(10ms);
    watch.excess(Time{1s});
    EXPECT_EQ(watch.excess(Time{1s}), 0ms);
    EXPECT_EQ(watch.excess(Time{1s + 10ms}), 0ms);
    EXPECT_EQ(watch.excess(Time{1s + 21ms}), 1ms);
    EXPECT_EQ(watch.missed(Time{1s + 31ms}), 0ms);
    EXPECT_EQ(watch.missed(Time{1s + 42ms}), 11ms);
    EXPECT_EQ(watch.missed(Time{1s + 43ms}), 0ms);
}

TEST(PollWatch, what_is_put_off_is_not_later_than_now_and_begins_not_for_that) {
    Time then{1s};
    put_off(then, 2s, Time{4s});
    EXPECT_EQ(then, Time{3s});
    put_off(then, 2s, Time{4s});
    EXPECT_EQ(then, Time{4s});
    then = Time::max();
    put_off(then, 2s, Time{4s});
    EXPECT_EQ(then, Time::max());
}

TEST(Patience, is_over_at_its_limit) {
    Patience patience(80ms, Time{1s});
    for (Time now{1s}; now < Time{1s + 80ms}; now += 10ms)
        EXPECT_FALSE(patience.is_over(now));
    EXPECT_TRUE(patience.is_over(Time{1s + 80ms}));
}

TEST(Patience, of_a_stop_counts_an_eighth_of_it) {
    Patience patience(80ms, Time{1s});
    Time now{60s};
    for (int i = 0; i < 7; ++i, now += 10ms)
        EXPECT_FALSE(patience.is_over(now));
    EXPECT_TRUE(patience.is_over(now));
}

TEST(Patience, of_who_looks_seldom_is_over_in_the_end) {
    Patience patience(80ms, Time{1s});
    int looks = 1;
    for (Time now{2s}; !patience.is_over(now) && looks < 100; now += 1s)
        ++looks;
    EXPECT_EQ(looks, 8);
}

}  // namespace
}  // namespace isoplane::runtime
