// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "hosts.hh"

namespace isoplane::test {

namespace {

unsigned turns_to_deliver(Hosts& hosts, NodeId from, NodeId to) {
    EXPECT_TRUE(hosts[from].send({to}));
    const unsigned turns = hosts.stations.steps_until([&] { return hosts[to].isotach.waiting(); });
    hosts[to].release(hosts[to].receive());
    return turns;
}

}  // namespace

TEST(IsotachWake, a_message_on_an_idle_network_is_late_by_a_token_loop_at_the_most) {
    Hosts hosts(topology::line(2, 2));
    const unsigned hops = hosts.stations.paths().token_hops(0, 3);
    hosts[0].siu.want(true);
    hosts.run(100us);
    unsigned busy = 0;
    for (int i = 0; i < 50; ++i) {
        hosts.run(10us);
        busy = std::max(busy, turns_to_deliver(hosts, 0, 3));
    }
    for (int i = 0; i < 20; ++i) {
        hosts.stations.run(200ms, 50us);
        const auto asleep = hosts[0].siu.clock();
        hosts.stations.run(500us);
        ASSERT_LE(hosts[0].siu.clock() - asleep, 2U);
        EXPECT_LE(turns_to_deliver(hosts, 0, 3), busy + 2 * hops);
    }
    hosts.run(1ms);
}

TEST(IsotachWake, time_goes_on_until_all_is_executed_and_no_longer) {
    Hosts hosts(topology::line(2, 2));
    hosts.stations.run(500ms, 50us);
    ASSERT_TRUE(hosts[0].send({3}));
    hosts.run(1ms);
    EXPECT_EQ(hosts[0].isotach.outstanding(), 0U);
    hosts.stations.run(200ms, 50us);
    const auto asleep = hosts[0].siu.clock();
    hosts.stations.run(500ms, 50us);
    EXPECT_LE(hosts[0].siu.clock() - asleep, 11U);
    hosts[3].release(hosts[3].receive());
    hosts.run(1ms);
}

TEST(IsotachWake, time_does_not_stand_still_while_its_host_does_not_run) {
    Hosts hosts(topology::single_switch(2));
    Host& host = hosts[0];
    ASSERT_TRUE(host.send({1}));
    Time now = hosts.stations.now();
    const auto poll_alone = [&](Duration later) {
        now += later;
        host.niu.poll(now);
        host.poll(now);
    };
    poll_alone(1us);
    poll_alone(1us);
    poll_alone(100s);
    EXPECT_LT(host.isotach.standing(), host.niu.options().silence / 4) << "the others were stopped as well";
    for (int second = 0; second < 40; ++second)
        poll_alone(1s);
    EXPECT_GT(host.isotach.standing(), host.niu.options().silence);
}

}  // namespace isoplane::test
