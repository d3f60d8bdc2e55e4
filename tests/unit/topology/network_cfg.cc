// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/network_cfg.hh>

#include <gmock/gmock-matchers.h>
#include <gtest/gtest.h>

#include "support.hh"

namespace isoplane::topology {

using test::refusal;
using testing::ElementsAre;

namespace {

const std::string kHosts = "hosts=3\na 0\nb,1\nc 2\n";

std::string refused_cfg(const std::string& text) {
    return refusal([&] { parse_network_cfg(text); });
}

/// A network.cfg for hosts on these ports of one switch.
NetworkCfg on_ports(const std::vector<int>& ports) {
    NetworkCfg cfg;
    for (std::size_t from = 0; from < ports.size(); ++from) {
        cfg.hosts.push_back("n" + std::to_string(from));
        cfg.routes.emplace_back(ports.size());
        for (std::size_t to = 0; to < ports.size(); ++to)
            if (from != to)
                cfg.routes[from][to] = {static_cast<std::uint8_t>(0x80 | ((ports[to] - ports[from]) & 0x3f))};
    }
    return cfg;
}

}  // namespace

TEST(NetworkCfg, reads_hosts_and_routes) {
    const NetworkCfg cfg = parse_network_cfg(kHosts +
                                             "#from node 0\nnode 0:\n0 loopback\n1 81\n2,83\n"
                                             "node 1:\n0,bF\n1 80\n2 82\nnode 2 :\n0 BD\n1 8182\n");
    EXPECT_THAT(cfg.hosts, ElementsAre("a", "b", "c"));
    EXPECT_THAT(cfg.routes[0], ElementsAre(RouteBytes{}, RouteBytes{0x81}, RouteBytes{0x83}));
    EXPECT_THAT(cfg.routes[1], ElementsAre(RouteBytes{0xbf}, RouteBytes{}, RouteBytes{0x82}));
    EXPECT_THAT(cfg.routes[2], ElementsAre(RouteBytes{0xbd}, RouteBytes{0x81, 0x82}, RouteBytes{}));
}

TEST(NetworkCfg, takes_hosts_and_blocks_in_any_order) {
    const NetworkCfg cfg = parse_network_cfg("hosts = 2\nb 1\nnode 0\nnode 1:\n0 BF\nnode 0:\n1 81\n");
    EXPECT_THAT(cfg.hosts, ElementsAre("node", "b"));
    EXPECT_EQ(cfg.routes[0][1], RouteBytes{0x81});
}

TEST(NetworkCfg, tells_the_ports_where_its_routes_do) {
    const Topology topology = topology_of(on_ports({4, 7, 5, 20}));
    EXPECT_EQ(topology.switch_count(), 1u);
    EXPECT_EQ(topology.switches()[0].ports.size(), 17u);
    EXPECT_EQ(topology.port_of(0), PortId{0});
    EXPECT_EQ(topology.port_of(1), PortId{3});
    EXPECT_EQ(topology.port_of(2), PortId{1});
    EXPECT_EQ(topology.port_of(3), PortId{16});
    EXPECT_EQ(topology.name(1), "n1");
}

TEST(NetworkCfg, puts_hosts_in_order_where_its_routes_tell_nothing) {
    for (const auto& [from, to, route] : {std::tuple(0u, 1u, RouteBytes{0x81, 0x82}),  // crosses two switches
                                          std::tuple(2u, 1u, RouteBytes{0x85}),     // contradicts the others
                                          std::tuple(0u, 2u, RouteBytes{0x04})}) {  // no relative route byte
        NetworkCfg cfg = on_ports({9, 3, 5});
        cfg.routes[from][to] = route;
        const Topology topology = topology_of(cfg);
        for (NodeId node = 0; node < 3; ++node)
            EXPECT_EQ(topology.port_of(node), PortId{node});
    }
    NetworkCfg same = on_ports({3, 3});
    EXPECT_EQ(topology_of(same).port_of(1), PortId{1});
    EXPECT_EQ(topology_of(on_ports({3})).port_of(0), PortId{0});
}

TEST(NetworkCfg, reads_what_it_writes) {
    test::Random random(9);
    for (int i = 0; i < 200; ++i) {
        NetworkCfg cfg = on_ports(std::vector<int>(1 + test::below(random, 8)));
        for (std::size_t from = 0; from < cfg.hosts.size(); ++from)
            for (std::size_t to = 0; to < cfg.hosts.size(); ++to)
                if (from != to) {
                    cfg.routes[from][to].resize(1 + test::below(random, kMaxRouteBytes));
                    for (std::uint8_t& byte : cfg.routes[from][to])
                        byte = static_cast<std::uint8_t>(test::below(random, 256));
                }
        ASSERT_EQ(parse_network_cfg(write_network_cfg(cfg)), cfg);
    }
}

TEST(NetworkCfg, refuses_a_bad_number_of_hosts) {
    EXPECT_EQ(refused_cfg("\n# no\n"),
              "network.cfg: the file says nothing; \"hosts=N\" was expected: begin with that");
    for (const char* first :
         {"hosts", "hosts=", "hosts=0", "hosts=4097", "hosts=-1", "hosts=2 3", "host=2", "a 0"})
        EXPECT_EQ(refused_cfg(std::string("#\n") + first + "\n"),
                  "network.cfg:2:1: \"" + std::string(first) +
                      "\" is the first line; \"hosts=N\" was expected, N from 1 to 4096: begin with the "
                      "number of hosts");
}

TEST(NetworkCfg, refuses_bad_hosts) {
    EXPECT_EQ(refused_cfg("hosts=2\na\n"),
              "network.cfg:2:1: \"a\" stands where \"NAME NUMBER\" or \"NAME,NUMBER\", or \"node 0:\" after "
              "the last "
              "host was expected");
    EXPECT_EQ(
        refused_cfg("hosts=2\na 2\n"),
        "network.cfg:2:3: \"2\" stands for a node; a number from 0 to 1 was expected: write one, or correct "
        "\"hosts=\"");
    EXPECT_EQ(refused_cfg("hosts=2\na 0\nb 0\n"),
              "network.cfg:3:3: node 0 has the name \"a\" already: give every host its own number");
    EXPECT_EQ(refused_cfg("hosts=2\na 0\na 1\n"),
              "network.cfg:3:1: the name \"a\" is node 0 already: give every host its own name");
    EXPECT_EQ(refused_cfg("hosts=2\n7 0\n"),
              "network.cfg:2:1: \"7\" is not the name of a host, since a name of digits alone means a switch "
              "or a node "
              "number: put a letter into it");
    EXPECT_EQ(refused_cfg("hosts=2\na 0\nnode 0:\n"),
              "network.cfg:3:1: the routes begin here, but node 1 has no name yet: name all 2 hosts before, "
              "or correct "
              "\"hosts=\"");
}

TEST(NetworkCfg, refuses_bad_routes) {
    const std::string route =
        " stands for a route; 1 to 4 bytes were expected, two hexadecimal digits each, such as "
        "81: write them without blanks or prefix";
    for (const char* word : {"8", "0x81", "8g", "818", "8182838485", "-1", "loop"})
        EXPECT_EQ(refused_cfg(kHosts + "node 0:\n1 " + word + "\n"),
                  "network.cfg:6:3: \"" + std::string(word) + "\"" + route);
    EXPECT_EQ(
        refused_cfg(kHosts + "node 3:\n"),
        "network.cfg:5:6: \"3\" stands for a node; a number from 0 to 2 was expected: write one, or correct "
        "\"hosts=\"");
    EXPECT_EQ(refused_cfg(kHosts + "node 0 1:\n"),
              "network.cfg:5:8: \"1:\" stands behind the node number; \"node 0:\" was expected: write that");
    EXPECT_EQ(refused_cfg(kHosts + "node 0:\n1 81 82\n"),
              "network.cfg:6:1: \"1 81 82\" stands where \"NODE ROUTE\" or \"NODE,ROUTE\", or the next "
              "\"node N:\" was "
              "expected");
    EXPECT_EQ(refused_cfg(kHosts + "node 0:\n1 81\n1 82\n"),
              "network.cfg:7:1: the route from node 0 to node 1 is there twice: remove one");
    EXPECT_EQ(
        refused_cfg(kHosts + "node 0:\n1 loopback\n"),
        "network.cfg:6:3: node 0 reaches node 1 by loopback, but only a node itself is reached so: write the "
        "route in hexadecimal");
    EXPECT_EQ(refused_cfg(kHosts + "node 0:\n0 81\n"),
              "network.cfg:6:3: \"81\" stands for the route of node 0 to itself; \"loopback\" or 80 was "
              "expected: write "
              "one of these");
    EXPECT_EQ(
        refused_cfg(kHosts + "node 0:\n1 81\nnode 1:\n"),
        "network.cfg:5:1: the routes of node 0 lack the one to node 2: write a line for every other node");
    EXPECT_EQ(refused_cfg(kHosts + "node 0:\n1 81\n2 82\nnode 0:\n"),
              "network.cfg:8:1: the routes of node 0 are there already: write one block for each node");
    EXPECT_EQ(refused_cfg(kHosts + "node 0:\n1 81\n2 82\n"),
              "network.cfg: the file ends without the routes of node 1: write a \"node 1:\" block with a "
              "route to every "
              "other node");
    EXPECT_EQ(refused_cfg("hosts=2\na 0\n"),
              "network.cfg: the file ends without the routes of node 0: write a \"node 0:\" block with a "
              "route to every "
              "other node");
}

}  // namespace isoplane::topology
