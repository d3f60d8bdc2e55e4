// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <tuple>

#include "hosts.hh"

namespace isoplane::test {

namespace {

/// A message that has been delivered: whose, and which of its isochrons.
using Executed = std::tuple<isotach::Pulse, NodeId, std::uint32_t>;

/// Three hosts of which each sends isochrons to both others, all the time; host 0 manages the switch.
struct Talk {
    explicit Talk(double loss) : net(topology::single_switch(3), {}, {0}), executed(3) {
        for (unsigned port = 0; port < 3; ++port)
            net.stations.fabric().set(port, {.loss = loss});
    }

    void turns(unsigned count) {
        for (unsigned i = 0; i < count; ++i) {
            for (NodeId host = 0; host < 3; ++host)
                turn(host);
            net.stations.step();
        }
    }
    void turn(NodeId self) {
        Host& host = *net.hosts[self];
        const auto deliveries = host.receive();
        for (const isotach::Delivery& delivery : deliveries)
            executed[self].emplace_back(delivery.time.pulse, delivery.time.host, delivery.isochron);
        host.release(deliveries);
        host.send({static_cast<NodeId>((self + 1) % 3), static_cast<NodeId>((self + 2) % 3)});
    }
    void restart(NodeId host) {
        net.stations.poll_with(host, nullptr);
        net.hosts[host].reset();
        net.stations.start(host, 2);
        net.hosts[host] = std::make_unique<Host>(net.stations.niu(host), net.stations.paths(), HostOptions{});
        net.stations.poll_with(host, [at = net.hosts[host].get()](Time now) { at->poll(now); });
        executed[host].clear();
    }

    /// What a host has executed of that one's isochrons.
    std::vector<Executed> of(NodeId issuer, NodeId at) const {
        std::vector<Executed> those;
        std::ranges::copy_if(executed[at], std::back_inserter(those),
                             [issuer](const Executed& e) { return std::get<1>(e) == issuer; });
        return those;
    }

    Hosts net;
    std::vector<std::vector<Executed>> executed;
};

}  // namespace

TEST(IsotachRestart, of_a_neighbour_of_the_host_that_manages_ends_time_for_all_and_breaks_no_order) {
    for (const double loss : {0.0, 0.05}) {
        for (unsigned moment = loss == 0 ? 0 : 1; moment < 30; moment += 2) {
            Talk talk(loss);
            talk.turns(200 + moment);
            const std::size_t before = talk.executed[0].size();
            ASSERT_GT(before, 0U);
            talk.restart(2);
            for (unsigned i = 0; i < 40 && !talk.net[0].siu.broken(); ++i)
                talk.turns(100);
            talk.turns(500);
            const std::string when = " in turn " + std::to_string(moment) + ", loss " + std::to_string(loss);
            EXPECT_TRUE(talk.net[0].siu.broken()) << "the host that manages does not say so" << when;
            for (const NodeId host : {NodeId{0}, NodeId{1}}) {
                EXPECT_TRUE(std::ranges::is_sorted(talk.executed[host])) << "host " << host << when;
                EXPECT_EQ(talk.net[host].isotach.ordering().late(), 0U) << "host " << host << when;
            }
            // Host 2 has sent the same isochrons to both: one may have come further than the other.
            const auto at_0 = talk.of(2, 0);
            const auto at_1 = talk.of(2, 1);
            const std::size_t both = std::min(at_0.size(), at_1.size());
            EXPECT_TRUE(
                std::equal(at_0.begin(), at_0.begin() + static_cast<std::ptrdiff_t>(both), at_1.begin()))
                << "the survivors differ" << when;
            EXPECT_TRUE(talk.executed[2].empty())
                << "the new life executes what is of the former one" << when;
            const auto stands_at = talk.net[1].siu.ended();
            talk.turns(200);
            EXPECT_EQ(talk.net[1].siu.ended(), stands_at) << "time goes on" << when;
        }
    }
}

}  // namespace isoplane::test
