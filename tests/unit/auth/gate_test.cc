// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/auth/gate.hh>
#include <isoplane/runtime/backlog.hh>
#include <isoplane/runtime/ring.hh>
#include <isoplane/wire/message.hh>
#include <nlohmann/json.hpp>

#include "bench.hh"

namespace isoplane::auth {
namespace {

/// A wire that takes only so many packets.
class Wire final : public runtime::Output {
  public:
    explicit Wire(runtime::Output& to) : Output("wire"), to_(to) {}
    std::uint16_t room = runtime::kBurst;

  private:
    std::uint16_t do_send(rte_mbuf** packets, std::uint16_t n) noexcept override {
        return to_.send(packets, std::min(n, room));
    }
    runtime::Output& to_;
};

/// Two gates, joined by a ring from the first to the second.
class GateTest : public testing::TestWithParam<wire::Transport> {
  protected:
    ~GateTest() override {
        ring_.drain();
        EXPECT_EQ(pool_.in_use(), 0U);
    }

    rte_mbuf* make(std::size_t payload = 30) {
        rte_mbuf* const m = pool_.packet().release();
        const std::size_t frame = wire::kHeaderSize + payload;
        auto* const at = reinterpret_cast<std::byte*>(
            rte_pktmbuf_append(m, static_cast<std::uint16_t>(form_.size() + frame)));
        if (form_.transport == wire::Transport::kUdp)
            wire::encode_udp(std::span<std::byte, wire::kUdpEnvelopeSize>(at, wire::kUdpEnvelopeSize), {}, {},
                             {1, 2, 3, form_.udp_port}, frame);
        else
            wire::encode_ethernet(std::span<std::byte, wire::kEthernetSize>(at, wire::kEthernetSize), {}, {},
                                  form_.ethertype);
        std::byte* const message = at + form_.size() + wire::kHeaderSize;
        const std::size_t size = payload - wire::kMessageHeaderSize;
        const std::uint64_t word =
            wire::message_word({wire::Protocol::kNoniso, wire::kWholeMessage,
                                static_cast<std::uint16_t>(size), static_cast<std::uint32_t>(size)});
        std::memcpy(message, &word, sizeof word);
        std::fill_n(message + wire::kMessageHeaderSize, size, std::byte{5});
        wire::Header header{.kind = wire::Kind::kData, .source = 1, .destination = 2};
        wire::encode_frame(std::span<std::byte, wire::kHeaderSize>(at + form_.size(), wire::kHeaderSize),
                           header, {message, payload});
        return m;
    }

    /// How many arrive, intact in their envelope.
    unsigned arrive() {
        runtime::Burst burst;
        unsigned all = 0;
        while (const std::uint16_t n = b_.input().receive(burst)) {
            for (std::uint16_t i = 0; i < n; ++i) {
                const wire::Expect expect{
                    .encapsulation = form_, .job_key = 0, .node = wire::kBroadcast, .node_count = 8};
                EXPECT_TRUE(wire::decode(runtime::Packet::bytes_of(burst[i]), expect));
            }
            rte_pktmbuf_free_bulk(burst.data(), n);
            all += n;
        }
        return all;
    }

    std::uint64_t count(Gate& gate, const char* what) {
        nlohmann::json out;
        gate.describe(out);
        return out.at(what).get<std::uint64_t>();
    }

    GateOptions options(std::uint16_t station) { return {station, 8, kJob, form_}; }

    wire::Encapsulation form_{.transport = GetParam()};
    runtime::Pool pool_{"gates", 1023, runtime::Pool::kDefaultRoom, 0};
    runtime::Ring ring_{"gate_ring", 256};
    runtime::Ring back_{"gate_back", 256};
    Wire wire_{ring_.output()};
    Key key_ = key_of_test();
    Gate a_{"a", key_, options(1), back_.input(), wire_, pool_};
    Gate b_{"b", key_, options(2), ring_.input(), back_.output(), pool_};
};

INSTANTIATE_TEST_SUITE_P(In, GateTest, testing::Values(wire::Transport::kEthernet, wire::Transport::kUdp),
                         [](const auto& in) {
                             return in.param == wire::Transport::kUdp ? "udp" : "ethernet";
                         });

TEST_P(GateTest, passes_what_it_has_sealed_and_copies_nothing) {
    runtime::Burst burst;
    for (unsigned i = 0; i < 10; ++i)
        burst[i] = make(30 + i * 100);
    EXPECT_EQ(a_.output().send(burst.data(), 10), 10);
    EXPECT_EQ(arrive(), 10U);
    EXPECT_EQ(count(a_, "sealed"), 10U);
    EXPECT_EQ(count(a_, "copied"), 0U);
    EXPECT_EQ(count(b_, "authentic"), 10U);
    EXPECT_EQ(b_.refused(), 0U);
}

TEST_P(GateTest, goes_on_with_another_key_when_one_is_used_up) {
    constexpr std::uint64_t kFramesOfAKey = std::uint64_t{1} << 32;
    GateOptions late = options(3);
    late.first = kFramesOfAKey - 25;
    Gate sender("late", key_, late, back_.input(), wire_, pool_);
    for (unsigned round = 0; round < 5; ++round) {
        runtime::Burst burst;
        for (unsigned i = 0; i < 10; ++i)
            burst[i] = make();
        wire_.room = 4;  // what is offered again has been sealed with the key before
        for (std::uint16_t sent = 0; sent < 10;)
            sent = static_cast<std::uint16_t>(
                sent + sender.output().send(burst.data() + sent, static_cast<std::uint16_t>(10 - sent)));
        EXPECT_EQ(arrive(), 10U);
    }
    EXPECT_EQ(b_.refused(), 0U);
}

TEST_P(GateTest, seals_in_place_what_its_keeper_sends_again) {
    rte_mbuf* kept = make();
    const std::size_t size = kept->pkt_len;
    for (unsigned i = 0; i < 3; ++i) {
        rte_mbuf_refcnt_update(kept, 1);
        // As the NIU renews its headers.
        if (form_.transport == wire::Transport::kUdp)
            wire::stretch_datagram(rte_pktmbuf_mtod(kept, std::byte*), size - wire::kUdpEnvelopeSize);
        EXPECT_EQ(a_.output().send(&kept, 1), 1);
        EXPECT_EQ(arrive(), 1U);
    }
    EXPECT_EQ(kept->pkt_len, size + wire::kTrailerSize);
    EXPECT_EQ(count(a_, "copied"), 0U);
    rte_pktmbuf_free(kept);
}

TEST_P(GateTest, copies_what_others_refer_to_and_what_is_chained) {
    rte_mbuf* shared = make();
    const std::size_t size = shared->pkt_len;
    rte_mbuf_refcnt_update(shared, 2);
    rte_mbuf* sent = shared;
    EXPECT_EQ(a_.output().send(&sent, 1), 1);
    EXPECT_EQ(shared->pkt_len, size);
    rte_pktmbuf_free(shared);
    rte_pktmbuf_free(shared);
    rte_mbuf* chained = make(300);
    rte_mbuf* tail = pool_.packet().release();
    std::memcpy(rte_pktmbuf_append(tail, 100),
                rte_pktmbuf_mtod_offset(chained, char*, chained->data_len - 100), 100);
    rte_pktmbuf_trim(chained, 100);
    ASSERT_EQ(rte_pktmbuf_chain(chained, tail), 0);
    EXPECT_EQ(a_.output().send(&chained, 1), 1);
    EXPECT_EQ(arrive(), 2U);
    EXPECT_EQ(count(a_, "copied"), 2U);
}

TEST_P(GateTest, seals_once_what_a_full_link_takes_later) {
    runtime::Backlog backlog(a_.output());
    runtime::Burst burst;
    for (unsigned i = 0; i < 20; ++i)
        burst[i] = make();
    wire_.room = 3;
    backlog.send(burst.data(), 20);
    while (!backlog.flush()) {
    }
    EXPECT_EQ(arrive(), 20U);
    EXPECT_EQ(count(a_, "sealed"), 20U);
}

TEST_P(GateTest, drops_what_is_not_sealed_and_counts_it) {
    runtime::Burst burst{make(), make(1000), pool_.packet().release()};
    ring_.output().send(burst.data(), 3);
    EXPECT_EQ(arrive(), 0U);
    EXPECT_EQ(count(b_, "not_sealed"), 3U);
    b_.clear_counters();
    EXPECT_EQ(b_.refused(), 0U);
}

TEST_P(GateTest, drops_what_has_been_recorded) {
    rte_mbuf* kept = make();
    rte_mbuf_refcnt_update(kept, 1);
    a_.output().send(&kept, 1);
    EXPECT_EQ(arrive(), 1U);
    rte_mbuf_refcnt_update(kept, 1);
    ring_.output().send(&kept, 1);
    EXPECT_EQ(arrive(), 0U);
    EXPECT_EQ(count(b_, "replayed"), 1U);
    rte_pktmbuf_free(kept);
}

TEST_P(GateTest, opens_what_comes_in_pieces) {
    rte_mbuf* packet = make(500);
    a_.output().send(&packet, 1);
    runtime::Burst burst;
    ASSERT_EQ(ring_.input().receive(burst), 1);
    rte_mbuf* tail = pool_.packet().release();
    std::memcpy(rte_pktmbuf_append(tail, 60),
                rte_pktmbuf_mtod_offset(burst[0], char*, burst[0]->data_len - 60), 60);
    rte_pktmbuf_trim(burst[0], 60);
    ASSERT_EQ(rte_pktmbuf_chain(burst[0], tail), 0);
    ring_.output().send(burst.data(), 1);
    EXPECT_EQ(arrive(), 1U);
}

TEST_P(GateTest, arp_passes_only_where_frames_are_in_udp) {
    runtime::Burst burst{make()};
    wire::ethernet_layout::EtherType::put(rte_pktmbuf_mtod(burst[0], std::byte*), 0x0806);
    const std::uint32_t size = burst[0]->pkt_len;
    a_.output().send(burst.data(), 1);
    ASSERT_EQ(b_.input().receive(burst), form_.transport == wire::Transport::kUdp ? 1 : 0);
    if (form_.transport != wire::Transport::kUdp) return;
    EXPECT_EQ(burst[0]->pkt_len, size);
    rte_pktmbuf_free(burst[0]);
}

}  // namespace
}  // namespace isoplane::auth
