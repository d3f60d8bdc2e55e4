// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_ether.h>

#include <algorithm>
#include <array>
#include <isoplane/wire/hello.hh>
#include <stdexcept>

#include "niu_test.hh"

namespace isoplane::test {

TEST_F(NiuTest, names_the_nodes_it_has_not_found_when_the_limit_has_passed) {
    b.reset();
    niu::Options alone = options(0);
    alone.nodes = {"a", "b", "", "gamma"};
    if (in_udp()) alone.udp.addresses = {kA.ip, kB.ip, kForger.ip, kForger.ip + 1};
    alone.hello_limit = 5ms;
    a = std::make_unique<niu::Niu>("a", to_a.input(), to_b.output(), niu_pool(), alone);
    run(4ms);
    EXPECT_EQ(a->missing(), "");
    run(2ms);
    EXPECT_EQ(
        a->missing(),
        "a has not found b, gamma; see that they run, with the same job key, and are on the same network");
    EXPECT_FALSE(a->all_up());
}

TEST_F(NiuTest, sends_nothing_to_all_where_addresses_are_known) {
    b.reset();
    niu::Options knows = options(0);
    knows.macs = std::make_shared<const std::vector<wire::MacAddress>>(std::vector{kA.mac, kB.mac});
    a = std::make_unique<niu::Niu>("a", to_a.input(), to_b.output(), niu_pool(), knows);
    run(5ms);
    runtime::Burst burst;
    std::size_t hellos = 0;
    while (const std::uint16_t n = to_b.input().receive(burst)) {
        for (std::uint16_t i = 0; i < n; ++i) {
            const auto* ethernet = rte_pktmbuf_mtod(burst[i], const rte_ether_hdr*);
            EXPECT_TRUE(std::equal(kB.mac.begin(), kB.mac.end(), ethernet->dst_addr.addr_bytes));
        }
        rte_pktmbuf_free_bulk(burst.data(), n);
        hellos += n;
    }
    EXPECT_GT(hellos, 1U);
    b = std::make_unique<niu::Niu>("b", to_b.input(), to_a.output(), niu_pool(), options(1));
    meet();
}

TEST_F(NiuTest, refuses_addresses_of_other_nodes_than_there_are) {
    niu::Options knows = options(0);
    knows.macs = std::make_shared<const std::vector<wire::MacAddress>>(std::vector{kA.mac});
    EXPECT_THROW(niu::Niu("c", to_a.input(), to_b.output(), niu_pool(), knows), std::invalid_argument);
}

TEST_F(NiuTest, finds_a_node_that_starts_late) {
    b.reset();
    run(50ms);
    to_b.drain();
    b = std::make_unique<niu::Niu>("b", to_b.input(), to_a.output(), niu_pool(), options(1));
    meet();
    EXPECT_TRUE(a->all_up());
}

TEST_F(NiuTest, offers_no_room_towards_a_node_that_is_not_up) {
    EXPECT_FALSE(a->buffer(1, Protocol::kNoniso, 1));
    EXPECT_FALSE(a->transfer(1, Protocol::kNoniso, bytes(10'000)));
    EXPECT_EQ(a->max_message(1), 0U);
}

TEST_F(NiuTest, finds_a_silent_peer_dead_and_lets_go_of_what_was_for_it) {
    meet();
    ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(100)));
    b.reset();
    for (const Time end = now + 29s; now < end; now += 1ms) {
        a->poll(now);
        to_b.drain();
    }
    EXPECT_EQ(a->state(1), PeerState::kUp);
    for (const Time end = now + 10s; now < end; now += 1ms) {
        a->poll(now);
        to_b.drain();
    }
    EXPECT_EQ(a->state(1), PeerState::kDead);
    EXPECT_FALSE(a->send(1, Protocol::kNoniso, bytes(100)));
    EXPECT_EQ(a->counters().peers_lost.get(), 1U);
    EXPECT_EQ(a->held(), 0U);
}

TEST_F(NiuTest, keeps_an_idle_peer_that_answers) {
    meet();
    run(100s, 1ms);
    EXPECT_EQ(a->state(1), PeerState::kUp);
    EXPECT_EQ(b->state(0), PeerState::kUp);
}

TEST_F(NiuTest, does_not_blame_the_peer_when_it_was_stopped_itself) {
    meet();
    now += 100s;
    run(100ms);
    EXPECT_EQ(a->state(1), PeerState::kUp);
    EXPECT_EQ(b->state(0), PeerState::kUp);
}

TEST_F(NiuTest, takes_a_restarted_peer_back_in_its_new_epoch) {
    meet();
    ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(100)));
    run(1ms);
    b.reset();
    niu::Options again = options(1);
    again.epoch = 12;
    b = std::make_unique<niu::Niu>("b", to_b.input(), to_a.output(), niu_pool(), again);
    run(2 * again.displace, 50us);
    meet();
    EXPECT_EQ(a->counters().peers_lost.get(), 1U);
    ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(7)));
    run(1ms);
    ASSERT_TRUE(b->receive(received));
    EXPECT_EQ(received.size, 7U);
    b->release(received);
}

TEST_F(NiuTest, is_not_disturbed_by_a_hello_of_an_earlier_epoch) {
    meet();
    b.reset();
    niu::Options earlier = options(1);
    earlier.epoch = 9;
    b = std::make_unique<niu::Niu>("b", to_b.input(), to_a.output(), niu_pool(), earlier);
    run(5ms);
    EXPECT_EQ(a->peer(1).epoch, 11U);
    EXPECT_EQ(a->counters().peers_lost.get(), 0U);
    EXPECT_NE(b->state(0), PeerState::kUp);
}

TEST_F(NiuTest, leaves_only_when_both_do_and_all_has_arrived) {
    meet();
    ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(100)));
    a->close();
    EXPECT_FALSE(a->send(1, Protocol::kNoniso, bytes(100)));
    run(1s, 50us);
    EXPECT_FALSE(a->closed());
    ASSERT_TRUE(b->receive(received));
    b->release(received);
    b->close();
    run(200ms, 50us);
    EXPECT_TRUE(a->closed());
    EXPECT_TRUE(b->closed());
    EXPECT_EQ(a->left_open() + b->left_open(), "");
}

TEST_F(NiuTest, does_not_leave_while_its_bye_may_still_be_on_its_own_side) {
    meet();
    a->close();
    b->close();
    for (const Time end = now + 100ms; now < end; now += 50us) {
        a->poll(now);
        to_b.drain();
        b->poll(now);
    }
    EXPECT_FALSE(a->closed());
    EXPECT_FALSE(b->closed());
    run(40ms, 50us);
    EXPECT_TRUE(a->closed());
    EXPECT_TRUE(b->closed());
    EXPECT_EQ(a->left_open() + b->left_open(), "");
}

TEST_F(NiuTest, keeps_what_the_wire_does_not_take_when_many_take_leave_at_once) {
    meet();
    b->close();
    b->poll(now);
    // Each bye is answered with two, the hello with one: so a burst is full between the two.
    std::array<std::byte, wire::kHelloSize + wire::kMaxNameSize> hello{};
    const std::size_t size = wire::encode_hello(hello, {.mtu = 1500, .credit = 16, .name = "a"});
    wire::Header header = header_of_a();
    header.kind = wire::Kind::kHello;
    put(header, std::span(hello).first(size));
    header.kind = wire::Kind::kBye;
    for (int i = 0; i < 200; ++i)
        put(header, {});
    rte_mbuf* filling = packet();
    while (to_a.output().send(&filling, 1) == 1)
        filling = packet();
    rte_pktmbuf_free(filling);
    for (int polls = 0; polls < 20; ++polls)
        b->poll(now += 5us);
    to_a.drain();
    a->close();
    run(200ms, 50us);
    EXPECT_TRUE(b->closed());
}

TEST_F(NiuTest, leaves_in_time_when_the_other_is_gone_and_its_last_word_was_lost) {
    meet();
    b->close();
    b->poll(now);
    a->close();
    for (const Time end = now + 60ms; now < end; now += 50us) {
        a->poll(now);
        b->poll(now);
        to_a.drain();
    }
    ASSERT_FALSE(a->closed());
    b.reset();
    run(1s, 50us);
    EXPECT_TRUE(a->closed());
    EXPECT_EQ(a->left_open(), "");
}

TEST_F(NiuTest, leaves_without_a_peer_that_does_not_when_the_limit_has_passed) {
    niu::Options impatient = options(0);
    impatient.close_limit = 1s;
    start(impatient, options(1));
    meet();
    a->close();
    run(2s, 50us);
    EXPECT_TRUE(a->closed());
    EXPECT_EQ(a->left_open(), "a left while b had not closed; what those sent last may be lost");
}

/// As a hello that comes late may be, of one that was never met.
TEST_F(NiuTest, has_left_nobody_of_whom_it_hears_first_when_it_has_closed) {
    a->close();
    while (!a->closed()) {
        a->poll(now += 50us);
        to_b.drain();
    }
    b->poll(now);
    run(1ms);
    EXPECT_EQ(a->state(1), PeerState::kUnknown);
    EXPECT_EQ(a->left_open(), "");
}

TEST_F(NiuTest, waits_for_a_peer_that_was_stopped_as_long_as_itself) {
    meet();
    a->close();
    run(1ms);
    now += 100s;
    run(100ms, 50us);
    EXPECT_FALSE(a->closed());
    b->close();
    run(100ms, 50us);
    EXPECT_TRUE(a->closed());
    EXPECT_TRUE(b->closed());
    EXPECT_EQ(a->left_open() + b->left_open(), "");
}

TEST_F(NiuTest, names_nobody_as_missing_for_the_time_in_which_it_was_stopped) {
    b.reset();
    run(1ms);
    now += 100s;
    run(1ms);
    to_b.drain();
    EXPECT_EQ(a->missing(), "");
    for (const Time end = now + 30s; now < end; now += 50ms) {
        a->poll(now);
        to_b.drain();
    }
    EXPECT_NE(a->missing(), "");
}

TEST_F(NiuTest, leaves_without_a_peer_that_has_only_presented_itself_when_that_is_silent) {
    niu::Options impatient = options(0);
    impatient.silence = 100ms;
    start(impatient, options(1));
    b->poll(now);
    a->poll(now);
    ASSERT_EQ(a->state(1), PeerState::kHeard);
    b.reset();
    a->close();
    run(90ms, 50us);
    EXPECT_FALSE(a->closed());
    run(50ms, 50us);
    EXPECT_TRUE(a->closed());
    EXPECT_EQ(a->left_open(), "");
}

TEST_F(NiuTest, refuses_options_that_cannot_be) {
    const auto refused = [&](auto&& change) {
        niu::Options o = options(0);
        change(o);
        EXPECT_THROW(niu::Niu("a", to_a.input(), to_b.output(), niu_pool(), o), std::invalid_argument);
    };
    refused([](niu::Options& o) { o.window = 100; });
    refused([](niu::Options& o) { o.window = 0; });
    refused([](niu::Options& o) { o.node = 2; });
    refused([](niu::Options& o) { o.epoch = 0; });
    refused([](niu::Options& o) { o.epoch = 0x20000; });
    refused([](niu::Options& o) { o.mtu = static_cast<std::uint16_t>(wire::kMinMtu - 1 + extra()); });
    refused([](niu::Options& o) { o.udp = {.addresses = {kA.ip}}; });
    refused([](niu::Options& o) { o.mtu = 9000; });  // more than a packet of the pool holds
}

}  // namespace isoplane::test
