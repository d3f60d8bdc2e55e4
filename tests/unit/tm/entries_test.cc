// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/tm/token_manager.hh>
#include <isoplane/wire/hello.hh>
#include <set>

#include "hand.hh"
#include "stations.hh"

namespace isoplane::test {

namespace {

using Entries = std::vector<wire::TokenEntry>;

/// Token managers between hosts whose tokens the test writes, as it does those of token managers on `liars`,
/// switches that are next to one on which the token manager is none.
struct Exchange {
    explicit Exchange(topology::Topology of, niu::Options options = {},
                      const std::vector<topology::SwitchId>& liars = {})
        : stations(std::move(of), std::move(options)) {
        const topology::Topology& topology = stations.topology();
        for (NodeId host = 0; host < stations.hosts(); ++host)
            take_in_hand(host, topology.token_neighbours(host).front());
        for (topology::SwitchId s = 0; s < topology.switch_count(); ++s) {
            const NodeId id = topology.token_manager(s);
            if (std::ranges::find(liars, s) != liars.end())
                take_in_hand(id, topology.token_manager(topology.adjacent(s).front()));
            else
                managers.push_back(
                    std::make_unique<tm::TokenManager>(stations.niu(id), stations.paths(), id));
        }
        settle();
    }
    void take_in_hand(NodeId node, NodeId manager) {
        hands.push_back(std::make_unique<Hand>(stations.niu(node), manager));
    }
    void settle() { stations.run(200us); }
    /// The token of that number from all hosts: with entries from one, empty from the others.
    void tick(std::uint64_t number, NodeId from = 0, const Entries& entries = {}) {
        for (NodeId host = 0; host < stations.hosts(); ++host)
            hands[host]->send(number, host == from ? entries : Entries{});
        settle();
    }
    /// The token of that number from that host, in as many parts as it takes.
    void send_in_parts(NodeId from, std::uint64_t number, std::span<const wire::TokenEntry> entries) {
        const std::size_t capacity = stations.niu(from).token_capacity();
        const std::size_t parts = (entries.size() + capacity - 1) / capacity;
        for (std::size_t part = 0; part < parts; ++part) {
            const auto some = entries.first(std::min(entries.size(), capacity));
            entries = entries.subspan(some.size());
            hands[from]->send({.number = number,
                               .part = static_cast<std::uint16_t>(part),
                               .last_part = static_cast<std::uint16_t>(parts - 1)},
                              {some.begin(), some.end()});
            if (part % 16 == 15) settle();
        }
        settle();
    }
    /// The tokens in which the host got that entry.
    std::vector<std::uint64_t> tokens_with(NodeId host, const wire::TokenEntry& entry) const {
        std::vector<std::uint64_t> numbers;
        for (const Hand::Came& came : hands[host]->all) {
            for (const wire::TokenEntry& other : came.entries) {
                if (other == entry) numbers.push_back(came.token.number);
            }
        }
        return numbers;
    }

    Stations stations;
    std::vector<std::unique_ptr<Hand>> hands;
    std::vector<std::unique_ptr<tm::TokenManager>> managers;
};

Entries counts(std::uint16_t source, std::uint16_t destination, std::uint32_t n) {
    Entries entries;
    for (std::uint32_t value = 0; value < n; ++value)
        entries.push_back({source, destination, value});
    return entries;
}

}  // namespace

/// The token manager of four hosts, 4 to 7, and that of the other four by hand.
TEST(TokenEntries, come_whole_in_as_many_parts_as_they_need) {
    Exchange exchange(topology::line(2, 4), {.mtu = wire::kMinMtu}, {0});
    const std::size_t capacity = exchange.stations.niu(0).token_capacity();
    const Entries entries = counts(0, 4, 40);
    const auto last = static_cast<std::uint16_t>((entries.size() - 1) / capacity);
    ASSERT_GE(last, 3);
    for (NodeId host = 4; host < 8; ++host)
        exchange.hands[host]->send(1);
    // The last part first, and each of them twice.
    for (int part = last; part >= 0; --part) {
        EXPECT_EQ(exchange.managers[0]->complete(), 0U);
        const auto begin = entries.begin() + part * static_cast<std::ptrdiff_t>(capacity);
        const auto room =
            std::min<std::ptrdiff_t>(entries.end() - begin, static_cast<std::ptrdiff_t>(capacity));
        for (int twice = 0; twice < 2; ++twice)
            exchange.hands.back()->send(
                {.number = 1, .part = static_cast<std::uint16_t>(part), .last_part = last},
                {begin, begin + room});
        exchange.settle();
    }
    EXPECT_EQ(exchange.managers[0]->complete(), 1U);
    EXPECT_EQ(exchange.managers[0]->counters().duplicates.get(), std::uint64_t{last} + 1);
    std::vector<std::uint32_t> values;
    for (const wire::TokenEntry& entry : exchange.hands[4]->entries(2))
        values.push_back(entry.value);
    std::sort(values.begin(), values.end());
    ASSERT_EQ(values.size(), entries.size());
    for (std::uint32_t i = 0; i < values.size(); ++i)
        EXPECT_EQ(values[i], i);
    EXPECT_EQ(exchange.hands[4]->all.back().token.last_part, last);
}

/// An output that takes a few of its frames at a time, and loses one now and then.
TEST(TokenEntries, come_whole_though_the_output_does_not_take_all_at_once) {
    constexpr NodeId kOnEach = 14;
    for (const bool loses : {false, true}) {
        Exchange exchange(topology::line(2, kOnEach), {.mtu = wire::kMinMtu}, {0});
        exchange.stations.narrow(2 * kOnEach + 1, 3);
        if (loses) exchange.stations.fabric().set(kOnEach, {.loss = 0.1});
        const Entries entries = counts(0, kOnEach, 700);
        exchange.send_in_parts(2 * kOnEach, 1, entries);
        for (NodeId host = kOnEach; host < 2 * kOnEach; ++host)
            exchange.hands[host]->send(1);
        std::set<std::uint32_t> values;
        // Several waits of an idle network, or none.
        for (Duration limit = loses ? Duration{2s} : 20ms; limit > 0ms && values.size() < entries.size();
             limit -= 20ms) {
            exchange.stations.run(20ms, 20us);
            for (const wire::TokenEntry& entry : exchange.hands[kOnEach]->entries(2))
                values.insert(entry.value);
        }
        EXPECT_EQ(values.size(), entries.size()) << "loses: " << loses;
        const std::size_t capacity = exchange.stations.niu(0).token_capacity();
        if (loses) continue;
        const std::size_t once = 2 * (kOnEach + 1);  // two tokens to each neighbour
        EXPECT_LE(exchange.managers[0]->counters().frames.get(), once + entries.size() / capacity);
    }
}

TEST(TokenEntries, of_a_host_go_on_once_though_it_says_them_over_and_over) {
    Exchange exchange(topology::single_switch(3));
    const auto most = static_cast<std::uint32_t>(3 * exchange.stations.niu(0).token_capacity());
    for (const NodeId from : {NodeId{0}, NodeId{1}})
        exchange.send_in_parts(from, 1, counts(from, 2, most));
    exchange.hands[2]->send(1);
    exchange.settle();
    EXPECT_EQ(exchange.managers[0]->counters().refused.get(), 2 * (most - 1));
    EXPECT_EQ(exchange.hands[2]->entries(2), (Entries{{0, 2, 0}, {1, 2, 0}}));
    // What it has said before says nothing of the next token in that place.
    exchange.tick(2);
    exchange.tick(3, 0, counts(0, 2, 1));
    EXPECT_EQ(exchange.hands[2]->entries(4), (Entries{{0, 2, 0}}));
}

/// No time is lost with the parts of a token in which no host has that much to say.
TEST(TokenEntries, in_more_parts_than_there_can_be_are_taken_for_none) {
    constexpr std::uint32_t kMost = 65536;
    Exchange exchange(topology::single_switch(2));
    exchange.hands[1]->send(1);
    exchange.send_in_parts(0, 1, counts(0, 1, kMost + 1));
    EXPECT_EQ(exchange.managers[0]->complete(), 1U);
    EXPECT_EQ(exchange.managers[0]->counters().malformed.get(), 1U);
    EXPECT_EQ(exchange.hands[1]->numbers().back(), 2U);
    EXPECT_EQ(exchange.hands[1]->entries(2), Entries{});
    exchange.hands[0]->send({.number = 2, .last_part = UINT16_MAX});
    exchange.hands[1]->send(2);
    exchange.settle();
    EXPECT_EQ(exchange.managers[0]->complete(), 2U);
}

/// Each of the two says no more than it could.
TEST(TokenEntries, of_which_token_managers_say_too_many_go_on_once) {
    Exchange exchange(topology::line(3, 1), {}, {0, 2});
    constexpr std::uint32_t kPairs = 3 * 3;
    for (const std::size_t liar : {3U, 4U})
        exchange.hands[liar]->send(1, counts(liar == 3 ? 0 : 2, 1, kPairs + 2));
    exchange.hands[1]->send(1);
    exchange.settle();
    EXPECT_EQ(exchange.managers[0]->complete(), 1U);
    EXPECT_EQ(exchange.hands[1]->numbers().back(), 2U);
    EXPECT_EQ(exchange.hands[1]->entries(2).size(), 2U);
    EXPECT_EQ(exchange.managers[0]->counters().refused.get(), 2 * (kPairs + 2) - 2);
}

/// A neighbour that says it has tokens which have not been sent to it.
TEST(TokenEntries, of_a_token_that_could_not_leave_stay_its_own) {
    Exchange exchange(topology::single_switch(2));
    exchange.hands[0]->send(1);
    exchange.settle();
    exchange.stations.clog(2);
    exchange.stations.run(50ms);  // until what is sent again waits, too
    const wire::TokenEntry entry{1, wire::kEveryHost, wire::group_signal(1)};
    exchange.hands[1]->send(1);
    exchange.settle();
    exchange.tick(2);
    exchange.tick(3, 1, {entry});
    EXPECT_EQ(exchange.managers[0]->complete(), 3U);
    exchange.stations.clog(2, false);
    exchange.stations.run(50ms);
    EXPECT_EQ(exchange.hands[0]->entries(2), Entries{});
    EXPECT_EQ(exchange.hands[0]->entries(4), Entries{entry});
}

TEST(TokenEntries, go_one_hop_a_token_to_their_host_alone) {
    Exchange exchange(topology::line(3, 1));
    const wire::TokenEntry entry{0, 2, 17};
    exchange.tick(1, 0, {entry});
    for (std::uint64_t number = 2; number <= 8; ++number)
        exchange.tick(number);
    EXPECT_EQ(exchange.tokens_with(2, entry), std::vector<std::uint64_t>{4});  // 4 hops: token 1, 2, 3, 4
    EXPECT_TRUE(exchange.tokens_with(0, entry).empty());
    EXPECT_TRUE(exchange.tokens_with(1, entry).empty());
}

TEST(TokenEntries, for_every_host_come_to_each_other_once_though_the_network_has_cycles) {
    Exchange exchange(topology::ring(5, 2));
    for (NodeId source = 0; source < exchange.stations.hosts(); ++source) {
        const wire::TokenEntry entry{source, wire::kEveryHost, wire::group_signal(source % 6U)};
        const std::uint64_t first = 1 + 10 * source;
        exchange.tick(first, source, {entry});
        for (std::uint64_t number = first + 1; number < first + 10; ++number)
            exchange.tick(number);
        for (NodeId host = 0; host < exchange.stations.hosts(); ++host) {
            const auto numbers = exchange.tokens_with(host, entry);
            if (host == source) {
                EXPECT_TRUE(numbers.empty());
                continue;
            }
            const std::uint64_t hops = exchange.stations.paths().token_hops(source, host);
            EXPECT_EQ(numbers, std::vector<std::uint64_t>{first + hops - 1}) << source << " to " << host;
        }
    }
}

TEST(TokenEntries, that_no_neighbour_would_send_go_nowhere) {
    Exchange exchange(topology::line(2, 2));
    const wire::TokenEntry of_another{2, wire::kEveryHost, wire::group_signal(1)};  // host 2 is elsewhere
    const wire::TokenEntry of_neighbour{1, wire::kEveryHost, wire::group_signal(1)};
    const wire::TokenEntry count_of_neighbour{1, 2, 1};
    const wire::TokenEntry to_manager{0, 4, 1};
    exchange.tick(1, 0, {of_another, of_neighbour, count_of_neighbour, to_manager});
    EXPECT_EQ(exchange.managers[0]->counters().refused.get(), 4U);
    for (std::uint64_t number = 2; number <= 6; ++number)
        exchange.tick(number);
    for (NodeId host = 0; host < 4; ++host) {
        for (const Hand::Came& came : exchange.hands[host]->all)
            EXPECT_TRUE(came.entries.empty());
    }
}

TEST(TokenEntries, of_a_token_that_was_lost_come_with_it_when_it_is_sent_again) {
    Exchange exchange(topology::single_switch(2));
    const wire::TokenEntry entry{0, 1, 5};
    exchange.stations.deafen(1);
    exchange.tick(1, 0, {entry});
    EXPECT_TRUE(exchange.tokens_with(1, entry).empty());
    exchange.stations.deafen(1, false);
    exchange.stations.run(300ms, 100us);  // longer than the wait of an idle network
    ASSERT_FALSE(exchange.tokens_with(1, entry).empty());
    EXPECT_EQ(exchange.tokens_with(1, entry).front(), 2U);
}

}  // namespace isoplane::test
