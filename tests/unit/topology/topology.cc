// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/topology.hh>

#include <gmock/gmock-matchers.h>
#include <gtest/gtest.h>

#include <isoplane/topology/builders.hh>
#include <isoplane/topology/fmconfig.hh>

#include "support.hh"

namespace isoplane::topology {

using test::refusal;
using testing::ElementsAre;

TEST(Topology, knows_who_exchanges_tokens_with_whom) {
    const Topology topology = parse_fmconfig("0 a b 1 1 2\n1 0 0 c\n2 t:t 0\n");
    // Hosts 0..2, token managers 3..5.
    EXPECT_THAT(topology.token_neighbours(0), ElementsAre(3));
    EXPECT_THAT(topology.token_neighbours(2), ElementsAre(4));
    EXPECT_THAT(topology.token_neighbours(3), ElementsAre(0, 1, 4, 5));
    EXPECT_THAT(topology.token_neighbours(4), ElementsAre(2, 3));
    EXPECT_THAT(topology.token_neighbours(5), ElementsAre(3));
}

TEST(Topology, joins_every_link_to_one_that_joins_it_back) {
    test::Random random(2);
    for (int i = 0; i < 200; ++i) {
        const Topology topology(test::random_switches(random));
        for (std::size_t s = 0; s < topology.switch_count(); ++s) {
            const auto& ports = topology.switches()[s].ports;
            for (std::size_t p = 0; p < ports.size(); ++p) {
                if (ports[p].kind != PortKind::kLink) continue;
                const Port& back = topology.switches()[ports[p].peer].ports[ports[p].peer_port];
                ASSERT_EQ(back.kind, PortKind::kLink);
                ASSERT_EQ(back.peer, s);
                ASSERT_EQ(back.peer_port, p);
            }
        }
    }
}

TEST(Topology, finds_every_node_by_its_name_and_on_its_port) {
    test::Random random(3);
    for (int i = 0; i < 200; ++i) {
        const Topology topology(test::random_switches(random));
        for (std::size_t n = 0; n < topology.node_count(); ++n) {
            const auto node = static_cast<NodeId>(n);
            ASSERT_EQ(topology.find(topology.name(node)), node);
            if (const auto port = topology.port_of(node)) {
                ASSERT_EQ(topology.switches()[topology.switch_of(node)].ports[*port].node, node);
            }
        }
        for (std::size_t s = 0; s < topology.switch_count(); ++s)
            ASSERT_EQ(topology.switch_of(topology.token_manager(static_cast<SwitchId>(s))), s);
    }
}

TEST(Topology, takes_another_numbering_of_all_its_hosts) {
    const std::vector<SwitchSpec> specs{
        {5, {{PortKind::kHost, "a", 0, {}}, {PortKind::kHost, "b", 0, {}}}, {}}};
    const std::vector<std::string> turned{"b", "a"};
    const Topology topology(specs, "test", turned);
    EXPECT_EQ(topology.find("b"), NodeId{0});
    EXPECT_EQ(topology.port_of(0), PortId{1});
    EXPECT_EQ(topology.switches()[0].ports[0].node, NodeId{1});

    const std::vector<std::string> few{"b"};
    EXPECT_EQ(
        refusal([&] { Topology(specs, "test", few); }),
        "test: the host numbering names 1 host but the ports name 2: name every host of the network once");
    const std::vector<std::string> twice{"b", "b"};
    EXPECT_EQ(refusal([&] { Topology(specs, "test", twice); }),
              "test: the host numbering names \"b\", which is on no port or was named before: name every "
              "host of the "
              "network once");
}

TEST(Topology, refuses_nodes_and_switches_that_are_not_there) {
    const Topology topology = single_switch(2);
    EXPECT_THROW(topology.switch_of(3), std::out_of_range);
    EXPECT_THROW(topology.name(3), std::out_of_range);
    EXPECT_THROW(topology.token_manager(1), std::out_of_range);
    EXPECT_THROW(topology.hosts_on(1), std::out_of_range);
    EXPECT_EQ(topology.find("nobody"), std::nullopt);
}

TEST(Builders, make_the_shapes_they_say) {
    EXPECT_EQ(single_switch(3), parse_fmconfig("0 h0 h1 h2\n"));
    EXPECT_EQ(line(3, 1), parse_fmconfig("0 h0 1\n1 h1 0 2\n2 h2 1\n"));
    EXPECT_EQ(ring(3, 1), parse_fmconfig("0 h0 1 2\n1 h1 0 2\n2 h2 1 0\n"));
    EXPECT_EQ(ring(2, 1), line(2, 1));
    EXPECT_EQ(ring(1, 4), single_switch(4));
    EXPECT_EQ(fat_tree(2, 2), parse_fmconfig("0 h0 2\n1 h1 3\n2 0 4\n3 1 4\n4 2 3\n"));
}

TEST(Builders, make_a_fat_tree_in_which_every_switch_uses_all_its_ports) {
    const Topology tree = fat_tree(8, 128);
    EXPECT_EQ(tree.host_count(), 128u);
    EXPECT_EQ(tree.switch_count(), 32u + 32u + 16u);
    for (const Switch& s : tree.switches()) {
        EXPECT_EQ(s.ports.size(), 8u);
        for (const Port& port : s.ports)
            EXPECT_NE(port.kind, PortKind::kDangling);
    }
}

TEST(Builders, refuse_what_exceeds_the_limits) {
    EXPECT_EQ(refusal([] { single_switch(0); }),
              "topology: switch 0 has no port: write what is on each port, '-' for "
              "nothing");
    EXPECT_EQ(
        refusal([] { line(5000, 1); }),
        "topology: 5000 switches with 1 hosts each are asked for; at most 4096 with 4096 ports are possible: "
        "use fewer");
    EXPECT_EQ(refusal([] { fat_tree(7, 1); }),
              "topology: a fat tree of switches with 7 ports is asked for; an even number from 2 to 56 is "
              "possible: "
              "use one");
    EXPECT_EQ(refusal([] { fat_tree(4, 17); }),
              "topology: a fat tree of switches with 4 ports holds 16 hosts, not 17: use switches with more "
              "ports, or "
              "fewer hosts");
}

}  // namespace isoplane::topology
