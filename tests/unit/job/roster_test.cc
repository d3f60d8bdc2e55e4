// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gmock/gmock-matchers.h>

#include "roster.hh"
#include "trio.hh"

namespace isoplane::test {

using testing::HasSubstr;

/// What node 0 says of the others.
class RosterTest : public TrioTest {
  protected:
    RosterTest() {
        run(1ms);
        roster.begin();
    }

    job::Roster roster{hosts[0]->niu};
};

TEST_F(RosterTest, has_nothing_to_say_while_all_are_there) {
    run(500ms);
    EXPECT_EQ(roster.trouble(), "");
    EXPECT_EQ(roster.news(), "");
}

TEST_F(RosterTest, names_a_node_that_is_dead_once_as_news_and_for_ever_as_trouble) {
    hosts[1].reset();
    run(500ms);
    const std::string sentence = "b (node 1) is dead: nothing has been heard of it for 0.1 s";
    EXPECT_EQ(roster.trouble(), sentence);
    EXPECT_EQ(roster.news(), sentence);
    EXPECT_EQ(roster.news(), "");
    EXPECT_EQ(roster.trouble(), sentence);
}

TEST_F(RosterTest, notices_a_node_that_started_again_while_nobody_looked) {
    start(1, 2);
    run(500ms);
    ASSERT_EQ(hosts[0]->niu.state(1), niu::PeerState::kUp);
    EXPECT_THAT(roster.trouble(), HasSubstr("b (node 1) has ended, or started again"));
    EXPECT_THAT(roster.trouble(), HasSubstr("b (node 1) has ended, or started again"));
}

TEST_F(RosterTest, takes_back_a_node_whose_return_it_has_told) {
    start(1, 2);
    run(500ms);
    EXPECT_THAT(roster.news(), HasSubstr("b (node 1) has ended, or started again"));
    EXPECT_THAT(roster.news(), HasSubstr("b (node 1) is back"));
    EXPECT_EQ(roster.news(), "");
    EXPECT_EQ(roster.trouble(), "");
}

TEST_F(RosterTest, suspects_this_node_when_all_others_are_silent) {
    hosts[1].reset();
    hosts[2].reset();
    run(500ms);
    EXPECT_THAT(roster.trouble(), HasSubstr("nothing has been heard of any other node for 0.1 s"));
    EXPECT_THAT(roster.news(), HasSubstr("b (node 1) is dead"));
    EXPECT_THAT(roster.news(), HasSubstr("c (node 2) is dead"));
}

}  // namespace isoplane::test
