// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gmock/gmock-matchers.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "link_test.hh"

namespace isoplane::link {
namespace {

using RingLink = LinkTest;
using NullLink = LinkTest;

TEST_F(RingLink, named_twice_joins_two_links_and_passes_packets_uncopied) {
    auto links = open_links(parse_links("ring:x,ring:x"), options());
    for (auto& link : links)
        link->start();
    for (std::size_t from : {0U, 1U}) {
        rte_mbuf* packet = packet_of(pool, frame_of(1, 100));
        rte_mbuf* const sent = packet;
        ASSERT_EQ(links[from]->output().send(&packet, 1), 1U);
        runtime::Burst burst;
        EXPECT_EQ(links[from]->input().receive(burst), 0U);
        EXPECT_EQ(links[1 - from]->input().waiting(), 1U);
        ASSERT_EQ(links[1 - from]->input().receive(burst), 1U);
        EXPECT_EQ(burst[0], sent);
        rte_pktmbuf_free(burst[0]);
    }
    EXPECT_TRUE(links[0]->up());
    EXPECT_NE(links[0]->mac(), links[1]->mac());
    EXPECT_EQ(links[0]->stats().opackets, 1U);
    EXPECT_EQ(links[0]->stats().ipackets, 1U);
}

TEST_F(RingLink, named_once_leads_back_to_itself) {
    auto links = open_links(parse_links("ring:x,ring:y"), options());
    for (auto& link : links) {
        link->start();
        EXPECT_EQ(carry(*link, *link, pool, {frame_of(1, 60), frame_of(2, 9000)}),
                  (std::vector<Bytes>{frame_of(1, 60), frame_of(2, 9000)}));
    }
}

TEST_F(RingLink, takes_no_more_than_it_has_descriptors_for_and_frees_what_is_left_in_it) {
    auto links = open_links(parse_links("ring:x,ring:x"), options());
    for (auto& link : links)
        link->start();
    unsigned sent = 0;
    rte_mbuf* packet = packet_of(pool, frame_of(1, 60));
    while (links[0]->output().send(&packet, 1) == 1) {
        ++sent;
        packet = packet_of(pool, frame_of(1, 60));
    }
    rte_pktmbuf_free(packet);
    EXPECT_EQ(sent, options().tx_descriptors);
    links.erase(links.begin());
    EXPECT_EQ(pool.in_use(), sent);
    links.clear();
    EXPECT_EQ(pool.in_use(), 0U);
}

TEST_F(RingLink, refuses_a_third_end_and_takes_it_when_one_has_gone) {
    auto a = open("ring:x,end=a");
    auto b = open("ring:x,end=b");
    EXPECT_THROW(open("ring:x,end=a"), std::runtime_error);
    EXPECT_THROW(open("ring:x"), std::runtime_error);
    EXPECT_THROW(open_links(parse_links("ring:y,ring:y,ring:y"), options()), std::runtime_error);
    a.reset();
    EXPECT_NO_THROW(open("ring:x,end=a"));
    b.reset();
    EXPECT_NO_THROW(open("ring:x"));
}

TEST_F(NullLink, yields_packets_of_its_size_and_swallows_all) {
    auto link = open("null:size=128,mac=02:00:00:00:00:07");
    EXPECT_EQ(link->mac(), (Mac{2, 0, 0, 0, 0, 7}));
    link->start();
    runtime::Burst burst;
    ASSERT_EQ(link->input().receive(burst), runtime::kBurst);
    EXPECT_EQ(burst[0]->pkt_len, 128U);
    EXPECT_EQ(link->output().send(burst.data(), runtime::kBurst), runtime::kBurst);
    EXPECT_EQ(link->stats().ipackets, runtime::kBurst);
    EXPECT_EQ(link->stats().opackets, runtime::kBurst);
    link->clear_stats();
    EXPECT_EQ(link->stats().opackets, 0U);
}

TEST_F(NullLink, yields_nothing_when_told_so) {
    auto link = open("null:no-rx=1");
    link->start();
    runtime::Burst burst;
    EXPECT_EQ(link->input().receive(burst), 0U);
    EXPECT_FALSE(link->ended());
}

TEST_F(NullLink, starts_and_stops_as_often_as_asked) {
    auto link = open("null:");
    EXPECT_FALSE(link->up());
    for (int i = 0; i < 3; ++i) {
        link->start();
        link->start();
        EXPECT_TRUE(link->up());
        link->stop();
        link->stop();
        EXPECT_FALSE(link->up());
    }
}

TEST_F(NullLink, describes_itself) {
    auto link = open("null:");
    nlohmann::json out;
    link->describe(out);
    EXPECT_EQ(out["spec"], "null:");
    EXPECT_EQ(out["name"], "link0");
    EXPECT_EQ(out["mtu"], 1500);
    EXPECT_EQ(out["stats"]["opackets"], 0);
    EXPECT_FALSE(out.contains("failure"));
}

}  // namespace
}  // namespace isoplane::link
