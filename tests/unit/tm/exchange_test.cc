// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/tm/token_manager.hh>
#include <stdexcept>

#include "hand.hh"
#include "stations.hh"

namespace isoplane::test {

namespace {

using Numbers = std::vector<std::uint64_t>;

/// Hosts 0 and 1, whose tokens the test writes, and their token manager.
struct Desk {
    explicit Desk(tm::ExchangeOptions options = {})
        : manager(stations.niu(2), stations.paths(), 2, std::move(options)) {}
    /// Long enough for a token there and one back, and too short for one that is sent again.
    void settle() { stations.run(100us); }
    /// The tokens of both hosts that go unprompted, and what they are answered with.
    void begin() {
        const auto further = static_cast<std::uint8_t>(manager.options().ahead - 1);
        for (Hand* hand : {&a, &b})
            hand->send({.number = 1, .further = further});
        settle();
    }
    void begin_view() {
        settle();
        manager.begin_view(1, 0, [](NodeId) { return true; });
    }
    std::vector<NodeId> silent(Duration limit) const {
        std::vector<NodeId> nodes;
        manager.silent(limit, [&](NodeId node) { nodes.push_back(node); });
        return nodes;
    }

    Stations stations{topology::single_switch(2)};
    Hand a{stations.niu(0), 2};
    Hand b{stations.niu(1), 2};
    tm::TokenManager manager;
};

}  // namespace

TEST(TokenExchange, sends_the_first_h_tokens_unprompted_and_no_more) {
    Desk desk({.ahead = 3});
    desk.settle();
    EXPECT_EQ(desk.a.numbers(), (Numbers{1, 2, 3}));
    EXPECT_EQ(desk.b.numbers(), (Numbers{1, 2, 3}));
    EXPECT_EQ(desk.manager.sent(), 3U);
    EXPECT_EQ(desk.manager.complete(), 0U);
}

TEST(TokenExchange, goes_on_as_before_when_its_counters_are_cleared) {
    Desk desk({.ahead = 3});
    desk.settle();
    EXPECT_EQ(desk.manager.counters().sent.get(), 6U);
    desk.manager.clear_counters();
    EXPECT_EQ(desk.manager.counters().sent.get(), 0U);
    EXPECT_EQ(desk.manager.sent(), 3U);
    desk.begin();
    EXPECT_EQ(desk.manager.counters().received.get(), 6U);
}

TEST(TokenExchange, tokens_that_are_due_at_once_share_a_frame) {
    Desk desk({.ahead = 3});
    desk.settle();
    EXPECT_EQ(desk.a.frames, 1U);
    EXPECT_EQ(desk.a.all.front().token.further, 2);
    desk.a.send({.number = 1, .further = 2});
    desk.b.send({.number = 1, .further = 2});
    desk.settle();
    EXPECT_EQ(desk.manager.complete(), 3U);
    EXPECT_EQ(desk.a.numbers(), (Numbers{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(desk.a.frames, 2U);
    EXPECT_EQ(desk.manager.counters().frames.get(), 4U);
}

TEST(TokenExchange, a_token_that_says_something_begins_a_frame) {
    Desk desk({.ahead = 3});
    desk.settle();
    desk.begin();
    const wire::TokenEntry entry{1, wire::kEveryHost, wire::group_signal(1)};
    desk.a.send({.number = 4, .further = 2});
    desk.b.send({.number = 6});
    desk.b.send({.number = 5}, {entry});
    desk.b.send({.number = 4});
    desk.settle();
    EXPECT_EQ(desk.a.numbers(), (Numbers{1, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(desk.a.frames, 4U);
    EXPECT_EQ(desk.a.entries(8), std::vector<wire::TokenEntry>{entry});
}

TEST(TokenExchange, of_tokens_that_share_a_frame_those_that_are_not_here_are_news) {
    Desk desk({.ahead = 3});
    desk.begin();
    desk.b.send({.number = 4, .further = 2});
    desk.a.send({.number = 4, .further = 1});
    desk.settle();
    EXPECT_EQ(desk.manager.complete(), 5U);
    desk.a.send({.number = 5, .further = 200});  // more than there can be: the rest is dropped
    desk.settle();
    EXPECT_EQ(desk.manager.complete(), 6U);
    EXPECT_EQ(desk.manager.counters().received.get(), 6U + 11U);
    desk.a.send({.number = 4, .further = 3});
    desk.settle();
    EXPECT_EQ(desk.manager.counters().duplicates.get(), 1U);
}

TEST(TokenExchange, sends_token_n_plus_h_once_token_n_is_in_from_all) {
    Desk desk({.ahead = 2});
    desk.settle();
    desk.begin();
    desk.a.numbers();
    desk.b.numbers();
    desk.a.send(3);
    desk.a.send(4);
    desk.settle();
    EXPECT_EQ(desk.a.numbers(), Numbers{});
    desk.b.send(3);
    desk.settle();
    EXPECT_EQ(desk.manager.complete(), 3U);
    EXPECT_EQ(desk.a.numbers(), Numbers{5});
    EXPECT_EQ(desk.b.numbers(), Numbers{5});
}

TEST(TokenExchange, names_those_without_whom_time_cannot_go_on) {
    Desk desk;
    desk.settle();
    EXPECT_EQ(desk.manager.awaited(), (std::vector<NodeId>{0, 1}));
    desk.a.send(1);
    desk.settle();
    EXPECT_EQ(desk.manager.awaited(), std::vector<NodeId>{1});
}

TEST(TokenExchange, a_token_that_was_lost_is_sent_again) {
    Desk desk;
    desk.stations.deafen(0);
    desk.b.send(1);
    desk.settle();
    desk.stations.deafen(0, false);
    EXPECT_EQ(desk.a.numbers(), Numbers{});
    desk.stations.run(desk.manager.options().timeout.initial);
    EXPECT_EQ(desk.a.numbers(), Numbers{1});
    EXPECT_EQ(desk.b.numbers(), (Numbers{1, 1}));
    EXPECT_EQ(desk.manager.counters().resent.get(), 2U);
}

TEST(TokenExchange, a_token_is_sent_again_to_those_too_whose_own_is_here) {
    Desk desk;
    desk.stations.deafen(0);
    desk.a.send(1);
    desk.settle();
    EXPECT_EQ(desk.manager.awaited(), std::vector<NodeId>{1});
    desk.stations.deafen(0, false);
    desk.stations.run(desk.manager.options().timeout.initial);
    EXPECT_EQ(desk.a.numbers(), Numbers{1});
}

TEST(TokenExchange, of_a_token_manager_repeats_nothing_before_a_host_is_heard) {
    Desk desk;
    desk.stations.run(1s, 100us);
    EXPECT_EQ(desk.a.numbers(), Numbers{1});
    EXPECT_EQ(desk.manager.counters().resent.get(), 0U);
}

TEST(TokenExchange, waits_ever_longer_for_those_that_do_not_answer) {
    Desk desk;
    desk.b.send(1);
    desk.stations.run(5s, 100us);
    const auto sent = desk.a.numbers().size();
    EXPECT_GT(sent, 10U);
    EXPECT_LT(sent, 70U);  // every 100 ms in the end
}

TEST(TokenExchange, a_token_that_comes_again_says_nothing) {
    Desk desk;
    desk.a.send(1);
    desk.a.send(1);
    desk.settle();
    EXPECT_EQ(desk.manager.complete(), 0U);
    EXPECT_EQ(desk.manager.counters().duplicates.get(), 1U);
    desk.b.send(1);
    desk.settle();
    desk.a.send(1);  // late
    desk.settle();
    EXPECT_EQ(desk.manager.complete(), 1U);
    EXPECT_EQ(desk.manager.counters().duplicates.get(), 2U);
    EXPECT_EQ(desk.manager.counters().received.get(), 2U);
}

TEST(TokenExchange, tokens_in_any_order_are_taken_in_theirs) {
    Desk desk({.ahead = 3});
    desk.settle();
    desk.begin();
    for (const std::uint64_t number : {4U, 5U, 6U})
        desk.b.send(number);
    desk.a.send(6);
    desk.a.send(5);
    desk.settle();
    EXPECT_EQ(desk.manager.complete(), 3U);
    desk.a.send(4);
    desk.settle();
    EXPECT_EQ(desk.manager.complete(), 6U);
    EXPECT_EQ(desk.manager.sent(), 9U);
}

TEST(TokenExchange, a_token_further_ahead_than_any_can_be_is_dropped) {
    Desk desk({.ahead = 2});
    desk.settle();
    for (const std::uint64_t number : {5U, 1'000'000U})
        desk.a.send(number);
    desk.a.send(UINT64_MAX);
    desk.settle();
    EXPECT_EQ(desk.manager.counters().beyond.get(), 3U);
    EXPECT_EQ(desk.manager.counters().received.get(), 0U);
}

TEST(TokenExchange, sends_nothing_while_it_is_to_be_quiet) {
    Desk desk;
    desk.manager.be_quiet(true);
    desk.a.send(1);
    desk.b.send(1);
    desk.stations.run(1s, 1ms);
    EXPECT_EQ(desk.a.numbers(), Numbers{});
    desk.manager.be_quiet(false);
    desk.settle();
    EXPECT_EQ(desk.a.numbers(), (Numbers{1, 2}));
}

TEST(TokenExchange, wakes_nobody_while_it_is_to_be_quiet) {
    Desk desk;
    desk.settle();
    desk.b.numbers();
    desk.manager.be_quiet(true);
    desk.a.send({.number = 1, .wanted = 2});
    desk.settle();
    EXPECT_EQ(desk.b.numbers(), Numbers{});
}

TEST(TokenExchange, says_who_wants_time_to_go_on_one_hop_less_far) {
    Desk desk;
    desk.settle();
    desk.a.send({.number = 1, .wanted = 2});
    desk.settle();
    // b holds its token back; the one that has gone there goes again, to tell it.
    ASSERT_EQ(desk.b.numbers(), (Numbers{1, 1}));
    EXPECT_EQ(desk.b.all.front().token.wanted, 0);
    EXPECT_EQ(desk.b.all.back().token.wanted, 1);
    EXPECT_EQ(desk.a.numbers(), Numbers{1});
    EXPECT_EQ(desk.manager.counters().wakes.get(), 1U);
    desk.b.send({.number = 1, .wanted = 1});
    desk.settle();
    EXPECT_EQ(desk.b.all.back().token, (wire::Token{.number = 2, .wanted = 1}));
    EXPECT_EQ(desk.manager.counters().wakes.get(), 1U);
}

TEST(TokenExchange, begins_anew_in_an_epoch_that_others_can_name) {
    Desk desk({.epoch = 0xffff});
    desk.b.send(1);
    desk.settle();
    const niu::TokenAddress address{.from = 1, .to = 2, .epoch = 2};
    ASSERT_TRUE(desk.stations.niu(1).send_token(address, {.number = 1}, {}));
    desk.stations.niu(1).push_out();
    desk.settle();
    EXPECT_EQ(desk.manager.restarts(), 1U);
    EXPECT_EQ(desk.manager.options().epoch, 0x10001U);
}

TEST(TokenExchange, begins_anew_with_a_host_that_starts_again) {
    Desk desk;
    for (const std::uint64_t number : {1U, 2U}) {
        desk.a.send(number);
        desk.b.send(number);
        desk.settle();
    }
    EXPECT_EQ(desk.manager.complete(), 2U);
    desk.a.numbers();
    Stations& stations = desk.stations;
    {
        // The next life of host 1, which counts from 1 again.
        const niu::TokenAddress address{.from = 1, .to = 2, .epoch = 2};
        ASSERT_TRUE(stations.niu(1).send_token(address, {.number = 1}, {}));
        stations.niu(1).push_out();
    }
    desk.settle();
    EXPECT_EQ(desk.manager.restarts(), 1U);
    EXPECT_EQ(desk.manager.complete(), 0U);
    EXPECT_EQ(desk.a.numbers(), Numbers{1});
    EXPECT_EQ(desk.a.all.back().address.epoch, 2U);
    EXPECT_EQ(desk.manager.awaited(), std::vector<NodeId>{0});
    // Tokens of the life before are none.
    desk.b.send(3);
    desk.a.know(1);
    desk.a.send(3);
    desk.settle();
    EXPECT_EQ(desk.manager.counters().stale_epoch.get(), 2U);
    // Who knows of the new one has its part in it.
    desk.a.know(2);
    desk.a.send(1);
    desk.settle();
    EXPECT_EQ(desk.manager.complete(), 1U);
}

TEST(TokenExchange, takes_tokens_of_neighbours_only) {
    Stations stations(topology::line(2, 1));
    tm::TokenManager manager(stations.niu(2), stations.paths(), 2);
    Hand stranger(stations.niu(1), 2);  // on the other switch
    stranger.send(1);
    stations.run(100us);
    EXPECT_EQ(manager.counters().unknown.get(), 1U);
    EXPECT_EQ(stranger.numbers(), Numbers{});
}

TEST(TokenExchange, who_was_not_heard_while_this_node_did_not_run_is_not_silent) {
    constexpr Duration kLimit = 100ms;
    Desk desk({.in_views = true});
    desk.begin_view();
    desk.stations.run(kLimit - 10ms, 1ms);
    desk.stations.step(10 * kLimit);
    desk.stations.step();
    EXPECT_EQ(desk.silent(kLimit), std::vector<NodeId>{});
    desk.a.send({.number = 1, .view = 1});
    desk.stations.run(12ms, 1ms);
    EXPECT_EQ(desk.silent(kLimit), std::vector<NodeId>{1});
}

TEST(TokenExchange, who_is_polled_now_and_then_knows_as_well_who_is_silent) {
    constexpr Duration kLimit = 100ms;
    Desk desk({.in_views = true});
    desk.manager.count_as_stopped(kLimit / 8);
    desk.begin_view();
    desk.stations.run(kLimit - 10ms, 10ms);
    EXPECT_EQ(desk.silent(kLimit), std::vector<NodeId>{});
    desk.a.send({.number = 1, .view = 1});
    desk.stations.run(30ms, 10ms);
    EXPECT_EQ(desk.silent(kLimit), std::vector<NodeId>{1});
}

TEST(TokenExchange, refuses_what_it_cannot_be_given) {
    Stations stations(topology::single_switch(2));
    const auto make = [&](std::uint32_t ahead) {
        const tm::TokenManager manager(stations.niu(2), stations.paths(), 2, {.ahead = ahead});
    };
    EXPECT_THROW(make(0), std::invalid_argument);
    EXPECT_THROW(make(65), std::invalid_argument);
    EXPECT_NO_THROW(make(64));
    const topology::Topology other = topology::single_switch(3);
    const topology::Paths paths(other);
    EXPECT_THROW(tm::TokenManager(stations.niu(2), paths, 2), std::invalid_argument);
}

}  // namespace isoplane::test
