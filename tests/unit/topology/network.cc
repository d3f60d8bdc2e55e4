// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/network.hh>

#include <gmock/gmock-matchers.h>
#include <gtest/gtest.h>

#include "support.hh"

namespace isoplane::topology {

using test::refusal;
using testing::ElementsAre;

namespace {

/// A directory with a network of alice, bob (nodes 0, 1) and the token manager tm (node 2).
struct Site {
    Site() {
        directory.write("fmconfig", "0 alice bob tm:t\n");
        directory.write("network.cfg", "hosts=2\nn0 0\nn1 1\nnode 0:\n1 BE\nnode 1:\n0 82\n");
        directory.write("shmem_map", "0: alice;\n");
    }
    Network load(const std::string& text) const {
        return load_network(load_node_conf(directory.write("node.conf", text)));
    }
    /// Without the directory in front.
    std::string refused(const std::string& text) const {
        const std::string why = refusal([&] { load(text); });
        const std::string front = directory.path();
        return why.starts_with(front) ? why.substr(front.size()) : why;
    }
    test::Directory directory;
};

}  // namespace

TEST(Network, is_read_from_all_files_that_node_conf_names) {
    const Network network =
        Site().load("fmconfig=fmconfig\nshmem-map=shmem_map\nname=bob\nmac.tm=02:00:00:00:00:09\n");
    ASSERT_TRUE(network.topology);
    EXPECT_EQ(network.topology->host_count(), 2u);
    EXPECT_EQ(network.conf.id, NodeId{1});
    ASSERT_TRUE(network.shmem);
    EXPECT_THAT(network.shmem->copyset(0), ElementsAre(0));
    EXPECT_EQ(to_string(network.mac(1)), "02:69:73:00:00:01");
    EXPECT_EQ(to_string(network.mac(2)), "02:00:00:00:00:09");
    EXPECT_FALSE(network.routes);
}

TEST(Network, in_udp_knows_where_all_nodes_are) {
    const Network network = Site().load(
        "fmconfig=fmconfig\nid=1\nencapsulation=udp\nudp-port=4000\nhost.bob.ip=10.1.0.7/24\n"
        "host.bob.gateway=10.1.0.1\nhost.tm.ip=10.1.0.7\n");
    const UdpNetwork udp = network.udp(1);
    EXPECT_EQ(udp.port, 4000);
    EXPECT_THAT(udp.addresses, ElementsAre(default_ip(0), *parse_ip("10.1.0.7"), *parse_ip("10.1.0.7")));
    EXPECT_EQ(udp.gateway, *parse_ip("10.1.0.1"));
    EXPECT_EQ(udp.subnet_bits, 24u);
    EXPECT_EQ(network.udp(0).gateway, Ip{0});
    EXPECT_FALSE(Site().load("fmconfig=fmconfig\nid=1\n").udp(1).is_used());
}

TEST(Network, refuses_addresses_that_cannot_be_reached) {
    const Site site;
    EXPECT_EQ(site.refused("fmconfig=fmconfig\nhost.bob.ip=198.18.0.1\n"),
              "/node.conf:2:1: the option \"host.bob.ip\": 198.18.0.1 would be the address of both \"alice\" "
              "and \"bob\": give one of them another");
    EXPECT_EQ(site.refused("fmconfig=fmconfig\nhost.bob.ip=10.1.0.7\nhost.bob.gateway=10.1.0.1\n"),
              "/node.conf:3:1: the option \"host.bob.gateway\": it is for those outside of the subnet, which "
              "is not given: write host.bob.ip with its bits, as in 10.1.0.7/24");
    EXPECT_EQ(site.refused("fmconfig=fmconfig\nhost.bob.ip=10.1.0.7/24\nhost.bob.gateway=10.1.1.1\n"),
              "/node.conf:3:1: the option \"host.bob.gateway\": 10.1.1.1 is not in the subnet of "
              "10.1.0.7/24: write the router's address there");
}

TEST(Network, keeps_the_routes_of_a_network_cfg) {
    const Network network = Site().load("network-cfg=network.cfg\nid=1\n");
    ASSERT_TRUE(network.topology && network.routes);
    EXPECT_EQ(network.topology->port_of(1), PortId{0});
    EXPECT_EQ(network.routes->routes[0][1], RouteBytes{0xbe});
    EXPECT_EQ(network.conf.name, "n1");
}

TEST(Network, may_be_unknown_to_a_node) {
    const Network network = Site().load("role=forward\nid=9\n");
    EXPECT_FALSE(network.topology);
    EXPECT_EQ(network.mac(9), default_mac(9));
}

TEST(Network, refuses_files_that_contradict_each_other) {
    const Site site;
    EXPECT_EQ(site.refused("fmconfig=fmconfig\nnetwork-cfg=network.cfg\n"),
              "/node.conf:2:1: the option \"network-cfg\": \"fmconfig\" is given too, but a node is in one "
              "network: "
              "remove one");
    EXPECT_EQ(site.refused("fmconfig=fmconfig\nname=alicia\n"),
              "/node.conf:2:1: the option \"name\": the network has no node called \"alicia\": did you mean "
              "\"alice\"?");
    EXPECT_EQ(site.refused("fmconfig=fmconfig\nid=3\n"),
              "/node.conf:2:1: the option \"id\": the network has no node 3; its nodes are 0 to 2: use one "
              "of these");
    EXPECT_EQ(site.refused("name=bob\nid=0\nfmconfig=fmconfig\n"),
              "/node.conf:2:1: the option \"id\": \"bob\" is node 1, not 0: give the name or the id alone");
    EXPECT_EQ(site.refused("\nhost.zoe.ssh=x\nfmconfig=fmconfig\n"),
              "/node.conf:2:1: the option \"host.zoe.ssh\": the network has no node called \"zoe\": write a "
              "name that "
              "the topology has");
    EXPECT_EQ(site.refused("host.bob.link=null:\n"),
              "/node.conf:1:1: the option \"host.bob.link\": no topology is given, so no host is known: give "
              "\"fmconfig\" or \"network-cfg\" too");
    EXPECT_EQ(site.refused("fmconfig=fmconfig\nmac.bob=02:69:73:00:00:00\n"),
              "/node.conf:2:1: the option \"host.bob.mac\": 02:69:73:00:00:00 would be the address of both "
              "\"alice\" "
              "and \"bob\": give one of them another");
    EXPECT_EQ(site.refused("fmconfig=fmconfig\nmac.alice=02:69:73:00:00:01\n"),
              "/node.conf:2:1: the option \"host.alice.mac\": 02:69:73:00:00:01 would be the address of both "
              "\"alice\" "
              "and \"bob\": give one of them another");
    EXPECT_EQ(site.refused("fmconfig=none\n"), "/none: there is no such file: check the path");
    EXPECT_EQ(site.refused("shmem-map=shmem_map\n"),
              "/shmem_map:1:4: host \"alice\" is named, but without a topology no names are known: write its "
              "node id, "
              "or give a topology too");
}

}  // namespace isoplane::topology
