// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/isotach/group.hh>

#include "hosts.hh"

namespace isoplane::test {

namespace {

using isotach::BarrierMode;
using isotach::BarrierState;
using isotach::Delivery;
using isotach::DeliveryKind;
using isotach::Group;
using isotach::Isotach;
using isotach::Place;
using wire::group_enter;
using wire::group_join;
using wire::group_leave;
using wire::group_signal;

constexpr auto kStrong = BarrierMode::kStrong;

/// The only notice that there is at a host.
Delivery only_notice(Host& host, DeliveryKind kind, unsigned channel) {
    const auto deliveries = host.receive();
    EXPECT_EQ(deliveries.size(), 1U);
    if (deliveries.empty()) return {};
    EXPECT_EQ(deliveries.front().kind, kind);
    EXPECT_EQ(deliveries.front().channel, channel);
    EXPECT_EQ(deliveries.front().time.place, Place::kEnd);
    return deliveries.front();
}

}  // namespace

TEST(Group, a_barrier_is_complete_when_all_that_have_joined_have_entered) {
    Group group(3);
    EXPECT_FALSE(group.completes(0));
    group.apply(0, group_join(0));
    group.apply(1, group_join(0));
    group.apply(0, group_enter(0));
    EXPECT_TRUE(group.has_entered(0, 0));
    EXPECT_FALSE(group.completes(0));
    group.apply(1, group_enter(0));
    EXPECT_TRUE(group.completes(0));
    EXPECT_FALSE(group.has_entered(0, 0));
    EXPECT_FALSE(group.completes(0));
}

TEST(Group, who_has_not_joined_enters_nothing_and_who_enters_twice_does_so_once) {
    Group group(2);
    group.apply(0, group_join(1) | group_enter(1));
    group.apply(1, group_enter(1));
    EXPECT_FALSE(group.has_entered(1, 1));
    EXPECT_TRUE(group.completes(1));
    group.apply(1, group_join(1));
    group.apply(0, group_enter(1));
    group.apply(0, group_enter(1));
    EXPECT_FALSE(group.completes(1));
}

TEST(Group, who_leaves_is_waited_for_no_longer) {
    Group group(3);
    for (NodeId host = 0; host < 3; ++host)
        group.apply(host, group_join(0));
    group.apply(0, group_enter(0));
    group.apply(1, group_enter(0));
    group.apply(1, group_leave(0));
    EXPECT_FALSE(group.completes(0));
    group.apply(2, group_leave(0));
    EXPECT_TRUE(group.completes(0));
    group.apply(0, group_leave(0));
    group.apply(0, group_leave(0));
    EXPECT_FALSE(group.completes(0));
}

TEST(Group, one_word_joins_enters_and_leaves_in_that_order) {
    Group group(2);
    group.apply(0, group_join(0) | group_enter(0) | group_leave(0));
    EXPECT_FALSE(group.has_entered(0, 0));
    EXPECT_FALSE(group.completes(0));
}

TEST(Group, barriers_have_nothing_to_do_with_each_other) {
    Group group(2);
    group.apply(0, group_join(0) | group_join(1) | group_enter(0));
    EXPECT_FALSE(group.completes(1));
    EXPECT_TRUE(group.completes(0));
}

TEST(Group, signals_are_taken_once) {
    Group group(2);
    group.apply(0, group_signal(1));
    group.apply(1, group_signal(1) | group_signal(4));
    EXPECT_EQ(group.take_signals(), group_signal(1) | group_signal(4));
    EXPECT_EQ(group.take_signals(), 0U);
}

TEST(Signals, are_noticed_by_those_that_have_registered_them_at_one_pulse) {
    Hosts hosts(topology::line(3, 1));
    for (const NodeId host : {NodeId{0}, NodeId{2}})
        ASSERT_TRUE(hosts[host].isotach.register_signal(3));
    ASSERT_TRUE(hosts[0].isotach.send_signal(3));
    hosts.run(1ms);
    const auto pulse = hosts[0].isotach.acted_at() + hosts[0].siu.greatest_distance();
    EXPECT_EQ(only_notice(hosts[0], DeliveryKind::kSignal, 3).time.pulse, pulse);
    EXPECT_EQ(only_notice(hosts[2], DeliveryKind::kSignal, 3).time.pulse, pulse);
    EXPECT_FALSE(hosts[1].isotach.waiting());
}

TEST(Signals, are_for_those_that_have_registered_them) {
    Hosts hosts(topology::single_switch(2));
    Isotach& isotach = hosts[0].isotach;
    EXPECT_FALSE(isotach.send_signal(1));
    EXPECT_TRUE(isotach.register_signal(1));
    EXPECT_FALSE(isotach.register_signal(1));
    EXPECT_FALSE(isotach.register_signal(Isotach::kResetSignal));
    EXPECT_FALSE(isotach.register_signal(wire::kSignalChannels));
    EXPECT_FALSE(isotach.send_signal(wire::kSignalChannels));
    EXPECT_TRUE(isotach.send_signal(1));
    EXPECT_TRUE(isotach.clear_signal(1));
    EXPECT_FALSE(isotach.clear_signal(wire::kSignalChannels));
    EXPECT_FALSE(isotach.send_signal(1));
    hosts.run(1ms);
    EXPECT_FALSE(isotach.waiting()) << "it is not registered any more";
}

TEST(Signals, that_waited_while_they_were_cleared_are_not_noticed_when_they_are_registered_again) {
    Hosts hosts(topology::single_switch(2));
    Isotach& isotach = hosts[0].isotach;
    ASSERT_TRUE(isotach.register_signal(1));
    ASSERT_TRUE(isotach.send_signal(1));
    hosts.run(1ms);
    ASSERT_TRUE(isotach.waiting());
    ASSERT_TRUE(isotach.clear_signal(1));
    ASSERT_TRUE(isotach.register_signal(1));
    EXPECT_TRUE(hosts[0].receive().empty());
    ASSERT_TRUE(isotach.send_signal(1));
    hosts.run(1ms);
    only_notice(hosts[0], DeliveryKind::kSignal, 1);
}

TEST(Signals, of_several_senders_in_one_pulse_are_noticed_once) {
    Hosts hosts(topology::single_switch(3));
    for (NodeId host = 0; host < 3; ++host)
        ASSERT_TRUE(hosts[host].isotach.register_signal(1));
    // The clocks of hosts on one switch may differ by a token: all three wait for the same one.
    ASSERT_TRUE(hosts[0].isotach.send_signal(1));
    const auto clock = hosts[0].isotach.acted_at();
    for (NodeId host = 1; host < 3; ++host) {
        ASSERT_NE(hosts.stations.steps_until([&] { return hosts[host].siu.clock() >= clock; }), UINT_MAX);
        ASSERT_TRUE(hosts[host].isotach.send_signal(1));
        ASSERT_EQ(hosts[host].isotach.acted_at(), clock);
    }
    hosts.run(1ms);
    for (NodeId host = 0; host < 3; ++host)
        only_notice(hosts[host], DeliveryKind::kSignal, 1);
}

TEST(Signals, come_after_what_their_sender_had_issued_before) {
    Hosts hosts(topology::line(3, 1));
    for (NodeId host = 0; host < 3; ++host)
        ASSERT_TRUE(hosts[host].isotach.register_signal(2));
    ASSERT_TRUE(hosts[0].send({1}));
    ASSERT_TRUE(hosts[0].send({2}));
    ASSERT_TRUE(hosts[0].isotach.send_signal(2));
    hosts.run(1ms);
    only_notice(hosts[0], DeliveryKind::kSignal, 2);
    for (NodeId host = 1; host < 3; ++host) {
        const auto deliveries = hosts[host].receive();
        ASSERT_EQ(deliveries.size(), 2U);
        EXPECT_EQ(deliveries[0].kind, DeliveryKind::kMessage);
        EXPECT_EQ(deliveries[1].kind, DeliveryKind::kSignal);
        hosts[host].release(deliveries);
    }
    hosts.run(1ms);
}

TEST(Signals, the_reset_is_everybodys) {
    Hosts hosts(topology::single_switch(2));
    ASSERT_TRUE(hosts[1].isotach.send_signal(Isotach::kResetSignal));
    hosts.run(1ms);
    for (NodeId host = 0; host < 2; ++host)
        only_notice(hosts[host], DeliveryKind::kSignal, Isotach::kResetSignal);
}

TEST(Barriers, complete_for_all_that_have_joined_at_one_pulse) {
    Hosts hosts(topology::line(3, 1));
    for (NodeId host = 0; host < 3; ++host)
        ASSERT_TRUE(hosts[host].isotach.join_barrier(0, kStrong));
    hosts.run(1ms);
    for (int round = 0; round < 3; ++round) {
        for (NodeId host = 0; host < 3; ++host) {
            EXPECT_FALSE(hosts[0].isotach.waiting());
            EXPECT_EQ(hosts[host].isotach.barrier(0), BarrierState::kHolding);
            ASSERT_TRUE(hosts[host].isotach.enter_barrier(0));
            EXPECT_EQ(hosts[host].isotach.barrier(0), BarrierState::kEntered);
            hosts.run(1ms);
        }
        std::vector<isotach::LogicalTime> times;
        for (NodeId host = 0; host < 3; ++host)
            times.push_back(only_notice(hosts[host], DeliveryKind::kBarrier, 0).time);
        EXPECT_EQ(times[0], times[1]);
        EXPECT_EQ(times[0], times[2]);
    }
}

/// So that who hears of it then, by whatever way, does nothing at an earlier time.
TEST(Barriers, all_clocks_are_past_a_joining_when_the_group_knows_of_it) {
    Hosts hosts(topology::line(3, 1));
    for (NodeId host = 0; host < 3; ++host) {
        Isotach& isotach = hosts[host].isotach;
        EXPECT_TRUE(isotach.group_knows());
        ASSERT_TRUE(isotach.join_barrier(0, kStrong));
        EXPECT_FALSE(isotach.group_knows());
        for (int i = 0; i < 10'000 && !isotach.group_knows(); ++i)
            hosts.run(1us);
        ASSERT_TRUE(isotach.group_knows());
        for (NodeId other = 0; other < 3; ++other)
            EXPECT_GT(hosts[other].siu.clock(), isotach.acted_at());
    }
}

TEST(Barriers, are_entered_by_those_that_have_joined_and_once) {
    Hosts hosts(topology::single_switch(2));
    Isotach& isotach = hosts[0].isotach;
    EXPECT_FALSE(isotach.enter_barrier(0));
    EXPECT_FALSE(isotach.join_barrier(wire::kBarrierChannels, kStrong));
    EXPECT_FALSE(isotach.enter_barrier(wire::kBarrierChannels));
    EXPECT_FALSE(isotach.leave_barrier(wire::kBarrierChannels));
    EXPECT_TRUE(isotach.join_barrier(0, BarrierMode::kWeak));
    EXPECT_EQ(isotach.barrier_mode(0), BarrierMode::kWeak);
    EXPECT_FALSE(isotach.join_barrier(0, kStrong));
    ASSERT_TRUE(hosts[1].isotach.join_barrier(0, kStrong));
    hosts.run(1ms);
    EXPECT_TRUE(isotach.enter_barrier(0));
    EXPECT_FALSE(isotach.enter_barrier(0));
    hosts.run(1ms);
    EXPECT_FALSE(isotach.enter_barrier(0));
    EXPECT_TRUE(isotach.leave_barrier(0));
    EXPECT_TRUE(isotach.leave_barrier(0)) << "which it has left already";
    EXPECT_FALSE(isotach.enter_barrier(0));
}

TEST(Barriers, are_entered_again_by_those_that_have_received_the_notice_of_the_last) {
    Hosts hosts(topology::single_switch(2));
    for (NodeId host = 0; host < 2; ++host)
        ASSERT_TRUE(hosts[host].isotach.join_barrier(0, kStrong));
    for (NodeId host = 0; host < 2; ++host)
        ASSERT_TRUE(hosts[host].isotach.enter_barrier(0));
    hosts.run(1ms);
    for (NodeId host = 0; host < 2; ++host) {
        ASSERT_TRUE(hosts[host].isotach.waiting());
        EXPECT_EQ(hosts[host].isotach.barrier(0), BarrierState::kEntered);
        EXPECT_FALSE(hosts[host].isotach.enter_barrier(0));
        only_notice(hosts[host], DeliveryKind::kBarrier, 0);
        EXPECT_EQ(hosts[host].isotach.barrier(0), BarrierState::kHolding);
        EXPECT_TRUE(hosts[host].isotach.enter_barrier(0));
    }
    // A notice that was not received before its barrier is left never is.
    hosts.run(1ms);
    ASSERT_TRUE(hosts[0].isotach.leave_barrier(0));
    EXPECT_TRUE(hosts[0].receive().empty());
    only_notice(hosts[1], DeliveryKind::kBarrier, 0);
}

TEST(Barriers, who_leaves_after_entering_is_told_nothing_and_holds_nobody_up) {
    Hosts hosts(topology::single_switch(3));
    for (NodeId host = 0; host < 3; ++host)
        ASSERT_TRUE(hosts[host].isotach.join_barrier(1, kStrong));
    hosts.run(1ms);
    ASSERT_TRUE(hosts[0].isotach.enter_barrier(1));
    ASSERT_TRUE(hosts[1].isotach.enter_barrier(1));
    hosts.run(1ms);
    ASSERT_TRUE(hosts[1].isotach.leave_barrier(1));
    EXPECT_EQ(hosts[1].isotach.barrier(1), BarrierState::kApart);
    hosts.run(1ms);
    EXPECT_FALSE(hosts[0].isotach.waiting());
    ASSERT_TRUE(hosts[2].isotach.leave_barrier(1));
    hosts.run(1ms);
    only_notice(hosts[0], DeliveryKind::kBarrier, 1);
    EXPECT_FALSE(hosts[1].isotach.waiting());
    EXPECT_FALSE(hosts[2].isotach.waiting());
}

TEST(Barriers, one_left_is_as_new_when_it_is_joined_again) {
    Hosts hosts(topology::single_switch(2));
    for (NodeId host = 0; host < 2; ++host)
        ASSERT_TRUE(hosts[host].isotach.join_barrier(0, kStrong));
    ASSERT_TRUE(hosts[0].isotach.enter_barrier(0));
    // All before anybody has learned of the first of it.
    ASSERT_TRUE(hosts[0].isotach.leave_barrier(0));
    ASSERT_TRUE(hosts[0].isotach.join_barrier(0, kStrong));
    hosts.run(1ms);
    ASSERT_TRUE(hosts[1].isotach.enter_barrier(0));
    hosts.run(1ms);
    EXPECT_FALSE(hosts[1].isotach.waiting());
    ASSERT_TRUE(hosts[0].isotach.enter_barrier(0));
    hosts.run(1ms);
    for (NodeId host = 0; host < 2; ++host)
        only_notice(hosts[host], DeliveryKind::kBarrier, 0);
}

TEST(Barriers, complete_after_all_that_their_members_had_issued_before) {
    Hosts hosts(topology::line(3, 1));
    for (NodeId host = 0; host < 3; ++host)
        ASSERT_TRUE(hosts[host].isotach.join_barrier(0, kStrong));
    hosts.run(1ms);
    for (NodeId host = 0; host < 3; ++host) {
        ASSERT_TRUE(hosts[host].send({0, 1, 2}));
        ASSERT_TRUE(hosts[host].isotach.enter_barrier(0));
    }
    hosts.run(1ms);
    for (NodeId host = 0; host < 3; ++host) {
        const auto deliveries = hosts[host].receive();
        ASSERT_EQ(deliveries.size(), 4U);
        EXPECT_EQ(deliveries.back().kind, DeliveryKind::kBarrier);
        hosts[host].release(deliveries);
    }
    hosts.run(1ms);
}

}  // namespace isoplane::test
