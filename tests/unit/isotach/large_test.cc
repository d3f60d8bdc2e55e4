// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "hosts.hh"

namespace isoplane::test {

namespace {

using isotach::Delivery;
using isotach::Isochron;

constexpr std::size_t kLarge = 100'000;

/// Adds messages of those sizes to that host, each with a content of its own.
void add(Isochron& isochron, NodeId to, std::initializer_list<std::size_t> sizes, unsigned start = 0) {
    for (const std::size_t size : sizes)
        ASSERT_TRUE(isochron.add(to, bytes(size, start++)));
}

bool same(const Delivery& delivery, const Bytes& expected) {
    return std::ranges::equal(delivery.data, expected);
}

}  // namespace

TEST(LargeMessages, are_delivered_in_their_place_among_the_others) {
    Hosts hosts(topology::single_switch(3));
    Isochron isochron = hosts[0].isotach.isochron();
    for (const NodeId to : {NodeId{1}, NodeId{0}, NodeId{2}})
        add(isochron, to, {8, kLarge, 700, kLarge / 2, 0}, to);
    ASSERT_TRUE(hosts[0].isotach.fits(isochron));
    ASSERT_TRUE(hosts[0].isotach.send(isochron));
    ASSERT_NE(hosts.stations.steps_until([&] { return hosts[0].send({1, 2}, 9); }), UINT_MAX);
    hosts.run(20ms);
    siu::Pulse pulse = 0;
    for (NodeId host = 0; host < 3; ++host) {
        const auto deliveries = hosts[host].receive();
        ASSERT_EQ(deliveries.size(), host == 0 ? 5U : 6U);
        unsigned i = 0;
        for (const std::size_t size :
             {std::size_t{8}, kLarge, std::size_t{700}, kLarge / 2, std::size_t{0}}) {
            EXPECT_TRUE(same(deliveries[i], bytes(size, host + i))) << "message " << i << " at " << host;
            EXPECT_EQ(deliveries[i].isochron, 0U);
            EXPECT_EQ(deliveries[i].time.pulse, pulse == 0 ? deliveries[i].time.pulse : pulse);
            pulse = deliveries[i].time.pulse;
            ++i;
        }
        hosts[host].release(deliveries);
        EXPECT_TRUE(hosts[host].isotach.settled());
    }
    EXPECT_EQ(hosts[0].isotach.payloads().sent(), 4U);
    EXPECT_EQ(hosts[1].isotach.payloads().received(), 2U);
    EXPECT_EQ(hosts[1].isotach.payloads().copied_bytes(), kLarge + kLarge / 2);
    hosts.run(1ms);
}

TEST(LargeMessages, hold_up_what_comes_after_them_and_nothing_before) {
    Hosts hosts(topology::single_switch(3), {.niu = {.window = 16}});
    ASSERT_TRUE(hosts[2].send({1}, 50));
    hosts.run(1ms);
    ASSERT_TRUE(hosts[0].send({1}, 60));
    Isochron isochron = hosts[0].isotach.isochron();
    add(isochron, 1, {1'000'000});
    ASSERT_TRUE(hosts[0].isotach.send(isochron));
    ASSERT_TRUE(hosts[0].isotach.register_signal(1));
    ASSERT_TRUE(hosts[1].isotach.register_signal(1));
    ASSERT_TRUE(hosts[0].isotach.send_signal(1));
    hosts.run(100us);
    ASSERT_TRUE(hosts[2].send({1, 0}, 70));
    hosts.run(100us);
    ASSERT_EQ(hosts[1].isotach.payloads().expected(), 1U) << "it has come too early to see anything";
    // Who has nothing to do with it is not held up.
    auto deliveries = hosts[0].receive();
    EXPECT_EQ(deliveries.size(), 2U);
    hosts[0].release(deliveries);
    deliveries = hosts[1].receive();
    ASSERT_EQ(deliveries.size(), 2U);
    EXPECT_FALSE(hosts[1].isotach.waiting());
    EXPECT_FALSE(hosts[1].isotach.settled());
    hosts[1].release(deliveries);
    hosts.run(100ms);
    deliveries = hosts[1].receive();
    ASSERT_EQ(deliveries.size(), 3U);
    EXPECT_EQ(deliveries[0].data.size(), 1'000'000U);
    EXPECT_TRUE(std::is_sorted(deliveries.begin(), deliveries.end(),
                               [](const auto& a, const auto& b) { return a.time < b.time; }));
    hosts[1].release(deliveries);
    hosts.run(1ms);
}

TEST(LargeMessages, of_a_host_to_itself_are_received_where_they_were_written) {
    Hosts hosts(topology::single_switch(2));
    Isochron isochron = hosts[0].isotach.isochron();
    const auto room = isochron.add(0, kLarge);
    ASSERT_TRUE(room);
    ASSERT_TRUE(hosts[0].isotach.send(isochron));
    const auto deliveries = hosts[0].receive();
    ASSERT_EQ(deliveries.size(), 1U);
    EXPECT_EQ(deliveries[0].data.data(), room->data());
    EXPECT_EQ(deliveries[0].data.size(), kLarge);
    hosts[0].release(deliveries);
}

TEST(LargeMessages, wait_at_their_senders_for_what_was_not_released_and_hold_up_nobody_else) {
    Hosts hosts(topology::single_switch(3), {.niu = {.window = 16}, .isotach = {.max_message = 60'000}});
    const auto send = [&](NodeId from) {
        Isochron isochron = hosts[from].isotach.isochron();
        add(isochron, 1, {50'000}, from);
        EXPECT_NE(hosts.stations.steps_until([&] { return hosts[from].isotach.send(isochron); }), UINT_MAX);
    };
    send(0);
    send(0);
    hosts.run(10ms);
    auto kept = hosts[1].receive();
    ASSERT_EQ(kept.size(), 1U);
    EXPECT_EQ(hosts[1].isotach.payloads().expected(), 1U);
    EXPECT_EQ(hosts[1].isotach.payloads().copied_bytes(), 50'000U);
    hosts[1].release(kept);
    hosts.run(10ms);
    kept = hosts[1].receive();
    ASSERT_EQ(kept.size(), 1U);
    send(2);
    hosts.run(10ms);
    const auto other = hosts[1].receive();
    ASSERT_EQ(other.size(), 1U);
    EXPECT_TRUE(same(other[0], bytes(50'000, 2)));
    hosts[1].release(kept);
    hosts[1].release(other);
    hosts.run(1ms);
}

/// Who is refused at the NIU has the next turn there. What waits behind a payload takes none: it could not
/// use it, and the payload would wait for it.
TEST(LargeMessages, do_not_wait_for_what_waits_for_them) {
    Hosts hosts(topology::single_switch(2));
    Isochron isochron = hosts[0].isotach.isochron();
    add(isochron, 1, {60'000, 60'000});
    ASSERT_TRUE(hosts[0].isotach.send(isochron));
    Isochron small = hosts[0].isotach.isochron();
    add(small, 1, {8});
    const runtime::Time begin = hosts.stations.now();
    ASSERT_NE(hosts.stations.steps_until([&] { return hosts[0].isotach.send(small); }), UINT_MAX);
    EXPECT_LT(hosts.stations.now() - begin, 150us);
    hosts.run(10ms);
    const auto deliveries = hosts[1].receive();
    EXPECT_EQ(deliveries.size(), 3U);
    hosts[1].release(deliveries);
    hosts.run(1ms);
}

TEST(LargeMessages, leave_some_credit_to_their_payloads) {
    Hosts hosts(topology::single_switch(2), {.niu = {.window = 16}});
    isotach::Isotach& isotach = hosts[0].isotach;
    Isochron isochron = isotach.isochron();
    // The pointer has a frame that nobody can share, as all others are full.
    add(isochron, 1, {kLarge});
    for (unsigned i = 1; i < isotach.most_frames(1); ++i)
        add(isochron, 1, {1000}, i);
    EXPECT_FALSE(isotach.fits(isochron));
    EXPECT_FALSE(isotach.send(isochron));
    isochron.drop_last();
    EXPECT_TRUE(isotach.fits(isochron));
    const std::size_t messages = isochron.size();
    ASSERT_TRUE(isotach.send(isochron));
    hosts.run(50ms);
    const auto deliveries = hosts[1].receive();
    EXPECT_EQ(deliveries.size(), messages);
    hosts[1].release(deliveries);
    hosts.run(1ms);
}

TEST(LargeMessages, that_were_short_when_they_were_written_go_where_frames_are_small) {
    Hosts hosts(topology::single_switch(2), {.niu = {.mtu = 200}});
    Isochron isochron = hosts[0].isotach.isochron();
    const std::size_t most = hosts[0].isotach.most_in_frame(1);
    ASSERT_LT(most, Isochron::kCopied);
    add(isochron, 1, {most, most + 1, 1000});
    ASSERT_TRUE(hosts[0].isotach.send(isochron));
    hosts.run(5ms);
    const auto deliveries = hosts[1].receive();
    ASSERT_EQ(deliveries.size(), 3U);
    EXPECT_TRUE(same(deliveries[0], bytes(most, 0)));
    EXPECT_TRUE(same(deliveries[1], bytes(most + 1, 1)));
    EXPECT_TRUE(same(deliveries[2], bytes(1000, 2)));
    EXPECT_EQ(hosts[0].isotach.payloads().sent(), 2U);
    hosts[1].release(deliveries);
    hosts.run(1ms);
}

TEST(LargeMessages, under_way_are_forgotten_with_their_hosts) {
    {
        Hosts hosts(topology::single_switch(2), {.niu = {.window = 16}});
        Isochron isochron = hosts[0].isotach.isochron();
        add(isochron, 1, {1'000'000, 1000, 1'000'000});
        ASSERT_TRUE(hosts[0].isotach.send(isochron));
        hosts.run(200us);
        EXPECT_EQ(hosts[1].isotach.payloads().expected(), 2U);
    }
    EXPECT_EQ(station_pool().in_use(), 0U);
}

TEST(LargeMessages, payloads_that_nobody_has_announced_are_counted_and_dropped) {
    Hosts hosts(topology::single_switch(2));
    ASSERT_TRUE(hosts[0].niu.send(1, wire::Protocol::kPayload, bytes(100)));
    hosts.run(1ms);
    EXPECT_EQ(hosts[1].isotach.payloads().malformed(), 1U);
    EXPECT_TRUE(hosts[1].isotach.settled());
}

}  // namespace isoplane::test
