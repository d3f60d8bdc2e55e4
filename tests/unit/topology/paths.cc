// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/paths.hh>

#include <algorithm>
#include <map>
#include <stdexcept>

#include <gmock/gmock-matchers.h>
#include <gtest/gtest.h>

#include <isoplane/topology/builders.hh>
#include <isoplane/topology/fmconfig.hh>

#include "support.hh"

namespace isoplane::topology {

using testing::ElementsAre;

namespace {

constexpr std::uint32_t kFar = 1000;
using Table = std::vector<std::vector<std::uint32_t>>;

/// Links between every two switches, by relaxing every pair over every third (Floyd and Warshall), from what
/// the description says rather than from what the topology made of it.
Table brute_force(const std::vector<SwitchSpec>& specs) {
    std::map<std::uint32_t, std::size_t> index;
    for (std::size_t s = 0; s < specs.size(); ++s)
        index[specs[s].number] = s;
    Table table(specs.size(), std::vector<std::uint32_t>(specs.size(), kFar));
    for (std::size_t s = 0; s < specs.size(); ++s) {
        table[s][s] = 0;
        for (const PortSpec& port : specs[s].ports)
            if (port.kind == PortKind::kLink) table[s][index.at(port.number)] = 1;
    }
    for (std::size_t k = 0; k < specs.size(); ++k)
        for (auto& row : table)
            for (std::size_t b = 0; b < specs.size(); ++b)
                row[b] = std::min(row[b], row[k] + table[k][b]);
    return table;
}

/// Follows a route port by port and returns the node it ends at.
NodeId follow(const Topology& topology, NodeId from, const std::vector<Hop>& route) {
    SwitchId at = topology.switch_of(from);
    for (const Hop& hop : route) {
        EXPECT_EQ(hop.at, at);
        const Port& port = topology.switches()[at].ports.at(hop.out);
        if (port.kind != PortKind::kLink) return port.node;
        at = port.peer;
    }
    return topology.token_manager(at);
}

}  // namespace

TEST(Paths, agree_with_brute_force_on_random_networks) {
    test::Random random(4);
    for (int i = 0; i < 300; ++i) {
        const auto specs = test::random_switches(random);
        const Topology topology(specs);
        const Paths paths(topology);
        const Table table = brute_force(specs);
        std::uint32_t diameter = 0;
        std::uint32_t greatest = 2;
        for (std::size_t a = 0; a < topology.node_count(); ++a) {
            for (std::size_t b = 0; b < topology.node_count(); ++b) {
                const auto from = static_cast<NodeId>(a);
                const auto to = static_cast<NodeId>(b);
                const std::uint32_t links = table[topology.switch_of(from)][topology.switch_of(to)];
                const std::uint32_t hops = links + topology.is_host(from) + topology.is_host(to);
                ASSERT_EQ(paths.token_hops(from, to), hops);
                diameter = std::max(diameter, links);
                if (!topology.is_host(from) || !topology.is_host(to)) continue;
                greatest = std::max(greatest, hops);
                for (const std::uint32_t h : {1u, 2u, 7u})
                    ASSERT_EQ(paths.distance(from, to, h), (hops - 1) * h + 1);
            }
        }
        ASSERT_EQ(paths.diameter(), diameter);
        ASSERT_EQ(paths.greatest_token_hops(), greatest);
        ASSERT_EQ(paths.greatest_distance(3), (greatest - 1) * 3 + 1);
    }
}

TEST(Paths, lead_every_frame_to_its_node_by_the_fewest_switches) {
    test::Random random(5);
    for (int i = 0; i < 200; ++i) {
        const Topology topology(test::random_switches(random));
        const Paths paths(topology);
        for (std::size_t a = 0; a < topology.node_count(); ++a) {
            for (std::size_t b = 0; b < topology.node_count(); ++b) {
                const auto from = static_cast<NodeId>(a);
                const auto to = static_cast<NodeId>(b);
                if (a == b) continue;
                const auto route = paths.route(from, to);
                ASSERT_EQ(follow(topology, from, route), to);
                const std::uint32_t links =
                    paths.switch_hops(topology.switch_of(from), topology.switch_of(to));
                ASSERT_EQ(route.size(), links + topology.port_of(to).has_value());
            }
        }
    }
}

TEST(Paths, bring_an_entry_to_its_node_in_as_many_token_hops_as_they_say) {
    test::Random random(6);
    for (int i = 0; i < 200; ++i) {
        const Topology topology(test::random_switches(random));
        const Paths paths(topology);
        for (std::size_t a = 0; a < topology.node_count(); ++a) {
            for (std::size_t b = 0; b < topology.node_count(); ++b) {
                auto at = static_cast<NodeId>(a);
                const auto to = static_cast<NodeId>(b);
                if (a == b) continue;
                const std::uint32_t promised = paths.token_hops(at, to);
                for (std::uint32_t hop = 0; hop < promised; ++hop) {
                    const NodeId next = paths.next_token_hop(at, to);
                    const auto neighbours = topology.token_neighbours(at);
                    ASSERT_NE(std::find(neighbours.begin(), neighbours.end(), next), neighbours.end());
                    at = next;
                }
                ASSERT_EQ(at, to);
            }
        }
    }
}

TEST(Paths, are_the_same_there_and_back_in_length) {
    test::Random random(7);
    for (int i = 0; i < 100; ++i) {
        const Topology topology(test::random_switches(random));
        const Paths paths(topology);
        for (std::size_t a = 0; a < topology.host_count(); ++a)
            for (std::size_t b = 0; b < a; ++b)
                ASSERT_EQ(paths.token_hops(static_cast<NodeId>(a), static_cast<NodeId>(b)),
                          paths.token_hops(static_cast<NodeId>(b), static_cast<NodeId>(a)));
    }
}

TEST(Paths, on_one_switch_make_a_distance_of_two_with_one_token) {
    const Topology topology = single_switch(2);
    const Paths paths(topology);
    EXPECT_EQ(paths.token_hops(0, 1), 2u);
    EXPECT_EQ(paths.distance(0, 1, 1), 2u);
    EXPECT_EQ(paths.distance(0, 0, 1), 2u);
    EXPECT_EQ(paths.distance(0, 1, 4), 5u);
    EXPECT_EQ(paths.greatest_distance(1), 2u);
    EXPECT_EQ(paths.diameter(), 0u);
}

TEST(Paths, take_the_lowest_port_of_several_as_good) {
    const Topology topology = parse_fmconfig("0 a 2 1 1\n1 0 0 3\n2 0 3\n3 b 1 2\n");
    const Paths paths(topology);
    EXPECT_THAT(paths.route(0, 1), ElementsAre(Hop{0, 1}, Hop{2, 1}, Hop{3, 0}));
    EXPECT_EQ(paths.next_port(0, 1), PortId{2});
}

TEST(Paths, do_not_count_switches_without_hosts_into_the_greatest_distance) {
    const Topology topology = parse_fmconfig("0 a b 1\n1 0 2\n2 1 -\n");
    const Paths paths(topology);
    EXPECT_EQ(paths.diameter(), 2u);
    EXPECT_EQ(paths.greatest_token_hops(), 2u);
}

TEST(Paths, of_a_ring_go_the_shorter_way_round) {
    const Topology topology = ring(7, 1);
    const Paths paths(topology);
    EXPECT_EQ(paths.token_hops(0, 3), 5u);
    EXPECT_EQ(paths.token_hops(0, 4), 5u);
    EXPECT_EQ(paths.token_hops(0, 6), 3u);
    EXPECT_EQ(paths.diameter(), 3u);
}

TEST(Paths, of_a_fat_tree_of_4096_hosts_are_found) {
    const Topology tree = fat_tree(26, 4096);
    ASSERT_EQ(tree.host_count(), 4096u);
    const Paths paths(tree);
    EXPECT_EQ(paths.token_hops(0, 1), 2u);     // the same edge switch
    EXPECT_EQ(paths.token_hops(0, 13), 4u);    // the same pod
    EXPECT_EQ(paths.token_hops(0, 4095), 6u);  // over the core
    EXPECT_EQ(paths.greatest_token_hops(), 6u);
    EXPECT_EQ(paths.diameter(), 4u);
    EXPECT_EQ(paths.route(0, 4095).size(), 5u);
    EXPECT_EQ(follow(tree, 0, paths.route(0, 4095)), NodeId{4095});
    EXPECT_EQ(parse_fmconfig(write_fmconfig(tree)), tree);
}

TEST(Paths, refuse_questions_without_an_answer) {
    const Topology topology = line(2, 1);
    const Paths paths(topology);
    EXPECT_THROW(paths.distance(0, 2, 1), std::invalid_argument);
    EXPECT_THROW(paths.distance(0, 1, 0), std::invalid_argument);
    EXPECT_THROW(paths.greatest_distance(0), std::invalid_argument);
    EXPECT_THROW(paths.next_port(1, 1), std::invalid_argument);
    EXPECT_THROW(paths.next_token_hop(1, 1), std::invalid_argument);
    EXPECT_THROW(paths.token_hops(0, 4), std::out_of_range);
    EXPECT_THROW(paths.switch_hops(0, 2), std::out_of_range);
    EXPECT_TRUE(paths.route(1, 1).empty());
}

}  // namespace isoplane::topology
