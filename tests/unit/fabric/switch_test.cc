// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "bench.hh"

#include <nlohmann/json.hpp>

namespace isoplane::test {

class Switch : public FabricTest {};

TEST_F(Switch, floods_to_unknown_stations_and_never_back) {
    Bench bench(3);
    bench.send(0, 1);
    EXPECT_EQ(bench.out(0).frames().size(), 0U);
    EXPECT_EQ(bench.out(1).frames().size(), 1U);
    EXPECT_EQ(bench.out(2).frames().size(), 1U);
    EXPECT_EQ(bench.fabric().ingress(0).flooded.get(), 1U);
}

TEST_F(Switch, sends_to_a_learned_station_only_through_its_port) {
    Bench bench(3);
    bench.introduce_all();
    bench.send(0, 1);
    bench.send(2, 0);
    EXPECT_EQ(bench.out(0).frames().size(), 1U);
    EXPECT_EQ(bench.out(1).frames().size(), 1U);
    EXPECT_EQ(bench.out(2).frames().size(), 0U);
    EXPECT_EQ(bench.fabric().egress(1).out.get(), 1U);
    EXPECT_EQ(bench.fabric().ingress(0).flooded.get(), 0U);
}

TEST_F(Switch, follows_a_station_that_moves) {
    Bench bench(3);
    bench.introduce_all();
    bench.in(2).put(numbered_frame(pool(), 1, 0, 0));  // station 1, now behind port 2
    bench.poll();
    bench.send(0, 1);
    EXPECT_EQ(bench.out(1).frames().size(), 0U);
    EXPECT_EQ(bench.out(2).frames().size(), 1U);
}

TEST_F(Switch, forgets_stations_that_are_silent) {
    Bench bench(3, {.age = 1s});
    bench.introduce_all();
    bench.poll(2s);
    bench.send(0, 1);
    EXPECT_EQ(bench.fabric().ingress(0).flooded.get(), 1U);
}

TEST_F(Switch, filters_what_is_for_a_station_behind_the_same_port) {
    Bench bench(2);
    bench.introduce_all();
    bench.in(0).put(numbered_frame(pool(), 7, 0, 0));
    bench.poll();
    EXPECT_EQ(bench.out(0).frames().size() + bench.out(1).frames().size(), 0U);
    EXPECT_EQ(bench.fabric().ingress(0).filtered.get(), 1U);
}

TEST_F(Switch, drops_and_counts_runts) {
    Bench bench(2);
    rte_mbuf* runt = pool().packet().release();
    rte_pktmbuf_append(runt, 13);
    bench.in(0).put(runt);
    bench.poll();
    EXPECT_EQ(bench.fabric().ingress(0).runt.get(), 1U);
    EXPECT_EQ(bench.out(1).frames().size(), 0U);
}

TEST_F(Switch, gives_each_receiver_of_a_flooded_frame_its_own_memory) {
    Bench bench(3);
    bench.in(0).put(numbered_frame(pool(), 0, kBroadcast, 0, 5));
    bench.poll();
    rte_mbuf* a = bench.out(1).frames().at(0);
    rte_mbuf* b = bench.out(2).frames().at(0);
    EXPECT_NE(rte_pktmbuf_mtod(a, void*), rte_pktmbuf_mtod(b, void*));
    EXPECT_TRUE(intact(a));
    EXPECT_TRUE(intact(b));
}

TEST_F(Switch, counts_flooded_copies_that_no_memory_is_left_for) {
    runtime::Pool tiny("tiny", 1, runtime::Pool::kDefaultRoom, 0);
    Bench bench(4, {}, tiny);
    bench.send(0, 9);  // three receivers: the frame itself, one copy, and one that cannot be made
    EXPECT_EQ(bench.out(1).frames().size() + bench.out(2).frames().size() + bench.out(3).frames().size(), 2U);
    EXPECT_EQ(bench.fabric().egress(1).no_memory.get() + bench.fabric().egress(2).no_memory.get(), 1U);
    for (unsigned port : {1U, 2U, 3U})
        bench.out(port).take();
    EXPECT_EQ(tiny.in_use(), 0U);
}

TEST_F(Switch, a_stalled_port_holds_nobody_up_and_drops_the_newest) {
    Bench bench(3);
    bench.introduce_all();
    fabric::Impairment small;
    small.queue = 10;
    bench.fabric().set(1, small);
    bench.out(1).room = 0;
    for (std::uint32_t i = 0; i < 25; ++i) {
        bench.send(0, 1, i);
        bench.send(0, 2, i);
    }
    EXPECT_EQ(bench.out(2).take().first, 25U);
    EXPECT_EQ(bench.fabric().egress(1).queue_full.get(), 15U);
    EXPECT_EQ(bench.fabric().held(), 10U);
    bench.out(1).room = SIZE_MAX;
    bench.poll();
    ASSERT_EQ(bench.out(1).frames().size(), 10U);
    for (std::uint32_t i = 0; i < 10; ++i)
        EXPECT_EQ(mark_of(bench.out(1).frames()[i]).number, i) << "the oldest stay, in order";
}

TEST_F(Switch, discards_what_it_holds_when_asked) {
    Bench bench(2);
    bench.introduce_all();
    bench.out(1).room = 0;
    bench.stream(20);
    EXPECT_EQ(bench.fabric().held(), 20U);
    EXPECT_EQ(bench.fabric().discard(), 20U);
    EXPECT_EQ(bench.fabric().held(), 0U);
}

TEST_F(Switch, a_cut_port_neither_receives_nor_sends_and_counts_both) {
    Bench bench(2);
    bench.introduce_all();
    fabric::Impairment cut;
    cut.cut = true;
    bench.fabric().set(1, cut);
    bench.send(0, 1);
    bench.send(1, 0);
    EXPECT_EQ(bench.out(0).frames().size() + bench.out(1).frames().size(), 0U);
    EXPECT_EQ(bench.fabric().egress(1).cut.get(), 1U);
    EXPECT_EQ(bench.fabric().ingress(1).cut.get(), 1U);
    bench.fabric().set(1, {});
    bench.send(0, 1);
    EXPECT_EQ(bench.out(1).frames().size(), 1U);
}

TEST_F(Switch, what_comes_after_a_cut_does_not_wait_for_what_was_dropped_by_it) {
    Bench bench(2);
    bench.introduce_all();
    fabric::Impairment slow;
    slow.rate = 1'000'000;
    bench.fabric().set(1, slow);
    bench.stream(100);  // some fifty milliseconds of it
    fabric::Impairment cut = slow;
    cut.cut = true;
    bench.fabric().set(1, cut);
    EXPECT_EQ(bench.fabric().held(), 0U);
    bench.fabric().set(1, slow);
    bench.out(1).take();
    bench.send(0, 1, 100);
    bench.poll(2ms);
    EXPECT_EQ(bench.out(1).take().all, 1U);
}

TEST_F(Switch, a_cut_drops_what_waits_in_the_port) {
    Bench bench(2);
    bench.introduce_all();
    bench.out(1).room = 0;
    bench.stream(5);
    fabric::Impairment cut;
    cut.cut = true;
    bench.fabric().set(1, cut);
    EXPECT_EQ(bench.fabric().held(), 0U);
    EXPECT_EQ(bench.fabric().egress(1).cut.get(), 5U);
}

TEST_F(Switch, a_partition_keeps_groups_apart_until_it_heals) {
    Bench bench(4);
    bench.introduce_all();
    bench.fabric().set_partition(fabric::parse_partition("0,1|2,3", 4));
    bench.send(0, 1);
    bench.send(0, 2);
    bench.in(3).put(numbered_frame(pool(), 3, kBroadcast, 3, 0));
    bench.poll();
    EXPECT_EQ(bench.out(1).frames().size(), 1U);
    EXPECT_EQ(bench.out(2).frames().size(), 1U) << "the broadcast alone";
    EXPECT_EQ(bench.out(0).frames().size(), 0U);
    EXPECT_EQ(bench.fabric().egress(2).cut.get(), 1U);
    EXPECT_EQ(bench.fabric().egress(0).cut.get(), 1U);
    bench.fabric().set_partition(fabric::parse_partition("", 4));
    bench.send(0, 2);
    EXPECT_EQ(bench.out(2).frames().size(), 2U);
}

TEST_F(Switch, describes_its_ports_counters_and_settings) {
    Bench bench(2);
    bench.introduce_all();
    bench.fabric().set(1, fabric::parse_impairment("loss=1"));
    bench.send(0, 1);
    nlohmann::json out;
    bench.fabric().describe(out);
    EXPECT_EQ(out["mac_table"]["size"], 2);
    EXPECT_EQ(out["ports"][0]["counters"]["in"], 1);
    EXPECT_EQ(out["ports"][1]["counters"]["lost"], 1);
    EXPECT_EQ(out["ports"][1]["impairment"]["loss"], 1.0);
    bench.fabric().clear_counters();
    bench.fabric().describe(out);
    EXPECT_EQ(out["ports"][1]["counters"]["lost"], 0);
}

TEST_F(Switch, has_no_more_ports_than_can_be_numbered) {
    Source in("in");
    Sink out("out");
    const std::vector<fabric::Port> ports(65535, fabric::Port{in, out});
    try {
        const fabric::Switch made("wide", ports, pool(), {});
        FAIL() << "it has " << ports.size();
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(),
                     "the switch 'wide' cannot have 65535 ports; fewer than 65535 can be numbered");
    }
}

}  // namespace isoplane::test
