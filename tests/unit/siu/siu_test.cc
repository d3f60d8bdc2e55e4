// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "clocks.hh"

namespace isoplane::test {

namespace {

using siu::Announcement;
using siu::GroupAct;
using siu::Pulse;

/// All that the host has learned by now.
std::vector<Announcement> announced_at(Clocks& clocks, NodeId host) {
    std::vector<Announcement> all;
    for (auto& queue = clocks.sius[host]->announcements(); !queue.empty(); queue.pop())
        all.push_back(queue.front());
    return all;
}

std::vector<GroupAct> acts_at(Clocks& clocks, NodeId host) {
    std::vector<GroupAct> all;
    for (GroupAct act; clocks.sius[host]->next_act(UINT64_MAX, act);)
        all.push_back(act);
    return all;
}

}  // namespace

TEST(Siu, has_started_when_the_token_manager_has_answered) {
    Clocks clocks(topology::single_switch(2));
    const siu::Siu& siu = *clocks.sius[0];
    clocks.stations.step();
    EXPECT_FALSE(siu.started());
    EXPECT_EQ(siu.clock(), 1U);
    clocks.stations.run(50us);
    EXPECT_TRUE(siu.started());
}

TEST(Siu, does_not_start_without_all_hosts) {
    Clocks clocks(topology::single_switch(2));
    clocks.stations.deafen(1);
    clocks.sius[1]->be_quiet(true);
    clocks.stations.run(100ms, 50us);
    // One token goes unprompted; the next would need host 1.
    EXPECT_LE(clocks.sius[0]->ended(), 1U);
    EXPECT_EQ(clocks.managers[0]->awaited(), std::vector<NodeId>{1});
}

TEST(Siu, clocks_of_a_switch_are_never_further_apart_than_tokens_allow) {
    for (const std::uint32_t ahead : {1U, 4U}) {
        Clocks clocks(topology::single_switch(4), {.exchange = {.ahead = ahead}});
        clocks.want(true);
        for (int i = 0; i < 2000; ++i) {
            clocks.stations.step();
            const auto [least, most] =
                std::minmax_element(clocks.sius.begin(), clocks.sius.end(),
                                    [](const auto& a, const auto& b) { return a->clock() < b->clock(); });
            ASSERT_LE((*most)->clock() - (*least)->clock(), 2 * ahead);
        }
        EXPECT_GT(clocks.sius[0]->clock(), 100U);
    }
}

TEST(Siu, what_is_announced_is_known_by_the_end_of_the_pulse_it_is_stamped_with) {
    for (const std::uint32_t ahead : {1U, 3U}) {
        Clocks clocks(topology::line(3, 1), {.exchange = {.ahead = ahead}});
        clocks.want(true);
        ASSERT_NE(clocks.steps_to(10), UINT_MAX);
        for (NodeId from = 0; from < 3; ++from) {
            for (NodeId to = 0; to < 3; ++to) {
                if (from == to) continue;
                siu::Siu& sender = *clocks.sius[from];
                const Pulse expected = sender.clock() + sender.distance(to);
                EXPECT_EQ(sender.announce(to), 1U);
                EXPECT_EQ(sender.announce(to), 2U);  // in the same pulse: the last count says it all
                ASSERT_NE(clocks.steps_to(expected), UINT_MAX);
                const auto announced = announced_at(clocks, to);
                ASSERT_EQ(announced.size(), 1U);
                EXPECT_EQ(announced[0].pulse, expected) << "h " << ahead << ", " << from << " to " << to;
                EXPECT_EQ(announced[0].source, from);
                EXPECT_EQ(announced[0].count, 2U);
            }
        }
    }
}

TEST(Siu, stamps_clock_plus_distance_and_never_goes_backwards) {
    Clocks clocks(topology::line(3, 1));
    clocks.want(true);
    ASSERT_NE(clocks.steps_to(5), UINT_MAX);
    siu::Siu& siu = *clocks.sius[0];
    ASSERT_GT(siu.distance(2), siu.distance(1));
    const Pulse clock = siu.clock();
    EXPECT_EQ(siu.stamp(siu.distance(2)), clock + siu.distance(2));
    // A near one after a far one waits for it.
    EXPECT_EQ(siu.stamp(siu.distance(1)), clock + siu.distance(2));
    EXPECT_EQ(siu.last_stamp(), clock + siu.distance(2));
    ASSERT_NE(clocks.steps_to(clock + 10), UINT_MAX);
    EXPECT_EQ(siu.stamp(siu.distance(1)), siu.clock() + siu.distance(1));
}

TEST(Siu, acts_are_known_everywhere_at_one_pulse) {
    Clocks clocks(topology::ring(5, 1));
    clocks.want(true);
    ASSERT_NE(clocks.steps_to(10), UINT_MAX);
    for (NodeId actor = 0; actor < 5; ++actor) {
        siu::Siu& siu = *clocks.sius[actor];
        const Pulse pulse = siu.act(wire::group_signal(2)) + siu.greatest_distance();
        EXPECT_EQ(pulse, siu.clock() + siu.greatest_distance());
        EXPECT_TRUE(siu.acting());
        ASSERT_NE(clocks.steps_to(pulse), UINT_MAX);
        EXPECT_FALSE(siu.acting());
        for (NodeId host = 0; host < 5; ++host) {
            const auto acts = acts_at(clocks, host);
            ASSERT_EQ(acts.size(), 1U) << "of " << actor << " at " << host;
            EXPECT_EQ(acts[0].pulse, pulse);
            EXPECT_EQ(acts[0].source, actor);
            EXPECT_EQ(acts[0].word, wire::group_signal(2));
        }
    }
}

TEST(Siu, a_host_with_nobody_to_tell_learns_of_its_own_acts) {
    Clocks clocks(topology::single_switch(1), {}, {0});
    clocks.want(true);
    ASSERT_NE(clocks.steps_to(3), UINT_MAX);
    siu::Siu& siu = *clocks.sius[0];
    siu.act(wire::group_join(0));
    ASSERT_NE(clocks.steps_to(siu.clock() + 5), UINT_MAX);
    siu.act(wire::group_enter(0));
    ASSERT_NE(clocks.steps_to(siu.clock() + 5), UINT_MAX);
    const auto acts = acts_at(clocks, 0);
    ASSERT_EQ(acts.size(), 2U);
    EXPECT_EQ(acts[0].word, wire::group_join(0));
    EXPECT_EQ(acts[1].word, wire::group_enter(0));
}

TEST(Siu, a_host_that_manages_says_once_to_each_neighbour_what_it_has_done) {
    Clocks clocks(topology::single_switch(3), {}, {0});
    clocks.want(true);
    ASSERT_NE(clocks.steps_to(3), UINT_MAX);
    siu::Siu& siu = *clocks.sius[0];
    siu.act(wire::group_signal(1));
    ASSERT_NE(clocks.steps_to(siu.clock() + 10), UINT_MAX);
    for (NodeId host = 0; host < 3; ++host)
        EXPECT_EQ(acts_at(clocks, host).size(), 1U) << "at " << host;
}

TEST(Siu, gives_acts_up_to_a_pulse_in_the_order_of_pulse_and_host) {
    Clocks clocks(topology::single_switch(3));
    clocks.want(true);
    ASSERT_NE(clocks.steps_to(3), UINT_MAX);
    const Pulse last = clocks.sius[0]->clock() + 20;
    for (unsigned i = 0; i < 5; ++i) {
        for (NodeId host = 3; host-- > 0;)
            clocks.sius[host]->act(wire::group_signal(i % 3));
        clocks.stations.step();
    }
    ASSERT_NE(clocks.steps_to(last), UINT_MAX);
    GroupAct before{};
    GroupAct act;
    EXPECT_FALSE(clocks.sius[1]->next_act(0, act));
    unsigned n = 0;
    for (; clocks.sius[1]->next_act(last, act); ++n) {
        EXPECT_TRUE(before.pulse < act.pulse || (before.pulse == act.pulse && before.source < act.source));
        before = act;
    }
    EXPECT_GE(n, 3U);
    EXPECT_FALSE(clocks.sius[1]->acts_waiting());
}

TEST(Siu, acts_whose_order_one_token_could_not_tell_go_with_two) {
    Clocks clocks(topology::single_switch(2));
    clocks.want(true);
    ASSERT_NE(clocks.steps_to(3), UINT_MAX);
    siu::Siu& siu = *clocks.sius[0];
    const Pulse clock = siu.clock();
    EXPECT_EQ(siu.act(wire::group_join(0)), clock);
    EXPECT_EQ(siu.act(wire::group_enter(0)), clock);
    EXPECT_EQ(siu.act(wire::group_enter(1)), clock);
    EXPECT_EQ(siu.act(wire::group_leave(0)), clock);
    EXPECT_EQ(siu.act(wire::group_join(0)), clock + 1);
    EXPECT_EQ(siu.act(wire::group_signal(1)), clock + 1);
    ASSERT_NE(clocks.steps_to(clock + 10), UINT_MAX);
    const auto acts = acts_at(clocks, 1);
    ASSERT_EQ(acts.size(), 2U);
    EXPECT_EQ(acts[0].word,
              wire::group_join(0) | wire::group_enter(0) | wire::group_enter(1) | wire::group_leave(0));
    EXPECT_EQ(acts[1].word, wire::group_join(0) | wire::group_signal(1));
    EXPECT_EQ(acts[1].pulse, acts[0].pulse + 1);
}

TEST(Siu, is_broken_when_time_has_begun_anew_without_it) {
    Clocks clocks(topology::single_switch(2));
    clocks.want(true);
    ASSERT_NE(clocks.steps_to(10), UINT_MAX);
    clocks.restart(1, 2);
    clocks.stations.run(100ms, 50us);
    EXPECT_EQ(clocks.managers[0]->restarts(), 1U);
    EXPECT_TRUE(clocks.sius[0]->broken());
    EXPECT_FALSE(clocks.sius[1]->broken());
    EXPECT_LE(clocks.sius[1]->ended(), 1U);
    // With a new life of the other, there is time again.
    clocks.restart(0, 2);
    clocks.want(true);
    clocks.stations.run(100ms, 50us);
    EXPECT_FALSE(clocks.sius[0]->broken());
    EXPECT_GT(clocks.sius[0]->ended(), 100U);
    EXPECT_GT(clocks.sius[1]->ended(), 100U);
}

TEST(Siu, that_manages_is_broken_when_a_neighbour_starts_again) {
    Clocks clocks(topology::single_switch(3), {}, {0});
    clocks.want(true);
    ASSERT_NE(clocks.steps_to(10), UINT_MAX);
    clocks.restart(2, 2);
    const Pulse before = clocks.sius[1]->ended();
    clocks.want(true);
    clocks.stations.run(100ms, 50us);
    EXPECT_TRUE(clocks.sius[0]->broken());
    EXPECT_FALSE(clocks.sius[1]->broken());
    EXPECT_LE(clocks.sius[1]->ended(), before + 2) << "time has gone on without a host";
    EXPECT_EQ(clocks.sius[2]->ended(), 0U) << "a host has come into a time that was not its own";
    // With new lives of the others, there is time again.
    clocks.restart(0, 2);
    clocks.restart(1, 2);
    clocks.want(true);
    clocks.stations.run(100ms, 50us);
    for (const auto& siu : clocks.sius) {
        EXPECT_FALSE(siu->broken());
        EXPECT_GT(siu->ended(), 100U);
    }
}

}  // namespace isoplane::test
