// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <array>

#include "hosts.hh"

namespace isoplane::test {

namespace {

/// Turns from a message to the answer that its receiver gives at once, in a network that does nothing else.
std::vector<unsigned> turns_of_answers(Hosts& net, unsigned count) {
    std::vector<unsigned> turns;
    NodeId at = 0;
    EXPECT_TRUE(net.hosts[at]->send({1}));
    for (; turns.size() < count; at = 1 - at) {
        Host& receiver = *net.hosts[1 - at];
        const unsigned steps = net.stations.steps_until([&] {
            const auto deliveries = receiver.receive();
            receiver.release(deliveries);
            return !deliveries.empty();
        });
        turns.push_back(steps);
        EXPECT_TRUE(receiver.send({at}));
    }
    net.stations.run(1ms);
    for (const auto& host : net.hosts)
        host->release(host->receive());
    return turns;
}

using Turns = std::vector<unsigned>;

}  // namespace

// A frame is there after two turns: that of its sender, and that of its receiver.

TEST(IsotachAnswer, takes_one_hop_more_than_the_message_where_the_token_manager_is_one_hop_away) {
    for (const std::uint32_t ahead : {1U, 2U}) {
        Hosts net(topology::single_switch(2), {.siu = {.exchange = {.ahead = ahead}}});
        EXPECT_EQ(turns_of_answers(net, 12), (Turns{4, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3}));
    }
}

TEST(IsotachAnswer, takes_as_long_as_the_message_where_one_of_the_two_is_the_token_manager) {
    for (const std::uint32_t ahead : {1U, 2U}) {
        Hosts net(topology::single_switch(2), {.siu = {.exchange = {.ahead = ahead}}}, {0});
        EXPECT_EQ(turns_of_answers(net, 12), Turns(12, 2));
    }
}

TEST(IsotachAnswer, takes_its_token_along_where_one_of_the_two_is_the_token_manager) {
    Hosts net(topology::single_switch(2), {}, {0});
    turns_of_answers(net, 100);  // by then they know who manages
    std::array<std::uint64_t, 2> before{};
    const auto along = [&net](NodeId host) { return net[host].siu.counters().along.get(); };
    for (NodeId host = 0; host < 2; ++host)
        before[host] = along(host);
    turns_of_answers(net, 20);
    for (NodeId host = 0; host < 2; ++host)
        EXPECT_GE(along(host) - before[host], 10U) << host;
}

}  // namespace isoplane::test
