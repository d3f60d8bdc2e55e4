// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include "link_test.hh"
#include "port_link.hh"

namespace isoplane::link {
namespace {

/// An output with limits over a ring that leads back, so that what the port got can be looked at.
class PortOutputTest : public LinkTest {
  protected:
    PortOutputTest() : ring(open("ring:x")) { ring->start(); }

    std::vector<rte_mbuf*> arrived() {
        runtime::Burst burst;
        const std::uint16_t n = ring->input().receive(burst);
        return {burst.begin(), burst.begin() + n};
    }

    /// A chained packet that cannot be made one piece in place: its first segment ends where its mbuf does.
    rte_mbuf* unlinear(const Bytes& bytes) {
        rte_mbuf* first = pool.packet().release();
        const auto head = static_cast<std::uint16_t>(bytes.size() / 2);
        rte_pktmbuf_append(first, rte_pktmbuf_tailroom(first));
        std::memcpy(rte_pktmbuf_adj(first, static_cast<std::uint16_t>(first->data_len - head)), bytes.data(),
                    head);
        rte_pktmbuf_chain(first, packet_of(pool, Bytes(bytes.begin() + head, bytes.end())));
        return first;
    }

    std::unique_ptr<Link> ring;
};

TEST_F(PortOutputTest, leaves_chained_packets_alone_where_the_port_sends_them) {
    PortOutput output("tx", ring->port_id(), ByteCount::kEdge, {}, pool.raw());
    rte_mbuf* packet = packet_of(pool, frame_of(1, 300), 100);
    rte_mbuf* const sent = packet;
    ASSERT_EQ(output.send(&packet, 1), 1U);
    const auto got = arrived();
    ASSERT_EQ(got.size(), 1U);
    EXPECT_EQ(got[0], sent);
    EXPECT_EQ(got[0]->nb_segs, 3);
    EXPECT_EQ(output.linearised.get(), 0U);
    rte_pktmbuf_free(got[0]);
}

TEST_F(PortOutputTest, linearises_only_what_is_chained_and_keeps_the_order) {
    PortOutput output("tx", ring->port_id(), ByteCount::kEdge, {.multi_segment = false, .longest = 2048},
                      pool.raw());
    std::vector<rte_mbuf*> burst{packet_of(pool, frame_of(1, 60)), unlinear(frame_of(2, 2048)),
                                 packet_of(pool, frame_of(3, 300), 100), packet_of(pool, frame_of(4, 61))};
    rte_mbuf* const first = burst[0];
    ASSERT_EQ(output.send(burst.data(), 4), 4U);
    const auto got = arrived();
    ASSERT_EQ(got.size(), 4U);
    EXPECT_EQ(got[0], first);
    const std::size_t lengths[] = {60, 2048, 300, 61};
    for (std::uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(got[i]->nb_segs, 1) << i;
        EXPECT_EQ(bytes_of(got[i]), frame_of(i + 1, lengths[i])) << i;
        rte_pktmbuf_free(got[i]);
    }
    EXPECT_EQ(output.linearised.get(), 2U);
}

TEST_F(PortOutputTest, frees_and_counts_what_is_longer_than_the_port_takes) {
    PortOutput output("tx", ring->port_id(), ByteCount::kEdge, {.longest = 1514}, pool.raw());
    std::vector<rte_mbuf*> burst;
    for (std::size_t length : {1515U, 1514U, 60U, 9000U, 9000U, 61U, 2000U})
        burst.push_back(packet_of(pool, frame_of(1, length)));
    ASSERT_EQ(output.send(burst.data(), 7), 7U);
    const auto got = arrived();
    ASSERT_EQ(got.size(), 3U);
    EXPECT_EQ(got[0]->pkt_len, 1514U);
    EXPECT_EQ(got[1]->pkt_len, 60U);
    EXPECT_EQ(got[2]->pkt_len, 61U);
    EXPECT_EQ(output.oversized.get(), 4U);
    for (rte_mbuf* packet : got)
        rte_pktmbuf_free(packet);
}

TEST_F(PortOutputTest, leaves_with_the_caller_what_it_has_no_mbuf_to_linearise_into) {
    runtime::Pool empty("empty", 1, runtime::Pool::kDefaultRoom, 0);
    runtime::Packet only = empty.packet();
    PortOutput output("tx", ring->port_id(), ByteCount::kEdge, {.multi_segment = false, .longest = 2048},
                      empty.raw());
    std::vector<rte_mbuf*> burst{packet_of(pool, frame_of(1, 60)), unlinear(frame_of(2, 2048))};
    ASSERT_EQ(output.send(burst.data(), 2), 1U);
    EXPECT_EQ(output.packets().get(), 1U);
    only.reset();
    ASSERT_EQ(output.send(burst.data() + 1, 1), 1U);
    for (rte_mbuf* packet : arrived())
        rte_pktmbuf_free(packet);
    EXPECT_EQ(empty.in_use(), 0U);
}

TEST_F(PortOutputTest, leaves_with_the_caller_what_the_port_has_no_room_for) {
    PortOutput output("tx", ring->port_id(), ByteCount::kEdge, {.longest = 1514}, pool.raw());
    unsigned sent = 0;
    for (std::uint16_t n = 1; n == 1; sent += n) {
        rte_mbuf* packet = packet_of(pool, frame_of(1, 60));
        n = output.send(&packet, 1);
        if (n == 0) rte_pktmbuf_free(packet);
    }
    EXPECT_EQ(sent, options().tx_descriptors);
    EXPECT_EQ(output.packets().get(), sent);
    ring.reset();
}

}  // namespace
}  // namespace isoplane::link
