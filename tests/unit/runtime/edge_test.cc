// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "bench.hh"

#include <isoplane/runtime/backlog.hh>
#include <stdexcept>
#include <vector>

namespace isoplane::runtime {
namespace {

class Edge : public RuntimeTest {};

TEST_F(Edge, ring_keeps_packets_and_their_order) {
    Ring ring("order", 64);
    Burst burst{make(), make(), make()};
    const Burst sent = burst;
    EXPECT_EQ(ring.output().send(burst.data(), 3), 3);
    EXPECT_EQ(ring.input().waiting(), 3U);
    Burst out;
    ASSERT_EQ(ring.input().receive(out), 3);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(out[i], sent[i]);
    rte_pktmbuf_free_bulk(out.data(), 3);
}

TEST_F(Edge, ring_takes_only_what_it_has_room_for) {
    Ring ring("full", 2);
    Burst burst{make(), make(), make()};
    EXPECT_EQ(ring.output().send(burst.data(), 3), 2);
    EXPECT_EQ(ring.output().packets().get(), 2U);
    EXPECT_EQ(ring.output().bytes(), 120U);
    rte_pktmbuf_free(burst[2]);
    EXPECT_EQ(ring.drain(), 2U);
}

TEST_F(Edge, ring_frees_what_is_left_in_it) {
    Ring ring("left", 8);
    Burst burst{make(), make()};
    ring.output().send(burst.data(), 2);
}

TEST_F(Edge, ring_name_is_taken_once) {
    Ring ring("taken", 8);
    EXPECT_THROW(Ring("taken", 8), std::runtime_error);
}

TEST_F(Edge, pool_that_does_not_fit_is_refused_with_its_size) {
    try {
        Pool("huge", 100'000'000);
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("100000000"), std::string::npos) << error.what();
    }
}

TEST_F(Edge, closed_input_yields_nothing_and_loses_nothing) {
    Ring ring("closed", 8);
    Burst burst{make()};
    ring.output().send(burst.data(), 1);
    ring.input().set_closed(true);
    Burst out;
    EXPECT_EQ(ring.input().receive(out), 0);
    ring.input().set_closed(false);
    ASSERT_EQ(ring.input().receive(out), 1);
    rte_pktmbuf_free(out[0]);
}

TEST_F(Edge, input_counts_packets_and_bytes) {
    Ring ring("count", 8);
    Burst burst{make(60), make(1000)};
    ring.output().send(burst.data(), 2);
    Burst out;
    const std::uint16_t n = ring.input().receive(out);
    EXPECT_EQ(ring.input().packets().get(), 2U);
    EXPECT_EQ(ring.input().bytes(), 1060U);
    rte_pktmbuf_free_bulk(out.data(), n);
}

/// Counts what it is shown.
class Watcher final : public Tap {
  public:
    void see(rte_mbuf* const*, std::uint16_t n) noexcept override { seen += n; }
    void settle(std::uint16_t n) noexcept override { settled += n; }
    unsigned seen = 0;
    unsigned settled = 0;
};

TEST_F(Edge, tap_learns_how_many_of_the_packets_it_saw_went) {
    Drain drain;
    drain.room = 2;
    Watcher watcher;
    drain.set_tap(&watcher);
    Burst burst{make(), make(), make()};
    EXPECT_EQ(drain.send(burst.data(), 3), 2);
    EXPECT_EQ(watcher.seen, 3U);
    EXPECT_EQ(watcher.settled, 2U);
    rte_pktmbuf_free(burst[2]);
}

TEST_F(Edge, backlog_offers_the_rest_again_in_order) {
    Drain drain;
    Backlog backlog(drain);
    drain.room = 1;
    Burst burst{make(), make(), make()};
    backlog.send(burst.data(), 3);
    EXPECT_EQ(backlog.size(), 2U);
    EXPECT_FALSE(backlog.flush());
    EXPECT_EQ(backlog.size(), 1U);
    EXPECT_TRUE(backlog.flush());
    EXPECT_EQ(drain.packets().get(), 3U);
}

TEST_F(Edge, backlog_discards_exactly_the_rest) {
    Drain drain;
    Backlog backlog(drain);
    drain.room = 1;
    Burst burst{make(), make(), make()};
    backlog.send(burst.data(), 3);
    EXPECT_EQ(backlog.discard(), 2U);
    EXPECT_TRUE(backlog.flush());
}

TEST_F(Edge, packet_moves_its_ownership) {
    Packet a = pool_.packet();
    Packet b = std::move(a);
    EXPECT_FALSE(a);  // NOLINT(bugprone-use-after-move): that it is empty is the claim
    EXPECT_EQ(pool_.in_use(), 1U);
    b.reset();
    EXPECT_EQ(pool_.in_use(), 0U);
}

TEST_F(Edge, exhausted_pool_yields_no_packet) {
    std::vector<Packet> all;
    for (unsigned i = 0; i < kPackets; ++i)
        all.push_back(pool_.packet());
    EXPECT_FALSE(pool_.packet());
}

}  // namespace
}  // namespace isoplane::runtime
