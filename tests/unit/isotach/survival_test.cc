// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/isotach/survival.hh>

namespace isoplane::isotach {

TEST(Survival, of_one_pulse_all_leave_before_any_joins) {
    Survival survival(4);
    survival.present = {false, true, true, true};
    survival.changes = {
        {5, 0, true, 2}, {6, 1, false, 3}, {5, 3, false, 2}, {5, 2, false, 2}, {5, 2, true, 2}};
    Group group(4);
    EXPECT_FALSE(survival.change(4, group));
    ASSERT_TRUE(survival.change(5, group));
    std::vector<std::pair<bool, NodeId>> order;
    for (const Change& change : survival.due)
        order.emplace_back(change.joined, change.host);
    const std::vector<std::pair<bool, NodeId>> expected{{false, 2}, {false, 3}, {true, 0}, {true, 2}};
    EXPECT_EQ(order, expected);
    EXPECT_EQ(survival.present, (std::vector<bool>{true, true, true, false}));
    EXPECT_EQ(survival.changes.size(), 1U);
}

TEST(Survival, what_others_say_of_a_view_after_the_next_is_kept_until_then) {
    Survival survival(4);
    EXPECT_TRUE(survival.keep({.from = 1, .view = 3, .whole = true}));
    EXPECT_TRUE(survival.keep({.from = 1, .view = 2}));
    EXPECT_TRUE(survival.keep({.from = 1, .view = 2, .whole = true}));
    const std::vector<Flush> now = survival.take_kept(2);
    ASSERT_EQ(now.size(), 2U);
    EXPECT_FALSE(now[0].whole);
    EXPECT_TRUE(now[1].whole);
    ASSERT_EQ(survival.take_kept(3).size(), 1U);
    EXPECT_TRUE(survival.early.empty());
}

TEST(Survival, who_says_things_of_views_to_come_without_end_is_not_listened_to) {
    Survival survival(4);
    std::size_t kept = 0;
    for (std::uint32_t view = 1; view <= 10'000; ++view)
        kept += survival.keep({.from = 1, .view = view}) ? 1 : 0;
    EXPECT_LT(kept, 100U);
    EXPECT_TRUE(survival.keep({.from = 2, .view = 1})) << "the others are";
}

}  // namespace isoplane::isotach
