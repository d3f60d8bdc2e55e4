// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/isotach/survival.hh>
#include <isoplane/membership/choice.hh>
#include <isoplane/topology/builders.hh>

namespace isoplane::test {

namespace {

using membership::choose;
using membership::Promise;
using topology::NodeId;
using Nodes = std::vector<NodeId>;

/// Four hosts around a switch, whose token manager is on its own; all have promised.
class ChoiceTest : public testing::Test {
  protected:
    static constexpr NodeId kManager = 4;

    ChoiceTest() {
        for (NodeId node = 0; node <= kManager; ++node) {
            now.members.push_back({.node = node, .played_by = node, .epoch = 10U + node});
            promises.push_back({.epoch = 10U + node, .held = 100, .last = 120});
        }
        promises[kManager].held = UINT64_MAX;
        promises[kManager].last = 0;
    }

    void doubt(NodeId who, NodeId whom) { promises[who].doubts.push_back(whom); }
    void miss(NodeId node) { promises[node] = {}; }
    std::optional<wire::View> choice() const { return choose(topology, now, promises, {}); }
    /// Who has a voice in the next view; nobody when there is none.
    Nodes chosen() const {
        const auto next = choice();
        Nodes nodes;
        if (next)
            for (const wire::Member& member : next->members)
                if (member.node == member.played_by) nodes.push_back(member.node);
        return nodes;
    }

    topology::Topology topology = topology::single_switch(4);
    wire::View now{.number = 1, .cut = 10, .base = 20};
    std::vector<Promise> promises;
};

}  // namespace

TEST_F(ChoiceTest, who_has_promised_is_in_the_next_view) {
    miss(1);
    const auto next = choice();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->number, 2U);
    EXPECT_EQ(next->members, (std::vector<wire::Member>{{0, 0, 10}, {2, 2, 12}, {3, 3, 13}, {4, 4, 14}}));
}

TEST_F(ChoiceTest, its_cut_is_what_all_hold_and_its_base_is_behind_what_any_has_stamped) {
    promises[1].held = 90;
    promises[2].last = 130;
    ASSERT_TRUE(choice());
    EXPECT_EQ(choice()->cut, 90U);
    EXPECT_EQ(choice()->base, 131U);
}

TEST_F(ChoiceTest, of_two_who_doubt_each_other_one_goes) {
    doubt(1, 2);
    doubt(2, 1);
    EXPECT_EQ(chosen(), (Nodes{0, 1, 3, 4}));
}

TEST_F(ChoiceTest, so_it_is_when_only_one_doubts_the_other) {
    doubt(1, 2);
    EXPECT_EQ(chosen(), (Nodes{0, 1, 3, 4}));
    promises[1].doubts.clear();
    doubt(2, 1);
    EXPECT_EQ(chosen(), (Nodes{0, 1, 3, 4}));
}

TEST_F(ChoiceTest, of_a_chain_the_one_in_the_middle_goes) {
    doubt(0, 1);
    doubt(2, 1);
    EXPECT_EQ(chosen(), (Nodes{0, 2, 3, 4}));
}

TEST_F(ChoiceTest, of_a_longer_one_every_other) {
    doubt(0, 1);
    doubt(1, 2);
    doubt(2, 3);
    EXPECT_EQ(chosen(), (Nodes{0, 3, 4}));
}

TEST_F(ChoiceTest, who_doubts_one_that_has_not_promised_stays) {
    miss(1);
    doubt(2, 1);
    EXPECT_EQ(chosen(), (Nodes{0, 2, 3, 4}));
}

/// It is not asked to have what they have.
TEST_F(ChoiceTest, who_goes_does_not_say_what_is_executed) {
    doubt(1, 2);
    promises[2].held = 50;
    promises[2].last = 200;
    ASSERT_TRUE(choice());
    EXPECT_EQ(choice()->cut, 100U);
    EXPECT_EQ(choice()->base, 121U);
}

TEST_F(ChoiceTest, a_token_manager_that_is_doubted_is_played_by_a_host) {
    doubt(0, kManager);
    const auto next = choice();
    ASSERT_TRUE(next);
    ASSERT_EQ(next->members.size(), 5U);
    EXPECT_EQ(next->members.back(), (wire::Member{kManager, 0, 10}));
}

TEST_F(ChoiceTest, there_is_no_majority_when_too_many_would_go) {
    doubt(0, 1);
    doubt(2, 3);
    EXPECT_EQ(chosen(), (Nodes{0, 2, 4}));
    miss(kManager);
    EXPECT_FALSE(choice());
}

}  // namespace isoplane::test
