// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "perf/tables.hh"

#include <gtest/gtest.h>

#include <set>

namespace isoplane::perf {
namespace {

TEST(Tables, have_names_of_percentiles_that_differ) {
    EXPECT_EQ(percentile_name(50), "p50");
    EXPECT_EQ(percentile_name(99.9), "p999");
    const std::vector<double> percentiles{0.5, 0.55, 1.5, 5, 5.5, 9.99, 10, 15, 55, 99, 99.9, 99.99, 100};
    std::set<std::string> names;
    for (const double percentile : percentiles)
        EXPECT_TRUE(names.insert(percentile_name(percentile)).second) << percentile_name(percentile);
}

TEST(Tables, have_titles_with_all_digits_of_percentiles) {
    const auto tables = message_tables({}, {}, {}, {9.99, 50, 75, 99.99});
    ASSERT_GT(tables.size(), 3U);
    EXPECT_EQ(tables[1].title, "Round trip, microseconds, 9.99 %");
    EXPECT_EQ(tables[2].title, "Round trip, microseconds, 75 %");
    EXPECT_EQ(tables[3].title, "Round trip, microseconds, 99.99 %");
}

}  // namespace
}  // namespace isoplane::perf
