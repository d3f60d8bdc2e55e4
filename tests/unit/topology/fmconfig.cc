// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/fmconfig.hh>

#include <gtest/gtest.h>

#include <isoplane/topology/builders.hh>
#include <isoplane/topology/network_cfg.hh>

#include "support.hh"

namespace isoplane::topology {

using test::refusal;

namespace {

constexpr const char* kTwoSwitches =
    "0 token1:t 1 green-hornet.cs.uiuc.edu blue-whale.cs.uiuc.edu\n"
    "1 - token2:t pink-panther.cs.uiuc.edu 0\n";

std::string refused(const std::string& text) {
    return refusal([&] { parse_fmconfig(text); });
}

}  // namespace

TEST(Fmconfig, numbers_hosts_by_first_appearance_and_token_managers_after_them) {
    const Topology topology = parse_fmconfig(kTwoSwitches);
    EXPECT_EQ(topology.host_count(), 3u);
    EXPECT_EQ(topology.name(0), "green-hornet.cs.uiuc.edu");
    EXPECT_EQ(topology.name(1), "blue-whale.cs.uiuc.edu");
    EXPECT_EQ(topology.name(2), "pink-panther.cs.uiuc.edu");
    EXPECT_EQ(topology.name(3), "token1");
    EXPECT_EQ(topology.name(4), "token2");
    EXPECT_EQ(topology.port_of(0), PortId{2});
    EXPECT_EQ(topology.port_of(4), PortId{1});
    EXPECT_EQ(topology.switch_of(2), SwitchId{1});
}

TEST(Fmconfig, gives_a_switch_without_token_manager_one_beside_its_fabric_port) {
    const Topology topology = parse_fmconfig("7 a b\n");
    EXPECT_EQ(topology.node_count(), 3u);
    EXPECT_EQ(topology.token_manager(0), NodeId{2});
    EXPECT_EQ(topology.port_of(2), std::nullopt);
    EXPECT_EQ(topology.name(2), "tm@7");
    EXPECT_EQ(topology.find("tm@7"), NodeId{2});
}

TEST(Fmconfig, joins_parallel_links_in_the_order_of_their_ports) {
    const Topology topology = parse_fmconfig("1 a 2 - 2\n2 1 b 1\n");
    EXPECT_EQ(topology.link_count(), 2u);
    EXPECT_EQ(topology.switches()[0].ports[1].peer_port, PortId{0});
    EXPECT_EQ(topology.switches()[0].ports[3].peer_port, PortId{2});
    EXPECT_EQ(topology.switches()[1].ports[2].peer_port, PortId{3});
}

TEST(Fmconfig, may_have_cycles) {
    EXPECT_EQ(parse_fmconfig("0 1 2 a\n1 0 2\n2 0 1\n").link_count(), 3u);
}

TEST(Fmconfig, ignores_comments_blanks_and_carriage_returns) {
    EXPECT_EQ(parse_fmconfig("# all\r\n\r\n \t0\ta  b # two\r\n   # end"), parse_fmconfig("0 a b\n"));
}

TEST(Fmconfig, reads_what_it_writes) {
    test::Random random(1);
    for (int i = 0; i < 300; ++i) {
        const Topology topology(test::random_switches(random));
        const std::string text = write_fmconfig(topology);
        ASSERT_EQ(parse_fmconfig(text), topology) << text;
    }
}

TEST(Fmconfig, is_not_written_when_it_would_number_the_hosts_otherwise) {
    const Topology topology =
        topology_of(parse_network_cfg("hosts=2\na 0\nb 1\nnode 0:\n1 BF\nnode 1:\n0 81\n"));
    EXPECT_EQ(
        refusal([&] { write_fmconfig(topology); }),
        "fmconfig: host \"b\" is node 1, but its turn among the ports is 0: fmconfig cannot number hosts "
        "otherwise, so write a network.cfg");
}

TEST(Fmconfig, refuses_words_that_are_no_port) {
    EXPECT_EQ(refused("0 a\nx b\n"),
              "fmconfig:2:1: \"x\" stands for the number of a switch; a number from 0 to 65535 was expected: "
              "write one");
    EXPECT_EQ(
        refused("0 a 65536\n"),
        "fmconfig:1:5: \"65536\" stands for the number of a switch; a number from 0 to 65535 was expected: "
        "write one");
    EXPECT_EQ(
        refused("# net\n0 a b:x\n"),
        "fmconfig:2:6: \":x\" follows the name \"b\"; only \":t\", for the token manager of the switch, may: "
        "write that or nothing");
    EXPECT_EQ(refused("0 a 12:t\n"),
              "fmconfig:1:5: \"12\" is not the name of a host, since a name of digits alone means a switch "
              "or a node "
              "number: put a letter into it");
    EXPECT_EQ(refused("0 a :t\n"),
              "fmconfig:1:5: \"\" is not a name: start it with a letter, a digit or '_'");
    EXPECT_EQ(refused("0 a -b\n"),
              "fmconfig:1:5: \"-b\" is not a name: start it with a letter, a digit or '_'");
    EXPECT_EQ(
        refused("0 a,b\n"),
        "fmconfig:1:3: \"a,b\" is not a name, because of the character \",\": use letters, digits, '.', '-' "
        "and '_'");
    EXPECT_EQ(refused(std::string("0 a\0b\n", 6)),
              "fmconfig:1:3: \"a\\x00b\" is not a name, because of the character \"\\x00\": use letters, "
              "digits, '.', "
              "'-' and '_'");
    EXPECT_EQ(refused("0 " + std::string(254, 'a') + "\n"),
              "fmconfig:1:3: the name \"" + std::string(48, 'a') +
                  "...\" has 254 characters; at most 253 are possible: use a shorter one");
}

TEST(Fmconfig, refuses_networks_that_are_not_whole) {
    EXPECT_EQ(
        refused(""),
        "fmconfig: no switch is described: write one line for each switch, with its number and its ports");
    EXPECT_EQ(refused("0 - -\n"),
              "fmconfig: no port of any switch has a host on it: put the name of at least one host in place "
              "of a '-'");
    EXPECT_EQ(refused("0 a\n1\n"),
              "fmconfig:2:1: switch 1 has no port: write what is on each port, '-' for nothing");
    EXPECT_EQ(refused("0 a 1\n1 0\n\n0 b\n"),
              "fmconfig:4:1: switch 0 is described twice, first on line 1: give every switch its own number");
    EXPECT_EQ(refused("0 a 3\n"),
              "fmconfig:1:5: switch 0 names switch 3, which is not described: add a line for it, or write "
              "'-' here");
    EXPECT_EQ(refused("0 a 0\n"),
              "fmconfig:1:5: switch 0 names itself: a link joins two different switches, so write the "
              "other's number "
              "or '-'");
    EXPECT_EQ(refused("0 a 1\n1 b\n"),
              "fmconfig:1:5: switch 0 names switch 1 on 1 port, but switch 1 names switch 0 on 0: every link "
              "stands on "
              "the lines of both its switches, so write 0 on a port of switch 1, or '-' here");
    EXPECT_EQ(refused("0 a 1\n1 0 b 0\n"),
              "fmconfig:2:7: switch 1 names switch 0 on 2 ports, but switch 0 names switch 1 on 1: every "
              "link stands "
              "on the lines of both its switches, so write 1 on a port of switch 0, or '-' here");
    EXPECT_EQ(
        refused("0 a 1\n1 0\n2 b 3\n3 2\n"),
        "fmconfig:3:1: switch 2 cannot be reached from switch 0: join the two parts with a link, or describe "
        "them as two networks");
}

TEST(Fmconfig, refuses_nodes_on_two_ports_and_second_token_managers) {
    EXPECT_EQ(refused("0 a 1\n1 0 a\n"),
              "fmconfig:2:5: \"a\" is on two ports: a host or token manager has one, so remove it from the "
              "other or "
              "give it a second name");
    EXPECT_EQ(refused("0 a b a:t\n"),
              "fmconfig:1:7: \"a\" is on two ports: a host or token manager has one, so remove it from the "
              "other or "
              "give it a second name");
    EXPECT_EQ(refused("0 a t:t u:t\n"),
              "fmconfig:1:9: \"u\" is a second token manager of switch 0, which has \"t\" already: leave "
              "':t' on one "
              "of them");
}

TEST(Fmconfig, keeps_to_its_limits) {
    std::string ports = "0 a";
    for (int i = 1; i < 4096; ++i)
        ports += " -";
    EXPECT_EQ(refused(ports), "accepted");
    EXPECT_EQ(refused(ports + " -\n"),
              "fmconfig:1:1: switch 0 has 4097 ports; at most 4096 are possible: use more switches");

    std::string switches;
    for (int i = 0; i < 4097; ++i)
        switches += std::to_string(i) + " h" + std::to_string(i) + "\n";
    EXPECT_EQ(refused(switches),
              "fmconfig:4097:1: 4097 switches are described; at most 4096 are possible: use fewer");

    std::string hosts;
    for (int s = 0; s < 16; ++s) {
        hosts += std::to_string(s);
        for (int p = 0; p < 4096; ++p)
            hosts += " h" + std::to_string(s) + "-" + std::to_string(p);
        hosts += "\n";
    }
    EXPECT_EQ(refused(hosts).substr(0, 51), "fmconfig:16:35596: \"h15-4078\" is one node too many:");

    EXPECT_EQ(refused(std::string(kMaxLineLength + 1, '-')),
              "fmconfig:1: the line has 1048577 bytes; at most 1048576 are possible: split it");
}

TEST(Fmconfig, says_why_a_file_cannot_be_read) {
    const test::Directory directory;
    EXPECT_EQ(refusal([&] { load_fmconfig(directory.path("none")); }),
              directory.path("none") + ": there is no such file: check the path");
    EXPECT_EQ(refusal([&] { load_fmconfig(directory.path()); }),
              directory.path() + ": this is a directory: name a file in it");
    const std::string path = directory.write("fmconfig", "0 a:b\n");
    EXPECT_EQ(refusal([&] { load_fmconfig(path); }).substr(0, path.size() + 5), path + ":1:4:");
}

}  // namespace isoplane::topology
