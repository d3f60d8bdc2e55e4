// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/runtime/histogram.hh>

namespace isoplane::runtime {
namespace {

TEST(Histogram, tells_small_values_exactly) {
    Histogram h;
    for (std::uint64_t v = 0; v < 32; ++v)
        h.record(v);
    EXPECT_EQ(h.count(), 32U);
    EXPECT_EQ(h.quantile(0.5), 15U);
    EXPECT_EQ(h.quantile(1), 31U);
}

TEST(Histogram, tells_of_a_few_values_the_one_in_the_middle) {
    Histogram h;
    for (const std::uint64_t v : {3U, 10U, 20U})
        h.record(v);
    EXPECT_EQ(h.quantile(0.3), 3U);
    EXPECT_EQ(h.quantile(0.5), 10U);
    EXPECT_EQ(h.quantile(0.99), 20U);
}

TEST(Histogram, tells_the_last_only_where_all_others_are_too_few) {
    Histogram h;
    for (unsigned i = 0; i < 999; ++i)
        h.record(1);
    h.record(20);
    EXPECT_EQ(h.quantile(99.9 / 100), 1U);
    EXPECT_EQ(h.quantile(0.9991), 20U);
    EXPECT_EQ(h.quantile(1), 20U);
}

TEST(Histogram, tells_any_value_to_within_a_thirty_second) {
    for (std::uint64_t v = 33; v < (std::uint64_t{1} << 42); v = v * 5 / 3 + 1) {
        Histogram h;
        h.record(v);
        const auto told = static_cast<double>(h.quantile(0.5));
        EXPECT_NEAR(told, static_cast<double>(v), static_cast<double>(v) / 32) << v;
    }
}

/// Or two runs whose medians fall into one bucket would seem to be the same to the last digit.
TEST(Histogram, tells_where_in_a_bucket_it_is_by_how_many_lie_below) {
    const auto median_with = [](int below) {
        Histogram h;
        for (int i = 0; i < 100; ++i)
            h.record(i < below ? 500 : 1030);
        return h.quantile(0.5);
    };
    EXPECT_GT(median_with(10), median_with(40));
    EXPECT_GE(median_with(40), 1024U);
    EXPECT_LT(median_with(10), 1056U);
}

TEST(Histogram, puts_what_is_too_large_in_the_last_bucket) {
    Histogram h;
    h.record(UINT64_MAX);
    EXPECT_EQ(h.count(), 1U);
    EXPECT_GT(h.quantile(0.5), std::uint64_t{1} << 42);
}

TEST(Histogram, knows_nothing_when_empty_or_cleared) {
    Histogram h;
    EXPECT_EQ(h.quantile(0.99), 0U);
    h.record(7);
    h.clear();
    EXPECT_EQ(h.count(), 0U);
}

}  // namespace
}  // namespace isoplane::runtime
