// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// How clients share a port that is slower than they are.
#include "clients.hh"

namespace isoplane::test {

namespace {

/// Clients that always have something to send, of nodes in a row.
struct Greedy {
    Greedy(SharedNode& node, std::uint16_t first, std::uint16_t end) {
        for (; first < end; ++first) {
            all.push_back(std::make_unique<Client>(identity(first), 2047));
            node.exchange.attach(all.back()->guest);
        }
    }
    void send() const {
        for (const auto& client : all)
            client->send(kFar, 64);
    }
    std::vector<std::unique_ptr<Client>> all;
};

TEST(Turns, greedy_clients_have_equal_shares_of_a_slow_port) {
    SharedNode node;
    const Greedy clients(node, 0, 8);
    for (unsigned round = 0; round < 20'000; ++round) {
        clients.send();
        node.port.out.room = 7;
        node.poll();
        node.port.out.clear();
    }
    EXPECT_GT(fairness(clients.all), 0.999);
    EXPECT_GT(clients.all.front()->counters().sent.get(), 10'000U);
}

TEST(Turns, who_comes_and_goes_takes_no_turn_from_others) {
    SharedNode node;
    const Greedy clients(node, 0, 4);
    Client restless(identity(4), 255, 64);
    for (unsigned round = 0; round < 5'000; ++round) {
        clients.send();
        node.exchange.attach(restless.guest);
        node.port.out.room = 7;
        node.poll();
        node.port.out.clear();
        node.exchange.detach(restless.guest);
    }
    EXPECT_GT(fairness(clients.all), 0.999);
    // Nor does one that goes in front of whoever has it.
    node.exchange.detach(clients.all[0]->guest);
    node.port.out.room = SIZE_MAX;
    for (unsigned round = 0; round < 100; ++round) {
        node.poll();
        node.port.out.clear();
    }
    for (std::size_t i = 1; i < clients.all.size(); ++i)
        EXPECT_TRUE(clients.all[i]->out.idle()) << i;
}

TEST(Turns, long_packets_do_not_make_a_larger_share) {
    SharedNode node;
    Client brief(identity(0), 2047);
    Client lengthy(identity(1), 2047);
    node.exchange.attach(brief.guest);
    node.exchange.attach(lengthy.guest);
    for (unsigned round = 0; round < 20'000; ++round) {
        brief.send(kFar, 32, 872);
        lengthy.send(kFar, 32, 1372);
        node.port.out.room = 5;
        node.poll();
        node.port.out.clear();
    }
    const double ratio = static_cast<double>(brief.counters().sent.get()) * (872 + 128) /
                         (static_cast<double>(lengthy.counters().sent.get()) * (1372 + 128));
    EXPECT_NEAR(ratio, 1, 0.02);
}

TEST(Turns, a_client_with_little_to_send_waits_for_one_round_at_most) {
    SharedNode node;
    const Greedy greedy(node, 1, 8);
    Client modest(identity(0));
    node.exchange.attach(modest.guest);
    // A turn of the others is 86 packets: 7 of them, and the burst that waits before.
    constexpr unsigned kOneRound = 7 * 86 + 2 * runtime::kBurst;
    for (unsigned trial = 0; trial < 100; ++trial) {
        modest.send(kFar);
        unsigned passed = 0;
        while (!modest.out.idle() && passed < 10 * kOneRound) {
            greedy.send();
            node.port.out.room = 10;
            node.poll();
            passed += 10;
            node.port.out.clear();
        }
        ASSERT_LE(passed, kOneRound) << trial;
    }
}

}  // namespace

}  // namespace isoplane::test
