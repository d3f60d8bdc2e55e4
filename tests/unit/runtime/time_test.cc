// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/runtime/time.hh>

namespace isoplane::runtime {
namespace {

TEST(TscClock, turns_a_second_of_ticks_into_a_second) {
    const TscClock clock;
    const std::uint64_t hz = rte_get_tsc_hz();
    const auto second = clock.at(hz * 1001) - clock.at(hz * 1000);
    EXPECT_NEAR(static_cast<double>(second.count()), 1e9, 5);
}

TEST(TscClock, never_goes_backwards) {
    const TscClock clock;
    Time before = clock.now();
    for (int i = 0; i < 1000; ++i) {
        const Time now = clock.now();
        ASSERT_GE(now, before);
        before = now;
    }
}

TEST(TscClock, is_the_same_for_all_who_have_one) {
    const TscClock a;
    const TscClock b;
    EXPECT_EQ(a.at(123456789), b.at(123456789));
}

}  // namespace
}  // namespace isoplane::runtime
