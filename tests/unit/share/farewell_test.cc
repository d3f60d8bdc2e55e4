// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <nlohmann/json.hpp>

#include "clients.hh"

namespace isoplane::test {

namespace {

TEST(Farewell, peers_behind_a_busy_port_are_told_later_that_a_client_is_gone) {
    SharedNode node;
    Client a(identity(0));
    Client b(identity(1));
    node.exchange.attach(a.guest);
    node.exchange.attach(b.guest);
    node.port.out.room = 0;
    const unsigned sent = a.send(kFar, 200);
    node.poll(10);
    node.exchange.detach(a.guest);
    const runtime::Packet farewell = frame(node.pool, identity(0), everybody(), 100);
    node.exchange.announce(identity(0), farewell.data());
    node.poll();
    EXPECT_EQ(b.take(), 1U) << "those who are here hear at once";
    EXPECT_GT(node.exchange.held(), 0U);
    node.port.out.room = SIZE_MAX;
    b.send(kFar);
    node.poll(10);
    const auto& out = node.port.out.packets;
    ASSERT_GT(out.size(), 2U);
    EXPECT_LT(out.size(), sent) << "the client had more to send";
    EXPECT_EQ(out[out.size() - 2]->pkt_len, 100U) << "behind what it has sent, before what others send now";
    EXPECT_EQ(node.exchange.held(), 0U);
}

TEST(Farewell, it_waits_for_a_packet) {
    SharedNode node;
    std::vector<runtime::Packet> all;
    do
        all.push_back(node.pool.packet());
    while (all.back());
    const std::array<std::byte, 100> farewell{};
    node.exchange.announce(identity(0), farewell);
    node.poll(3);
    all.clear();
    node.poll();
    EXPECT_EQ(node.port.out.packets.size(), 1U);
}

TEST(Farewell, peers_of_who_goes_while_the_node_is_stopped_are_told_when_it_goes_on) {
    SharedNode node;
    Client b(identity(1));
    node.exchange.attach(b.guest);
    node.exchange.set_quiet(true);
    node.exchange.announce(identity(0), std::array<std::byte, 100>{});
    EXPECT_TRUE(node.port.out.packets.empty());
    EXPECT_EQ(node.exchange.discard(), 0U);
    node.exchange.set_quiet(false);
    node.poll();
    EXPECT_EQ(b.take(), 1U);
    EXPECT_EQ(node.port.out.packets.size(), 1U);
}

TEST(Farewell, more_than_can_wait_are_counted) {
    SharedNode node;
    node.port.out.room = 0;
    Client a(identity(0));
    node.exchange.attach(a.guest);
    a.send(kFar);
    node.poll();
    for (std::size_t i = 0; i < share::kMaxClients + 3; ++i)
        node.exchange.announce(identity(1), std::array<std::byte, 100>{});
    nlohmann::json said;
    node.exchange.describe(said);
    EXPECT_EQ(said["untold"], 3);
}

}  // namespace

}  // namespace isoplane::test
