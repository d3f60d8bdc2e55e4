// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/wire/arp.hh>

#include "niu_test.hh"

namespace isoplane::test {

using wire::Arp;
using wire::MacAddress;

/// Tokens for a node.
struct TokenSink final : niu::TokenReceiver {
    unsigned before_sending(Time /*now*/) noexcept override { return 0; }
    bool on_token(const niu::TokenAddress& address, const wire::TokenView& /*token*/) noexcept override {
        came.push_back(address);
        return true;
    }

    std::vector<niu::TokenAddress> came;
};

/// a and b with a router between their networks, that forwards as RFC 1812 has it: what is sent to it, with
/// another address in Ethernet, and no packet that is for all; and as RFC 3704 has it, only what is from
/// where its source address is. There is a token manager in a third network, where nobody is.
class RouterTest : public NiuTest {
  protected:
    static constexpr topology::Ip kIpOfA = 0x0a010007;  // 10.1.0.7
    static constexpr topology::Ip kIpOfB = 0x0a020007;
    static constexpr NodeId kManager = 2;
    static constexpr topology::Ip kIpOfManager = 0x0a030007;
    static constexpr topology::Ip kGateway[] = {0x0a010001, 0x0a020001};
    static constexpr MacAddress kMac[] = {kA.mac, kB.mac};
    static constexpr topology::Ip kIp[] = {kIpOfA, kIpOfB};

    RouterTest() { restart(); }

    void TearDown() override {
        at_router_[0].drain();
        at_router_[1].drain();
        NiuTest::TearDown();
    }

    static niu::Options options(NodeId node) {
        niu::Options made = NiuTest::options(node);
        made.nodes = {"a", "b", ""};
        made.udp = {
            .addresses = {kIpOfA, kIpOfB, kIpOfManager}, .gateway = kGateway[node], .subnet_bits = 24};
        return made;
    }
    void restart() {
        a = std::make_unique<niu::Niu>("a", to_a.input(), at_router_[0].output(), niu_pool(), options(0));
        b = std::make_unique<niu::Niu>("b", to_b.input(), at_router_[1].output(), niu_pool(), options(1));
    }

    void run(Duration duration) {
        for (const Time end = now + duration; now < end; now += 5us) {
            a->poll(now);
            b->poll(now);
            for (const unsigned side : {0U, 1U})
                serve(side);
        }
    }
    void expect_talk() {
        ASSERT_TRUE(a->send(1, Protocol::kNoniso, bytes(7)));
        run(1ms);
        ASSERT_TRUE(b->receive(received));
        EXPECT_EQ(received.size, 7U);
        b->release(received);
    }

    void send_arp(unsigned side, const MacAddress& to, const Arp& arp) {
        rte_mbuf* m = packet();
        auto* at = reinterpret_cast<std::byte*>(rte_pktmbuf_append(m, wire::kArpPacketSize));
        wire::encode_arp(std::span<std::byte, wire::kArpPacketSize>(at, wire::kArpPacketSize), to, arp);
        output_to(side).send(&m, 1);
    }

    MacAddress router_mac[2] = {{2, 0, 0, 0, 9, 0}, {2, 0, 0, 0, 9, 1}};
    bool answers = true;
    std::vector<Arp> heard;  ///< all that the nodes have said in ARP
    unsigned forwarded = 0;
    std::vector<topology::Ip> unreachable;

  private:
    runtime::Output& output_to(unsigned side) { return side == 0 ? to_a.output() : to_b.output(); }

    void serve(unsigned side) {
        runtime::Burst burst;
        const unsigned n = at_router_[side].input().receive(burst);
        for (unsigned i = 0; i < n; ++i)
            if (!forward(side, burst[i])) rte_pktmbuf_free(burst[i]);
    }
    /// Takes the packet unless it returns false.
    bool forward(unsigned side, rte_mbuf* m) {
        const std::span<std::byte> bytes_of = runtime::Packet::bytes_of(m);
        if (const auto arp = wire::decode_arp(bytes_of)) {
            heard.push_back(*arp);
            if (answers && arp->is_request && arp->target_address == kGateway[side])
                send_arp(side, arp->sender_mac,
                         {false, router_mac[side], kGateway[side], arp->sender_address});
            return false;
        }
        if (!std::equal(router_mac[side].begin(), router_mac[side].end(),
                        reinterpret_cast<const std::uint8_t*>(bytes_of.data())))
            return false;
        std::byte* const ip = bytes_of.data() + wire::kEthernetSize;
        const unsigned other = 1 - side;
        if (wire::ipv4_layout::Source::get(ip) != kIp[side]) return false;
        if (wire::ipv4_layout::Destination::get(ip) != kIp[other]) {
            unreachable.push_back(wire::ipv4_layout::Destination::get(ip));
            return false;
        }
        // A packet that its sender may send again is not changed.
        rte_mbuf* copy = rte_pktmbuf_copy(m, niu_pool().raw(), 0, UINT32_MAX);
        auto* const at = rte_pktmbuf_mtod(copy, std::byte*);
        wire::encode_ethernet(std::span<std::byte, wire::kEthernetSize>(at, wire::kEthernetSize), kMac[other],
                              router_mac[other], wire::kIpv4EtherType);
        const std::span<std::byte, wire::kIpv4Size> header(at + wire::kEthernetSize, wire::kIpv4Size);
        wire::ipv4_layout::TimeToLive::put(header.data(),
                                           wire::ipv4_layout::TimeToLive::get(header.data()) - 1);
        wire::ipv4_layout::Checksum::put(header.data(), 0);
        wire::ipv4_layout::Checksum::put(header.data(), wire::ipv4_checksum(header));
        output_to(other).send(&copy, 1);
        ++forwarded;
        return false;
    }

    runtime::Ring at_router_[2] = {runtime::Ring("unit_niu_router_a"), runtime::Ring("unit_niu_router_b")};
};

TEST_F(RouterTest, joins_nodes_of_different_networks) {
    run(20ms);
    ASSERT_EQ(a->state(1), PeerState::kUp);
    ASSERT_EQ(b->state(0), PeerState::kUp);
    expect_talk();
    EXPECT_EQ(b->counters().frames_received.get(), 1U);
    EXPECT_GT(forwarded, 4U);
}

TEST_F(RouterTest, is_asked_again_and_again_until_it_answers) {
    answers = false;
    run(300ms);
    EXPECT_GT(heard.size(), 10U);
    EXPECT_LT(heard.size(), 60U);
    EXPECT_EQ(heard.front().sender_address, kIpOfA);
    EXPECT_EQ(heard.front().target_address, kGateway[0]);
    answers = true;
    run(300ms);
    ASSERT_EQ(a->state(1), PeerState::kUp);
    const std::size_t asked = heard.size();
    run(300ms);
    EXPECT_EQ(heard.size(), asked);
}

TEST_F(RouterTest, may_be_replaced_by_another_that_says_so) {
    run(20ms);
    ASSERT_EQ(a->state(1), PeerState::kUp);
    router_mac[0] = {2, 0, 0, 0, 9, 7};
    send_arp(0, wire::kBroadcastMac, {true, router_mac[0], kGateway[0], kGateway[0]});
    run(100us);
    expect_talk();
}

TEST_F(RouterTest, finds_a_node_by_its_address) {
    run(20ms);
    heard.clear();
    send_arp(0, wire::kBroadcastMac, {true, router_mac[0], kGateway[0], kIpOfA});
    send_arp(0, wire::kBroadcastMac, {true, router_mac[0], kGateway[0], kIpOfA + 1});
    run(1ms);
    ASSERT_EQ(heard.size(), 1U);
    EXPECT_FALSE(heard[0].is_request);
    EXPECT_EQ(heard[0].sender_mac, kA.mac);
    EXPECT_EQ(heard[0].sender_address, kIpOfA);
    EXPECT_EQ(heard[0].target_address, kGateway[0]);
}

TEST_F(RouterTest, is_crossed_by_tokens_to_and_from_who_plays_a_token_manager) {
    run(20ms);
    TokenSink at_a;
    TokenSink at_b;
    a->attach(NodeId{0}, &at_a);
    b->attach(kManager, &at_b);
    for (niu::Niu* niu : {a.get(), b.get()})
        niu->set_player(kManager, 1);
    EXPECT_TRUE(a->send_token({.from = 0, .to = kManager, .epoch = 10}, {.number = 1}, {}));
    EXPECT_TRUE(b->send_token({.from = kManager, .to = 0, .epoch = 11}, {.number = 1}, {}));
    run(1ms);
    ASSERT_EQ(at_b.came.size(), 1U);
    EXPECT_EQ(at_b.came[0].to, kManager);
    ASSERT_EQ(at_a.came.size(), 1U);
    EXPECT_EQ(at_a.came[0].from, kManager);
    EXPECT_TRUE(unreachable.empty());
    a->attach(NodeId{0}, nullptr);
    b->attach(kManager, nullptr);
}

TEST_F(RouterTest, finds_a_token_manager_that_is_stood_in_for_where_it_comes_back) {
    run(20ms);
    TokenSink at_b;
    b->attach(kManager, &at_b);
    b->set_player(kManager, 1);
    heard.clear();
    const Arp asks{true, router_mac[1], kGateway[1], kIpOfManager};
    send_arp(1, wire::kBroadcastMac, asks);
    b->send_view(kManager, {.step = wire::ViewStep::kDecided, .next = {.number = 1}});
    run(1ms);
    EXPECT_TRUE(heard.empty());
    EXPECT_EQ(unreachable, std::vector{kIpOfManager});
    b->set_player(kManager, kManager);
    send_arp(1, wire::kBroadcastMac, asks);
    run(1ms);
    EXPECT_EQ(heard.size(), 1U);
    b->attach(kManager, nullptr);
}

TEST_F(RouterTest, is_not_who_has_another_address) {
    run(20ms);
    send_arp(0, kA.mac, {false, kForger.mac, kIpOfA + 1, kIpOfA});
    run(1ms);
    expect_talk();
}

}  // namespace isoplane::test
