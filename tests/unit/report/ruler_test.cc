// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "report/ruler.hh"

#include <gtest/gtest.h>

namespace isoplane::report {
namespace {

std::vector<std::string> labels(const Ruler& ruler) {
    std::vector<std::string> all;
    for (const Ruler::Tick& tick : ruler.ticks())
        all.push_back(tick.label);
    return all;
}

using Labels = std::vector<std::string>;

TEST(Ruler, begins_at_zero_and_ends_on_a_round_number) {
    const Ruler ruler({.title = "us"}, {3.2, 8.7}, 100, 5);
    EXPECT_EQ(labels(ruler), (Labels{"0", "2", "4", "6", "8", "10"}));
    EXPECT_DOUBLE_EQ(ruler.place(0), 0);
    EXPECT_DOUBLE_EQ(ruler.place(10), 100);
}

TEST(Ruler, has_no_more_ticks_than_there_is_room_for) {
    for (const double greatest : {0.0013, 1.0, 17.0, 99.0, 1.01e6, 4.2e9})
        EXPECT_LE(Ruler({}, {greatest}, 100, 5).ticks().size(), 7U) << greatest;
}

TEST(Ruler, marks_1_2_and_5_where_a_logarithmic_axis_is_short) {
    const Ruler ruler({.scale = Scale::kLog}, {0.24, 7.8}, 100, 9);
    EXPECT_EQ(labels(ruler), (Labels{"0.2", "0.5", "1", "2", "5", "10"}));
    EXPECT_NEAR(ruler.place(0.2), 0, 1e-9);
    EXPECT_NEAR(ruler.place(10), 100, 1e-9);
}

TEST(Ruler, marks_powers_of_ten_where_it_is_long) {
    EXPECT_EQ(labels(Ruler({.scale = Scale::kLog}, {0.3, 24000}, 100, 7)),
              (Labels{"0.1", "1", "10", "100", "1000", "10k", "100k"}));
}

TEST(Ruler, marks_powers_of_two_of_bytes_between_the_least_and_the_greatest) {
    EXPECT_EQ(labels(Ruler({.scale = Scale::kLog, .notation = Notation::kBytes}, {8, 1 << 20}, 100, 7)),
              (Labels{"8", "64", "512", "4K", "32K", "256K"}));
}

TEST(Ruler, leaves_out_what_a_logarithmic_axis_cannot_hold) {
    const Ruler ruler({.scale = Scale::kLog}, {0, -1, 5}, 100, 7);
    EXPECT_FALSE(ruler.holds(0));
    EXPECT_GT(ruler.low(), 0);
}

TEST(Ruler, needs_no_values) {
    EXPECT_FALSE(labels(Ruler({}, {}, 100, 5)).empty());
    EXPECT_FALSE(labels(Ruler({.scale = Scale::kLog}, {}, 100, 5)).empty());
    EXPECT_FALSE(labels(Ruler({.scale = Scale::kLog}, {7, 7}, 100, 5)).empty());
}

TEST(Label, has_units_for_large_numbers) {
    EXPECT_EQ(label_of(0.05, Notation::kNumber), "0.05");
    EXPECT_EQ(label_of(1500, Notation::kNumber), "1500");
    EXPECT_EQ(label_of(20000, Notation::kNumber), "20k");
    EXPECT_EQ(label_of(3.5e6, Notation::kNumber), "3.5M");
    EXPECT_EQ(label_of(8192, Notation::kBytes), "8K");
}

}  // namespace
}  // namespace isoplane::report
