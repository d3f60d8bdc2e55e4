// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/runtime/idle.hh>
#include <isoplane/runtime/placement.hh>
#include <stdexcept>

namespace isoplane::runtime {
namespace {

using Workers = std::vector<unsigned>;

TEST(Placement, deals_unnamed_stages_out_in_turn) {
    EXPECT_EQ(Placement().assign({"a", "b", "c"}, 2), (Workers{1, 2, 1}));
    EXPECT_EQ(Placement().assign({"a", "b"}, 1), (Workers{1, 1}));
}

TEST(Placement, puts_stages_where_they_are_named) {
    const Placement placement("rx@1 fabric@2,tx@3");
    EXPECT_EQ(placement.assign({"rx0", "rx1", "fabric", "tx0"}, 3), (Workers{1, 1, 2, 3}));
    EXPECT_EQ(placement.highest(), 3U);
}

TEST(Placement, lets_the_more_exact_name_win) {
    EXPECT_EQ(Placement("rx@1 rx1@2").assign({"rx0", "rx1"}, 2), (Workers{1, 2}));
    EXPECT_EQ(Placement("rx1@2 rx@1").assign({"rx0", "rx1"}, 2), (Workers{1, 2}));
}

TEST(Placement, finds_nothing_for_a_stage_that_is_not_named) {
    EXPECT_EQ(Placement("rx@1").find("tx0"), 0U);
}

TEST(Placement, refuses_what_does_not_place_a_stage) {
    for (const char* text :
         {"rx", "@1", "rx@", "rx@0", "rx@x", "rx@1x", "rx@-1", "rx@1 tx", "rx@99999999999"}) {
        EXPECT_THROW(Placement{text}, std::invalid_argument) << text;
    }
}

TEST(Placement, refuses_stages_and_workers_that_are_not_there) {
    EXPECT_THROW(Placement("tm@1").assign({"rx0"}, 1), std::invalid_argument);
    EXPECT_THROW(Placement("rx@2").assign({"rx0"}, 1), std::invalid_argument);
}

TEST(IdlePolicy, reads_its_own_names_and_no_others) {
    for (const char* word : {"spin", "yield", "doze"})
        EXPECT_EQ(to_string(parse_idle_policy(word)), word);
    EXPECT_THROW(parse_idle_policy("sleep"), std::invalid_argument);
}

}  // namespace
}  // namespace isoplane::runtime
