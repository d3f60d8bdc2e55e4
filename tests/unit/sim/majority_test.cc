// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/majority.hh"

#include <gtest/gtest.h>

namespace isoplane::sim {
namespace {

/// Hosts 0 to 3, token manager 4 on its own, and token manager 5, which host 0 plays: five voices.
const wire::View kView{.number = 3,
                       .members = {{0, 0, 1}, {1, 1, 1}, {2, 2, 7}, {3, 3, 1}, {4, 4, 1}, {5, 0, 1}}};

}  // namespace

TEST(Majority, is_more_than_half_of_those_with_a_voice) {
    Majority majority(kView);
    majority.add(0, 1, true);
    majority.add(1, 1, true);
    majority.add(5, 1, false);
    EXPECT_FALSE(majority.is_there()) << "who is played has no voice";
    majority.add(2, 6, true);
    EXPECT_FALSE(majority.is_there()) << "that is another life";
    majority.add(4, 1, false);
    EXPECT_TRUE(majority.is_there());
}

TEST(Majority, of_half_is_none) {
    wire::View four = kView;
    four.members.erase(four.members.begin() + 3);
    Majority majority(four);
    majority.add(0, 1, true);
    majority.add(1, 1, true);
    EXPECT_FALSE(majority.is_there());
    majority.add(2, 7, true);
    EXPECT_TRUE(majority.is_there());
}

TEST(Majority, loses_no_more_of_those_at_odds_than_it_has_to) {
    constexpr std::uint16_t kOthers[] = {0, 1, 3};
    Majority majority(kView);
    for (const std::uint16_t host : kOthers)
        majority.add(host, 1, true);
    majority.add(2, 7, true);
    for (const std::uint16_t other : kOthers)
        majority.at_odds(2, other);
    EXPECT_TRUE(majority.is_there()) << "without host 2 there are three";
    majority.at_odds(0, 1);
    EXPECT_FALSE(majority.is_there());
    majority.add(4, 1, false);
    EXPECT_TRUE(majority.is_there());
}

TEST(Majority, needs_somebody_who_knows_how_things_stand) {
    Majority majority(kView);
    majority.add(0, 1, false);
    majority.add(1, 1, false);
    majority.add(4, 1, false);
    EXPECT_FALSE(majority.is_there());
    majority.add(3, 1, true);
    EXPECT_TRUE(majority.is_there());
}

}  // namespace isoplane::sim
