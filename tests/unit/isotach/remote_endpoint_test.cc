// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/isotach/remote_endpoint.hh>

#include "hosts.hh"

namespace isoplane::test {

TEST(IsotachRemoteEndpoint, a_full_ring_delays_what_is_executed_and_loses_nothing) {
    constexpr unsigned kPlaces = 2;
    constexpr unsigned kIsochrons = 300;
    Hosts hosts(topology::line(1, 3));
    isotach::EndpointLink link(hosts[0].isotach, station_pool(), kPlaces);
    isotach::EndpointStage stage("isotach", link, hosts[0].isotach);
    isotach::RemoteEndpoint endpoint(link, hosts[0].isotach.needs(), station_pool());
    unsigned sent = 0;
    unsigned full = 0;
    unsigned executed = 0;
    for (unsigned turns = 0; executed < kIsochrons; ++turns) {
        ASSERT_LT(turns, 100 * kIsochrons);
        if (sent < kIsochrons && hosts[1].send({0, 2}, sent)) ++sent;
        hosts.run(5us);
        stage.poll(hosts.stations.now());
        hosts[2].release(hosts[2].receive());
        full += link.delivered.full() ? 1 : 0;
        if (turns % 5 != 0) continue;
        for (isotach::Delivery delivery; endpoint.receive(delivery); endpoint.release(delivery), ++executed)
            ASSERT_EQ(Bytes(delivery.data.begin(), delivery.data.end()), bytes(8, executed)) << executed;
    }
    EXPECT_GT(full, kIsochrons / kPlaces);
    for (int i = 0; i < 200; ++i) {
        hosts.run(5us);
        stage.poll(hosts.stations.now());
    }
    EXPECT_TRUE(stage.settled());
    EXPECT_EQ(hosts[1].isotach.outstanding(), 0U);
}

TEST(IsotachRemoteEndpoint,
     a_signal_that_waited_while_it_was_cleared_is_not_noticed_when_it_is_registered_again) {
    Hosts hosts(topology::single_switch(2));
    isotach::EndpointLink link(hosts[0].isotach, station_pool(), 8);
    isotach::EndpointStage stage("isotach", link, hosts[0].isotach);
    isotach::RemoteEndpoint endpoint(link, hosts[0].isotach.needs(), station_pool());
    const auto run = [&] {
        for (int i = 0; i < 200; ++i) {
            stage.poll(hosts.stations.now());
            hosts.run(5us);
        }
    };
    ASSERT_TRUE(endpoint.register_signal(1));
    ASSERT_TRUE(endpoint.send_signal(1));
    run();
    ASSERT_TRUE(endpoint.waiting());
    ASSERT_TRUE(endpoint.clear_signal(1));
    ASSERT_TRUE(endpoint.register_signal(1));
    isotach::Delivery delivery;
    EXPECT_FALSE(endpoint.receive(delivery));
    ASSERT_TRUE(endpoint.send_signal(1));
    run();
    EXPECT_TRUE(endpoint.receive(delivery));
    EXPECT_EQ(delivery.kind, isotach::DeliveryKind::kSignal);
    EXPECT_EQ(delivery.channel, 1U);
}

}  // namespace isoplane::test
