// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "report/statistics.hh"

#include <gtest/gtest.h>

#include <cmath>

namespace isoplane::report {
namespace {

TEST(Median, is_between_the_two_in_the_middle) {
    EXPECT_EQ(median({3, 1, 2}), 2);
    EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
    EXPECT_FALSE(median({}));
}

TEST(Ratio, is_that_of_geometric_means) {
    const auto ratio = ratio_of({2, 8}, {1, 4});
    ASSERT_TRUE(ratio);
    EXPECT_DOUBLE_EQ(ratio->value, 2);
}

/// The logarithms have means 0 and 1 and a variance of 1 each; of three and three, t has 4 degrees of
/// freedom.
TEST(Ratio, has_the_interval_of_welchs_test) {
    const double e = std::exp(1);
    const auto ratio = ratio_of({1, e, e * e}, {1 / e, 1, e});
    ASSERT_TRUE(ratio && ratio->low && ratio->high);
    const double reach = 2.776 * std::sqrt(1.0 / 3 + 1.0 / 3);
    EXPECT_NEAR(std::log(*ratio->low), 1 - reach, 1e-9);
    EXPECT_NEAR(std::log(*ratio->high), 1 + reach, 1e-9);
    EXPECT_FALSE(ratio->significant());
}

TEST(Ratio, counts_fewer_degrees_of_freedom_where_one_side_scatters_alone) {
    const auto even = ratio_of({1, 2, 1, 2}, {1, 2, 1, 2});
    const auto uneven = ratio_of({1, 2.67, 1, 2.67}, {1.4, 1.4, 1.4, 1.4});
    ASSERT_TRUE(even->low && uneven->low);
    EXPECT_NEAR(std::log(*even->high / even->value), 2.447 * std::log(2.0) / 2 / std::sqrt(1.5), 1e-3);
    EXPECT_NEAR(std::log(*uneven->high / uneven->value), 3.182 * std::log(2.67) / 2 / std::sqrt(3.0), 1e-3);
}

TEST(Ratio, is_significant_where_the_interval_is_on_one_side_of_1) {
    EXPECT_TRUE(ratio_of({2.0, 2.1, 1.9}, {1.0, 1.1, 0.9})->significant());
    EXPECT_TRUE(ratio_of({1.0, 1.1, 0.9}, {2.0, 2.1, 1.9})->significant());
    EXPECT_FALSE(ratio_of({1.0, 1.2, 0.8}, {1.1, 1.0, 0.9})->significant());
}

TEST(Ratio, has_no_interval_where_something_was_measured_once) {
    const auto ratio = ratio_of({2}, {1, 1});
    ASSERT_TRUE(ratio);
    EXPECT_FALSE(ratio->low);
    EXPECT_FALSE(ratio->significant());
}

TEST(Ratio, leaves_out_what_was_not_measured) {
    EXPECT_FALSE(ratio_of({0, 0}, {1, 1}));
    EXPECT_DOUBLE_EQ(ratio_of({0, 3, 3}, {1, 1})->value, 3);
}

TEST(StudentT, falls_to_that_of_the_normal_distribution) {
    EXPECT_DOUBLE_EQ(student_t(1), 12.706);
    EXPECT_DOUBLE_EQ(student_t(4.9), 2.776) << "as with 4: wider rather than narrower";
    EXPECT_DOUBLE_EQ(student_t(30), 2.042);
    EXPECT_DOUBLE_EQ(student_t(1e9), 1.98);
}

}  // namespace
}  // namespace isoplane::report
