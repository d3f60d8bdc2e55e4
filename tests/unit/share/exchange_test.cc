// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/wire/token.hh>
#include <nlohmann/json.hpp>

#include "clients.hh"

namespace isoplane::test {

namespace {

TEST(Exchange, packets_go_to_the_client_that_has_the_address_and_else_out_of_the_port) {
    SharedNode node;
    Client a(identity(0));
    Client b(identity(1));
    ASSERT_TRUE(node.exchange.attach(a.guest));
    ASSERT_TRUE(node.exchange.attach(b.guest));
    ASSERT_EQ(a.send(identity(1), 3), 3U);
    ASSERT_EQ(a.send(kFar, 2, 1514), 2U);
    node.poll();
    EXPECT_EQ(b.take(), 3U);
    ASSERT_EQ(node.port.out.packets.size(), 2U);
    EXPECT_EQ(node.port.out.packets[0]->pkt_len, 1514U);
    EXPECT_TRUE(a.out.idle());
    EXPECT_EQ(a.counters().sent.get(), 5U);
    EXPECT_EQ(a.counters().sent_bytes.get(), 3U * 64 + 2 * 1514);
    EXPECT_EQ(b.counters().received.get(), 3U);
}

TEST(Exchange, what_is_written_is_what_arrives) {
    SharedNode node;
    Client a(identity(0));
    Client b(identity(1));
    node.exchange.attach(a.guest);
    node.exchange.attach(b.guest);
    for (std::uint16_t size = 62; size <= 1514; size = static_cast<std::uint16_t>(size + 37)) {
        runtime::Packet packet = frame(a.pool, identity(0), identity(1), size);
        for (std::size_t i = 62; i < size; ++i)
            packet.data()[i] = static_cast<std::byte>(i * 31 + size);
        const std::vector<std::byte> wrote(packet.data().begin(), packet.data().end());
        rte_mbuf* sent = packet.release();
        ASSERT_EQ(a.out.send(&sent, 1), 1U);
        node.poll();
        rte_mbuf* came = nullptr;
        ASSERT_EQ(b.in.receive(&came, 1), 1U);
        const runtime::Packet received(came);
        EXPECT_TRUE(std::ranges::equal(wrote, received.data())) << size;
    }
}

TEST(Exchange, chains_and_packets_from_elsewhere_are_copied_into_one_piece) {
    SharedNode node;
    Client a(identity(0));
    Client b(identity(1));
    node.exchange.attach(a.guest);
    node.exchange.attach(b.guest);
    rte_mbuf* chain = frame(a.pool, identity(0), identity(1), 100).release();
    rte_mbuf* tail = a.pool.packet().release();
    rte_pktmbuf_append(tail, 50);
    ASSERT_EQ(rte_pktmbuf_chain(chain, tail), 0);
    ASSERT_EQ(a.out.send(&chain, 1), 1U);
    rte_mbuf* strange = frame(node.pool, identity(0), identity(1), 70).release();
    ASSERT_EQ(a.out.send(&strange, 1), 1U);
    EXPECT_EQ(a.out.linearised.get(), 2U);
    node.poll();
    EXPECT_EQ(b.take(), 2U);
    EXPECT_EQ(b.counters().received_bytes.get(), 220U);
}

TEST(Exchange, what_is_for_all_goes_to_all_of_the_job_and_out) {
    SharedNode node;
    Client a(identity(0));
    Client b(identity(1));
    Client c(identity(2));
    Client stranger(identity(1, 8));
    for (Client* client : {&a, &b, &c, &stranger})
        ASSERT_TRUE(node.exchange.attach(client->guest));
    a.send(everybody());
    node.poll();
    EXPECT_EQ(a.take(), 0U);
    EXPECT_EQ(b.take(), 1U);
    EXPECT_EQ(c.take(), 1U);
    EXPECT_EQ(stranger.take(), 0U);
    EXPECT_EQ(node.port.out.packets.size(), 1U);
}

TEST(Exchange, what_comes_in_goes_to_its_address_if_it_is_of_its_job) {
    SharedNode node;
    Client a(identity(0));
    Client stranger(identity(1, 8));
    node.exchange.attach(a.guest);
    node.exchange.attach(stranger.guest);
    for (const Identity& to : {identity(0), identity(1, 8), identity(5), everybody()})
        node.port.in.packets.push_back(frame(node.pool, kFar, to).release());
    node.poll();
    EXPECT_EQ(a.take(), 2U);
    EXPECT_EQ(stranger.take(), 0U);
    nlohmann::json said;
    node.exchange.describe(said);
    EXPECT_EQ(said["elsewhere"], 1);
    EXPECT_EQ(said["foreign"], 1);
}

TEST(Exchange, nobody_sends_in_the_name_of_another) {
    SharedNode node;
    Client a(identity(0));
    Client b(identity(1));
    node.exchange.attach(a.guest);
    node.exchange.attach(b.guest);
    Identity other_key = identity(0);
    other_key.job_key = 8;
    Identity other_node = identity(0);
    other_node.node = 1;
    Identity other_mac = identity(0);
    other_mac.mac = identity(1).mac;
    for (const Identity& forged : {other_key, other_node, other_mac})
        for (const Identity& to : {identity(1), kFar, everybody()})
            ASSERT_EQ(a.send_as(forged, to), 1U);
    rte_mbuf* no_frame = frame(a.pool, identity(0), kFar).release();
    rte_pktmbuf_mtod(no_frame, std::uint8_t*)[12] ^= 1;
    ASSERT_EQ(a.out.send(&no_frame, 1), 1U);
    rte_mbuf* other_version = frame(a.pool, identity(0), kFar).release();
    rte_pktmbuf_mtod(other_version, std::uint8_t*)[wire::kEthernetSize] ^= 1;
    ASSERT_EQ(a.out.send(&other_version, 1), 1U);
    node.poll();
    EXPECT_EQ(a.counters().refused.get(), 11U);
    EXPECT_EQ(b.take(), 0U);
    EXPECT_TRUE(node.port.out.packets.empty());
    EXPECT_TRUE(a.out.idle());
}

/// A token to node 1 that names that sender, from the address of node 0.
rte_mbuf* token_of(runtime::Pool& pool, std::uint16_t source) {
    std::array<std::byte, wire::token_size(0)> token{};
    wire::encode_token(token, {.number = 1}, {});
    constexpr auto kSize = static_cast<std::uint16_t>(wire::kEthernetSize + wire::kHeaderSize + token.size());
    rte_mbuf* m = frame(pool, identity(0), identity(1), kSize).release();
    auto* const at = rte_pktmbuf_mtod_offset(m, std::byte*, wire::kEthernetSize);
    std::copy(token.begin(), token.end(), at + wire::kHeaderSize);
    wire::Header header{
        .kind = wire::Kind::kToken, .job_key = 7, .source = source, .destination = 1, .epoch = 1};
    wire::encode_frame(std::span<std::byte, wire::kHeaderSize>(at, wire::kHeaderSize), header, token);
    return m;
}

TEST(Exchange, tokens_are_their_senders_or_those_of_a_token_manager_that_it_plays) {
    SharedNode node;
    Client a(identity(0));
    Client b(identity(1));
    node.exchange.attach(a.guest);
    node.exchange.attach(b.guest);
    const auto send = [&](std::uint16_t source) {
        rte_mbuf* m = token_of(a.pool, source);
        ASSERT_EQ(a.out.send(&m, 1), 1U);
        node.poll();
    };
    for (const std::uint16_t source : {std::uint16_t{0}, kHosts})
        send(source);
    EXPECT_EQ(a.counters().refused.get(), 0U);
    EXPECT_EQ(b.take(), 2U);
    // Of a host that is here, and of one that is elsewhere.
    for (const int source : {1, kHosts - 1})
        send(static_cast<std::uint16_t>(source));
    EXPECT_EQ(a.counters().refused.get(), 2U);
    EXPECT_EQ(b.take(), 0U);
}

TEST(Exchange, who_knows_of_no_hosts_sends_tokens_in_its_own_name_only) {
    SharedNode node;
    Identity alone = identity(0);
    alone.hosts = Identity::kNoHosts;
    Client a(alone);
    node.exchange.attach(a.guest);
    for (const std::uint16_t source : {std::uint16_t{0}, kHosts}) {
        rte_mbuf* m = token_of(a.pool, source);
        ASSERT_EQ(a.out.send(&m, 1), 1U);
    }
    node.poll();
    EXPECT_EQ(a.counters().refused.get(), 1U);
}

TEST(Exchange, clients_of_two_jobs_do_not_reach_each_other) {
    SharedNode node;
    Client a(identity(0));
    Client stranger(identity(1, 8));
    node.exchange.attach(a.guest);
    node.exchange.attach(stranger.guest);
    a.send(identity(1, 8), 5);
    node.poll();
    EXPECT_EQ(stranger.take(), 0U);
    EXPECT_EQ(a.counters().misaddressed.get(), 5U);
}

TEST(Exchange, a_node_without_a_port_joins_its_clients) {
    runtime::Pool pool("portless", 63, runtime::Pool::kDefaultRoom, 0);
    share::Exchange exchange("shared", nullptr, nullptr, pool, 1514);
    Client a(identity(0));
    Client b(identity(1));
    exchange.attach(a.guest);
    exchange.attach(b.guest);
    a.send(identity(1));
    a.send(everybody());
    a.send(kFar);
    exchange.poll({});
    EXPECT_EQ(b.take(), 2U);
    EXPECT_EQ(a.counters().misaddressed.get(), 1U);
}

TEST(Exchange, an_address_and_a_node_of_a_job_have_one_client) {
    SharedNode node;
    Client a(identity(0));
    Client same(identity(0));
    Identity who = identity(0);
    who.mac = identity(3).mac;
    Client same_node(who);
    ASSERT_TRUE(node.exchange.attach(a.guest));
    EXPECT_FALSE(node.exchange.attach(same.guest));
    EXPECT_FALSE(node.exchange.attach(same_node.guest));
    node.exchange.detach(a.guest);
    EXPECT_TRUE(node.exchange.attach(same.guest));
}

TEST(Exchange, nothing_is_lost_where_the_port_takes_nothing_for_a_while) {
    SharedNode node;
    Client a(identity(0));
    Client b(identity(1));
    node.exchange.attach(a.guest);
    node.exchange.attach(b.guest);
    node.port.out.room = 0;
    const unsigned sent = a.send(kFar, 2000);
    EXPECT_EQ(sent, share::kSlots);
    b.send(identity(0), 10);
    node.poll(100);
    EXPECT_TRUE(node.port.out.packets.empty());
    EXPECT_EQ(a.take(), 10U) << "what does not go out does not wait";
    node.port.out.room = SIZE_MAX;
    node.poll(100);
    EXPECT_EQ(node.port.out.packets.size(), sent);
    EXPECT_TRUE(a.out.idle());
}

TEST(Exchange, a_client_that_does_not_receive_misses_and_holds_up_nobody) {
    SharedNode node;
    Client a(identity(0));
    Client asleep(identity(1), 4095, 100);
    Client b(identity(2));
    for (Client* client : {&a, &asleep, &b})
        node.exchange.attach(client->guest);
    a.send(identity(1), 150);
    a.send(identity(2), 50);
    node.poll(10);
    EXPECT_EQ(asleep.counters().missed.get(), 50U);
    EXPECT_EQ(b.take(), 50U);
    EXPECT_EQ(asleep.take(), 100U);
    a.send(identity(1), 20);
    node.poll(10);
    EXPECT_EQ(asleep.take(), 20U);
}

TEST(Exchange, a_client_never_lends_all_that_it_has_to_send) {
    SharedNode node;
    Client a(identity(0), 255, 64);
    node.exchange.attach(a.guest);
    a.send(kFar, 1000);
    node.poll(10);
    EXPECT_TRUE(a.out.idle());
    EXPECT_EQ(a.send(kFar, 10), 10U) << "what it has again it hears of as it sends";
    node.poll(10);
}

TEST(Exchange, a_client_can_go_at_any_time_and_come_back) {
    SharedNode node;
    Client a(identity(0));
    node.exchange.attach(a.guest);
    std::uint64_t expected = 0;
    for (unsigned life = 0; life < 200; ++life) {
        Client b(identity(1), 255, 64);
        ASSERT_TRUE(node.exchange.attach(b.guest));
        expected += a.send(identity(2), 3);
        Client c(identity(2), 255, 64);
        ASSERT_TRUE(node.exchange.attach(c.guest));
        node.port.out.room = life % 9;
        b.send(identity(2), 1 + life % 5);
        b.send(kFar, life % 100);
        a.send(identity(1), life % 7);
        node.poll(life % 4);
        node.exchange.detach(b.guest);
        node.port.out.room = SIZE_MAX;
        node.poll(3);
        EXPECT_GE(c.take(), 3U);
        node.exchange.detach(c.guest);
        node.port.out.clear();
    }
    EXPECT_EQ(a.counters().refused.get(), 0U);
    EXPECT_TRUE(a.out.idle());
    EXPECT_GE(a.counters().sent.get(), expected);
}

}  // namespace

}  // namespace isoplane::test
