// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/niu/rtt.hh>

namespace isoplane::niu {

using namespace std::chrono_literals;
using runtime::Duration;

TEST(Rtt, waits_the_initial_time_before_the_first_sample) {
    const RttEstimator rtt({.initial = 7ms, .least = 1ms, .most = 1s});
    EXPECT_EQ(rtt.timeout(), 7ms);
    EXPECT_EQ(rtt.loss_delay(), 7ms);
}

TEST(Rtt, takes_the_first_sample_as_it_is_with_half_of_it_as_variation) {
    RttEstimator rtt({.initial = 7ms, .least = 1us, .most = 1s});
    rtt.sample(100us);
    EXPECT_EQ(rtt.smoothed(), 100us);
    EXPECT_EQ(rtt.variation(), 50us);
    EXPECT_EQ(rtt.timeout(), 300us);
    EXPECT_EQ(rtt.loss_delay(), 125us);
}

TEST(Rtt, moves_an_eighth_of_the_way_to_a_new_sample) {
    RttEstimator rtt({.initial = 7ms, .least = 1us, .most = 1s});
    rtt.sample(80us);
    rtt.sample(160us);
    EXPECT_EQ(rtt.smoothed(), 90us);
    EXPECT_EQ(rtt.variation(), 50us);  // 40 + (80 - 40) / 4
}

TEST(Rtt, forgets_a_spike) {
    RttEstimator rtt({});
    rtt.sample(10us);
    rtt.sample(20ms);
    for (int i = 0; i < 200; ++i)
        rtt.sample(10us);
    EXPECT_LT(rtt.smoothed(), 11us);
    EXPECT_EQ(rtt.timeout(), TimeoutLimits{}.least);
}

TEST(Rtt, never_leaves_its_limits) {
    RttEstimator rtt({.initial = 5ms, .least = 500us, .most = 100ms});
    rtt.sample(Duration{0});
    EXPECT_EQ(rtt.timeout(), 500us);
    rtt.sample(10s);
    EXPECT_EQ(rtt.timeout(), 100ms);
}

TEST(Rtt, doubles_for_each_wait_in_vain_until_an_answer) {
    RttEstimator rtt({.initial = 1ms, .least = 1ms, .most = 20ms});
    rtt.back_off();
    EXPECT_EQ(rtt.timeout(), 2ms);
    rtt.back_off();
    EXPECT_EQ(rtt.timeout(), 4ms);
    for (int i = 0; i < 100; ++i)
        rtt.back_off();
    EXPECT_EQ(rtt.timeout(), 20ms);
    rtt.answered();
    EXPECT_EQ(rtt.timeout(), 1ms);
}

}  // namespace isoplane::niu
