// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/isotach/survival.hh>

#include "hosts.hh"

namespace isoplane::isotach {

TEST(Survival, of_one_pulse_all_leave_before_any_joins) {
    Survival survival(4);
    survival.present = {false, true, true, true};
    survival.changes = {
        {5, 0, true, 2}, {6, 1, false, 3}, {5, 3, false, 2}, {5, 2, false, 2}, {5, 2, true, 2}};
    Group group(4);
    EXPECT_FALSE(survival.change(4, group));
    ASSERT_TRUE(survival.change(5, group));
    std::vector<std::pair<bool, NodeId>> order;
    for (const Change& change : survival.due)
        order.emplace_back(change.joined, change.host);
    const std::vector<std::pair<bool, NodeId>> expected{{false, 2}, {false, 3}, {true, 0}, {true, 2}};
    EXPECT_EQ(order, expected);
    EXPECT_EQ(survival.present, (std::vector<bool>{true, true, true, false}));
    EXPECT_EQ(survival.changes.size(), 1U);
}

TEST(Survival, what_others_say_of_a_view_after_the_next_is_kept_until_then) {
    Survival survival(4);
    EXPECT_TRUE(survival.keep({.from = 1, .view = 3, .whole = true}));
    EXPECT_TRUE(survival.keep({.from = 1, .view = 2}));
    EXPECT_TRUE(survival.keep({.from = 1, .view = 2, .whole = true}));
    const std::vector<Flush> now = survival.take_kept(2);
    ASSERT_EQ(now.size(), 2U);
    EXPECT_FALSE(now[0].whole);
    EXPECT_TRUE(now[1].whole);
    ASSERT_EQ(survival.take_kept(3).size(), 1U);
    EXPECT_TRUE(survival.early.empty());
}

TEST(Survival, who_says_things_of_views_to_come_without_end_is_not_listened_to) {
    Survival survival(4);
    std::size_t kept = 0;
    for (std::uint32_t view = 1; view <= 10'000; ++view)
        kept += survival.keep({.from = 1, .view = view}) ? 1 : 0;
    EXPECT_LT(kept, 100U);
    EXPECT_TRUE(survival.keep({.from = 2, .view = 1})) << "the others are";
}

}  // namespace isoplane::isotach

namespace isoplane::test {

namespace {

/// A network whose logical time survives deaths, and whose views the test decides.
struct Survivors {
    explicit Survivors(NodeId count) : stations(topology::single_switch(count), {.window = 16}) {
        HostOptions options;
        options.siu.exchange.in_views = true;
        for (NodeId host = 0; host < count; ++host) {
            hosts.push_back(std::make_unique<Host>(stations.niu(host), stations.paths(), options));
            stations.poll_with(host, [host = hosts.back().get()](Time now) { host->poll(now); });
        }
        manager = std::make_unique<tm::TokenManager>(stations.niu(count), stations.paths(), count,
                                                     options.siu.exchange);
        stations.run(1ms);
    }

    /// The next view has these hosts, and the token manager. One that has died held no more than `held`.
    void begin(const std::vector<NodeId>& in, isotach::Pulse held = UINT64_MAX) {
        wire::View view{.number = ++number, .cut = number == 1 ? 0 : held};
        manager->freeze();
        for (const NodeId host : in) {
            const isotach::Standing standing = hosts[host]->isotach.freeze();
            view.members.push_back({host, host, 1});
            if (number == 1) continue;
            view.cut = std::min(view.cut, standing.held);
            view.base = std::max({view.base, standing.held + 1, standing.last + 1});
        }
        view.members.push_back({stations.hosts(), stations.hosts(), 1});
        manager->begin_view(view.number, view.base, [&](NodeId node) {
            return std::ranges::find(view.members, node, &wire::Member::node) != view.members.end();
        });
        for (const NodeId host : in)
            hosts[host]->isotach.begin(view);
        base = view.base;
    }
    void die(NodeId host) {
        stations.poll_with(host, nullptr);
        stations.clog(host);
    }

    Stations stations;
    std::vector<std::unique_ptr<Host>> hosts;
    std::unique_ptr<tm::TokenManager> manager;
    std::uint32_t number = 0;
    isotach::Pulse base = 0;  ///< of the last view
};

/// A program that receives nothing for a while.
struct Busy final : niu::Receiver {
    explicit Busy(Host& its_host) : host(its_host) { host.dispatcher.attach(wire::Protocol::kNoniso, this); }
    void take(const niu::Received& message) noexcept override { kept.push_back(message); }
    void release() {
        for (const niu::Received& message : kept)
            host.niu.release(message);
        kept.clear();
    }

    Host& host;
    std::vector<niu::Received> kept{};
};

/// Host 2 dies while host 1, whose program receives nothing, has something from host 0.
class SurvivalOfTheBusy : public testing::Test {
  protected:
    SurvivalOfTheBusy() {
        all.begin({0, 1, 2});
        all.stations.run(1ms);
    }
    /// As many messages of a frame as may be on their way.
    void send_all_that_goes(niu::Urgency urgency) {
        niu::Niu& niu = all.hosts[0]->niu;
        while (const auto room = niu.buffer(1, wire::Protocol::kNoniso, niu.max_message(1), urgency)) {
            niu.send(room);
            all.stations.run(100us);
        }
    }
    void lose_a_host() {
        all.die(2);
        all.begin({0, 1});
        all.stations.run(5ms);
    }
    void receive_all() {
        for (int i = 0; i < 50; ++i, all.stations.run(200us))
            program.release();
    }
    void expect_time_goes_on(NodeId from) {
        EXPECT_TRUE(all.hosts[from]->send({NodeId(1 - from)})) << from;
        all.stations.run(5ms);
        const auto deliveries = all.hosts[1 - from]->receive();
        EXPECT_EQ(std::ranges::count(deliveries, isotach::DeliveryKind::kMessage, &isotach::Delivery::kind),
                  1)
            << "time stands still";
        all.hosts[1 - from]->release(deliveries);
        all.stations.run(1ms);
    }

    Survivors all{3};
    Busy program{*all.hosts[1]};
};

}  // namespace

/// What others have done in the group since comes again with their flushes.
TEST(SurvivalInViews, who_waits_for_flushes_holds_nothing_behind_the_cut) {
    Survivors all(3);
    all.begin({0, 1, 2});
    all.stations.run(1ms);
    constexpr isotach::Pulse kCut = 3;
    all.die(2);
    all.begin({0, 1}, kCut);
    for (NodeId host = 0; host < 2; ++host)
        EXPECT_EQ(all.hosts[host]->isotach.freeze().held, kCut);
    all.begin({0, 1});
    all.stations.run(5ms);
    for (NodeId host = 0; host < 2; ++host)
        EXPECT_GT(all.hosts[host]->isotach.freeze().held, kCut + 1);
}

TEST(SurvivalInViews, who_has_left_is_named_behind_the_barriers_that_waited_for_it) {
    Survivors all(3);
    all.begin({0, 1, 2});
    all.stations.run(1ms);
    const auto at_each = [&](NodeId hosts, auto&& act) {
        for (NodeId host = 0; host < hosts; ++host)
            for (unsigned channel = 0; channel < 2; ++channel)
                EXPECT_TRUE(act(all.hosts[host]->isotach, channel));
        all.stations.run(1ms);
    };
    at_each(3, [](isotach::Isotach& isotach, unsigned channel) {
        return isotach.join_barrier(channel, isotach::BarrierMode::kWeak);
    });
    at_each(2, [](isotach::Isotach& isotach, unsigned channel) { return isotach.enter_barrier(channel); });
    all.die(2);
    all.begin({0, 1});
    all.stations.run(5ms);
    for (NodeId host = 0; host < 2; ++host) {
        const auto told = all.hosts[host]->receive();
        ASSERT_EQ(told.size(), 3U);
        for (std::uint32_t rank = 0; rank < told.size(); ++rank) {
            EXPECT_EQ(told[rank].kind,
                      rank == 2 ? isotach::DeliveryKind::kLeft : isotach::DeliveryKind::kBarrier);
            EXPECT_EQ(told[rank].time, (isotach::LogicalTime{all.base, isotach::Place::kEnd, 0, rank}));
        }
    }
}

TEST_F(SurvivalOfTheBusy, what_ends_a_view_does_not_wait_for_a_large_message_that_nobody_receives) {
    const Bytes large(200'000);
    ASSERT_TRUE(all.hosts[0]->niu.transfer(1, wire::Protocol::kNoniso, large));
    all.stations.run(1ms);
    lose_a_host();
    ASSERT_TRUE(all.hosts[0]->niu.transferring(1));
    expect_time_goes_on(1);
    receive_all();
}

TEST_F(SurvivalOfTheBusy, what_ends_a_view_is_sent_when_it_can_be_though_all_of_the_others_is_here) {
    send_all_that_goes(niu::Urgency::kOrdinary);
    send_all_that_goes(niu::Urgency::kUrgent);
    lose_a_host();
    receive_all();
    expect_time_goes_on(0);
    expect_time_goes_on(1);
}

}  // namespace isoplane::test
