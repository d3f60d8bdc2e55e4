// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "trio.hh"

namespace isoplane::test {

TEST_F(TrioTest, completes_when_all_nodes_have_entered) {
    EXPECT_EQ(barrier(0).state(), BarrierState::kNone);
    run(1ms);
    ASSERT_TRUE(barrier(0).enter());
    ASSERT_TRUE(barrier(1).enter());
    run(1ms);
    EXPECT_EQ(barrier(0).state(), BarrierState::kRunning);
    EXPECT_EQ(barrier(1).state(), BarrierState::kRunning);
    EXPECT_EQ(barrier(2).state(), BarrierState::kNone);
    ASSERT_TRUE(barrier(2).enter());
    run(1ms);
    for (NodeId i = 0; i < kNodes; ++i) {
        EXPECT_EQ(barrier(i).state(), BarrierState::kComplete);
        EXPECT_EQ(barrier(i).completed(), 1U);
    }
}

TEST_F(TrioTest, refuses_to_enter_a_barrier_while_one_is_running) {
    run(1ms);
    ASSERT_TRUE(barrier(0).enter());
    EXPECT_FALSE(barrier(0).enter());
    run(1ms);
    EXPECT_FALSE(barrier(0).enter());
}

TEST_F(TrioTest, waits_for_nodes_that_are_not_up_yet) {
    for (NodeId i = 0; i < kNodes; ++i)
        ASSERT_TRUE(barrier(i).enter());
    run(2ms);
    for (NodeId i = 0; i < kNodes; ++i)
        EXPECT_EQ(barrier(i).state(), BarrierState::kComplete);
}

TEST_F(TrioTest, does_not_lose_the_next_barrier_of_a_fast_node) {
    run(1ms);
    for (NodeId i = 0; i < kNodes; ++i)
        ASSERT_TRUE(barrier(i).enter());
    // Node 0 hears of the others, and is at the next barrier before they have looked.
    while (barrier(0).state() != BarrierState::kComplete) {
        now += 5us;
        for (const auto& host : hosts)
            host->niu.poll(now);
        fabric->poll(now);
        hosts[0]->dispatcher.dispatch();
        barrier(0).poll();
    }
    ASSERT_TRUE(barrier(0).enter());
    run(1ms);
    EXPECT_EQ(barrier(1).state(), BarrierState::kComplete);
    EXPECT_EQ(barrier(0).state(), BarrierState::kRunning);
    ASSERT_TRUE(barrier(1).enter());
    ASSERT_TRUE(barrier(2).enter());
    run(1ms);
    EXPECT_EQ(barrier(0).completed(), 2U);
    EXPECT_EQ(barrier(0).state(), BarrierState::kComplete);
}

TEST_F(TrioTest, completes_though_nobody_receives_what_was_sent_before) {
    run(1ms);
    const std::vector<std::byte> message(1400);
    struct Keeper final : niu::Receiver {
        std::vector<niu::Received> kept;
        void take(const niu::Received& message) noexcept override { kept.push_back(message); }
    } keeper;
    hosts[1]->dispatcher.attach(wire::Protocol::kNoniso, &keeper);
    for (int i = 0; i < 100; ++i) {
        hosts[0]->niu.send(1, wire::Protocol::kNoniso, message);
        run(50us);
    }
    ASSERT_FALSE(hosts[0]->niu.send(1, wire::Protocol::kNoniso, message));
    for (int round = 0; round < 10; ++round) {
        for (NodeId i = 0; i < kNodes; ++i)
            ASSERT_TRUE(barrier(i).enter());
        run(5ms);
        for (NodeId i = 0; i < kNodes; ++i)
            ASSERT_EQ(barrier(i).state(), BarrierState::kComplete) << "node " << i << ", round " << round;
    }
    EXPECT_EQ(keeper.kept.size(), 12U);
    for (const niu::Received& message_kept : keeper.kept)
        hosts[1]->niu.release(message_kept);
    hosts[1]->dispatcher.attach(wire::Protocol::kNoniso, nullptr);
}

TEST_F(TrioTest, is_broken_when_a_node_dies) {
    run(1ms);
    ASSERT_TRUE(barrier(0).enter());
    ASSERT_TRUE(barrier(1).enter());
    hosts[2].reset();
    run(500ms);
    for (NodeId i = 0; i < 2; ++i) {
        EXPECT_EQ(barrier(i).state(), BarrierState::kBroken);
        EXPECT_EQ(barrier(i).broken_by(), 2);
        EXPECT_FALSE(barrier(i).enter());
    }
}

/// Its peers have heard of a life that never comes, as a shared node speaks of one when a client has died.
TEST_F(TrioTest, does_without_a_node_that_died_while_it_started_again) {
    for (NodeId i = 0; i < kNodes; ++i)
        start(i, 1, noniso::Loss::kLeavesOut);
    run(1ms);
    start(2, 2, noniso::Loss::kLeavesOut);
    run(1ms);
    hosts[2].reset();
    run(500ms);
    EXPECT_EQ(hosts[0]->niu.state(2), niu::PeerState::kUnknown);
    ASSERT_TRUE(barrier(0).enter());
    ASSERT_TRUE(barrier(1).enter());
    run(1ms);
    EXPECT_EQ(barrier(0).state(), BarrierState::kComplete);
    EXPECT_EQ(barrier(1).state(), BarrierState::kComplete);

    // It may come after all, and takes part from the next one on.
    start(2, 3, noniso::Loss::kLeavesOut);
    run(50ms);
    for (NodeId i = 0; i < kNodes; ++i)
        ASSERT_TRUE(barrier(i).enter());
    run(1ms);
    for (NodeId i = 0; i < kNodes; ++i)
        EXPECT_EQ(barrier(i).state(), BarrierState::kComplete) << i;
}

/// Node 0 is in a barrier already, node 1 is not: both have it come in at the next.
TEST_F(TrioTest, a_node_that_returns_while_one_is_under_way_comes_in_at_the_same_one_for_all) {
    for (NodeId i = 0; i < kNodes; ++i)
        start(i, 1, noniso::Loss::kLeavesOut);
    run(1ms);
    for (NodeId i = 0; i < kNodes; ++i)
        ASSERT_TRUE(barrier(i).enter());
    run(1ms);
    hosts[2].reset();
    run(500ms);
    ASSERT_TRUE(barrier(0).enter());
    run(1ms);
    start(2, 2, noniso::Loss::kLeavesOut);
    run(50ms);
    EXPECT_EQ(barrier(0).state(), BarrierState::kRunning);
    for (const NodeId i : {NodeId{1}, NodeId{2}, NodeId{0}, NodeId{1}}) {
        ASSERT_TRUE(barrier(i).enter()) << i;
        run(1ms);
    }
    for (NodeId i = 0; i < kNodes; ++i)
        EXPECT_EQ(barrier(i).state(), BarrierState::kComplete) << i;
    EXPECT_EQ(barrier(0).completed(), 3U);
    EXPECT_EQ(barrier(1).completed(), 3U);
    EXPECT_EQ(barrier(2).completed(), 1U);
    ASSERT_TRUE(barrier(2).enter());
    run(1ms);
    EXPECT_EQ(barrier(2).state(), BarrierState::kRunning);
    ASSERT_TRUE(barrier(0).enter());
    ASSERT_TRUE(barrier(1).enter());
    run(1ms);
    for (NodeId i = 0; i < kNodes; ++i)
        EXPECT_EQ(barrier(i).state(), BarrierState::kComplete) << i;
}

TEST_F(TrioTest, a_node_that_enters_before_it_knows_where_the_others_are_waits_for_them_there) {
    for (NodeId i = 0; i < kNodes; ++i)
        start(i, 1, noniso::Loss::kLeavesOut);
    for (int round = 0; round < 3; ++round) {
        for (NodeId i = 0; i < kNodes; ++i)
            ASSERT_TRUE(barrier(i).enter());
        run(2ms);
    }
    start(2, 2, noniso::Loss::kLeavesOut);
    ASSERT_TRUE(barrier(2).enter());
    run(500ms);
    EXPECT_EQ(barrier(2).state(), BarrierState::kRunning);
    ASSERT_TRUE(barrier(0).enter());
    run(1ms);
    EXPECT_EQ(barrier(0).state(), BarrierState::kRunning);
    EXPECT_EQ(barrier(2).state(), BarrierState::kRunning);
    ASSERT_TRUE(barrier(1).enter());
    run(1ms);
    EXPECT_EQ(barrier(0).completed(), 4U);
    EXPECT_EQ(barrier(1).completed(), 4U);
    EXPECT_EQ(barrier(2).completed(), 1U);
}

TEST_F(TrioTest, a_node_that_returns_does_not_wait_for_who_has_left_before) {
    for (NodeId i = 0; i < kNodes; ++i)
        start(i, 1, noniso::Loss::kLeavesOut);
    run(1ms);
    hosts[1].reset();
    hosts[2].reset();
    run(500ms);
    start(2, 2, noniso::Loss::kLeavesOut);
    bool told = false;
    barrier(2).count_as_lost([&](NodeId node) { return told && node == 1; });
    run(50ms);
    ASSERT_TRUE(barrier(0).enter());
    ASSERT_TRUE(barrier(2).enter());
    run(1ms);
    EXPECT_EQ(barrier(0).state(), BarrierState::kRunning);
    EXPECT_EQ(barrier(2).state(), BarrierState::kRunning);
    told = true;
    run(1ms);
    EXPECT_EQ(barrier(0).state(), BarrierState::kComplete);
    EXPECT_EQ(barrier(2).state(), BarrierState::kComplete);
}

TEST_F(TrioTest, does_without_those_who_have_closed) {
    for (NodeId i = 0; i < kNodes; ++i)
        start(i, 1, noniso::Loss::kLeavesOut);
    run(1ms);
    ASSERT_TRUE(barrier(2).enter());
    run(1ms);
    hosts[0]->niu.close();
    run(1ms);
    EXPECT_EQ(barrier(2).state(), BarrierState::kRunning);
    hosts[1]->niu.close();
    run(1ms);
    EXPECT_EQ(barrier(2).state(), BarrierState::kComplete);
    hosts[2]->niu.close();
    run(100ms);
    for (NodeId i = 0; i < kNodes; ++i)
        EXPECT_TRUE(hosts[i]->niu.closed()) << i;
}

TEST_F(TrioTest, is_broken_when_a_node_starts_again) {
    run(1ms);
    for (NodeId i = 0; i < kNodes; ++i)
        ASSERT_TRUE(barrier(i).enter());
    run(1ms);
    start(2, 2);
    run(200ms);
    ASSERT_TRUE(barrier(0).enter());
    ASSERT_TRUE(barrier(2).enter());
    run(5ms);
    EXPECT_EQ(barrier(0).state(), BarrierState::kBroken);
    EXPECT_EQ(barrier(0).broken_by(), 2);
}

}  // namespace isoplane::test
