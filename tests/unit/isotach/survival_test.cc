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

}  // namespace isoplane::isotach
