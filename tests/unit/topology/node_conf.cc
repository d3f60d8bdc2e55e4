// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/node_options.hh>

#include <filesystem>

#include <gmock/gmock-more-matchers.h>
#include <gtest/gtest.h>
#include <boost/program_options.hpp>

#include "support.hh"

namespace isoplane::topology {

namespace po = boost::program_options;
using test::refusal;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::StartsWith;

namespace {

std::string refused_conf(const std::string& text) {
    return refusal([&] { parse_node_conf(text); });
}

po::parsed_options command_line(const std::vector<std::string>& words) {
    static const po::options_description options = node_options();
    return po::command_line_parser(words).options(options).run();
}

}  // namespace

TEST(NodeConf, reads_every_key) {
    const NodeConf conf = parse_node_conf(
        "role = host, tm\nlink=ring:a\nlink=pcap:in,out\nid=7\nname=alice\nplace=rx@1 tm@2\nexec=start.txt\n"
        "encapsulation=udp\nudp-port=4000\nhost.bob.ip=10.1.0.7/24\nhost.bob.gateway=10.1.0.1\n"
        "stats-period=0.5\nduration=60\njob-key=0xCafe\nkey=job.key\nfmconfig=net/"
        "fmconfig\nnetwork-cfg=n.cfg\n"
        "shmem-map=/etc/"
        "map\npages=8\ntokens-ahead=64\nsurvive=2.5\nhost.alice.mac=02:00:00:00:00:01\nhost.alice.link=tap:"
        "t0\n"
        "mac.blue-whale.cs.uiuc.edu=02:00:00:00:00:02\nhost.blue-whale.cs.uiuc.edu.ssh=me@there\n");
    EXPECT_THAT(conf.roles, ElementsAre("host", "tm"));
    EXPECT_THAT(conf.links, ElementsAre("ring:a", "pcap:in,out"));
    EXPECT_EQ(conf.id, NodeId{7});
    EXPECT_EQ(conf.name, "alice");
    EXPECT_EQ(conf.place, "rx@1 tm@2");
    EXPECT_EQ(conf.exec, "start.txt");
    EXPECT_EQ(conf.stats_period, 0.5);
    EXPECT_EQ(conf.duration, 60.0);
    EXPECT_EQ(conf.job_key, 0xcafeu);
    EXPECT_EQ(conf.key, "job.key");
    EXPECT_EQ(conf.fmconfig, "net/fmconfig");
    EXPECT_EQ(conf.network_cfg, "n.cfg");
    EXPECT_EQ(conf.shmem_map, "/etc/map");
    EXPECT_EQ(conf.pages, 8u);
    EXPECT_EQ(conf.tokens_ahead, 64u);
    EXPECT_EQ(conf.survive, 2.5);
    EXPECT_EQ(conf.encapsulation, Encapsulation::kUdp);
    EXPECT_EQ(conf.udp_port, 4000);
    EXPECT_EQ(conf.hosts.at("bob").ip, (IpInSubnet{0x0a010007, 24}));
    EXPECT_EQ(conf.hosts.at("bob").gateway, Ip{0x0a010001});
    EXPECT_EQ(conf.hosts.at("alice"), (HostConf{Mac{2, 0, 0, 0, 0, 1}, "tap:t0", {}}));
    EXPECT_EQ(conf.hosts.at("blue-whale.cs.uiuc.edu"), (HostConf{Mac{2, 0, 0, 0, 0, 2}, {}, "me@there"}));
}

TEST(NodeConf, may_be_that_of_an_implicit_token_manager) {
    const NodeConf conf = parse_node_conf("name=tm@65535\n");
    EXPECT_EQ(conf.name, "tm@65535");
    EXPECT_EQ(parse_node_conf(write_node_conf(conf)), conf);
    for (const char* text : {"name=tm@\n", "name=tm@65536\n", "name=tm@x\n", "name=a@1\n"})
        EXPECT_THAT(refused_conf(text), HasSubstr("is not a name")) << text;
}

TEST(NodeConf, takes_sections_for_the_front_of_keys) {
    EXPECT_EQ(parse_node_conf("id=1\n[host.a]\nssh=x # there\n[ mac ]\r\na=02:00:00:00:00:01\n"),
              parse_node_conf("id=1\nhost.a.ssh=x\nhost.a.mac=02:00:00:00:00:01\n"));
}

TEST(NodeConf, may_say_nothing) {
    EXPECT_EQ(parse_node_conf("\n# nothing\n"), NodeConf{});
}

TEST(NodeConf, reads_what_it_writes) {
    const char* texts[] = {
        "role=host,tm\nlink=a\nlink=b,c\nid=65533\nname=n\nplace=x@1\nexec=e\nstats-period=0.1\nduration="
        "1e9\n",
        "encapsulation=ethernet\nudp-port=1\nhost.tm@0.ip=10.1.0.7/24\nhost.a.gateway=10.1.0.1\n",
        "job-key=4294967295\nfmconfig=f "
        "g\nnetwork-cfg=n\nshmem-map=s\npages=1\ntokens-ahead=2\nsurvive=0.5\n",
        "host.a.b.mac=02:aa:bb:cc:dd:ee\nhost.a.b.ssh=u@v=w\nhost.link.link=ring:x\nmac.c=06:00:00:00:00:"
        "00\n",
        "",
    };
    for (const char* text : texts) {
        const NodeConf conf = parse_node_conf(text);
        EXPECT_EQ(parse_node_conf(write_node_conf(conf)), conf) << text;
    }
}

TEST(NodeConf, is_not_written_when_it_would_be_read_otherwise) {
    for (const char* value : {"a#b", "a\nb", " a", "a ", "\x01"}) {
        NodeConf conf;
        conf.place = value;
        EXPECT_THAT(refusal([&] { write_node_conf(conf); }), HasSubstr("which such a file cannot hold"))
            << value;
    }
}

TEST(NodeConf, refuses_unknown_keys_and_names_the_nearest) {
    EXPECT_EQ(refused_conf("id=1\n\nstats_period=2\n"),
              "node.conf:3:1: the option \"stats_period\" is not known: did you mean \"stats-period\"?");
    EXPECT_EQ(refused_conf("shmem=x\n"),
              "node.conf:1:1: the option \"shmem\" is not known: did you mean \"shmem-map\"?");
    EXPECT_EQ(refused_conf("  roles=x\n"),
              "node.conf:1:3: the option \"roles\" is not known: did you mean \"role\"?");
    for (const auto& [text, unknown] : {std::pair{"wibble=1\n", "1:1: the option \"wibble\""},
                                        std::pair{"[node]\nid=1\n", "2:1: the option \"node.id\""},
                                        std::pair{"=1\n", "1:1: the option \"\""}})
        EXPECT_THAT(refused_conf(text), StartsWith("node.conf:" + std::string(unknown) +
                                                   " is not known: write one of host.NAME.mac, "));
    EXPECT_EQ(refused_conf("host.a.color=red\n"),
              "node.conf:1:1: the option \"host.a.color\": \"host.a.color\" is not known; host.NAME.mac, "
              ".ip, .gateway, .link or .ssh was expected: write one of these");
}

TEST(NodeConf, refuses_lines_that_are_no_option) {
    EXPECT_EQ(refused_conf("id=1\nrole host\n"),
              "node.conf:2:1: \"role host\" has no '='; \"key=value\" was expected: write that, or '#' in "
              "front for a "
              "comment");
    for (const char* line : {"[", "[]", "[ ]", "[host", "[host] x", "[[host]", "[a=b]", "[a]]"})
        EXPECT_EQ(refused_conf(line),
                  "node.conf:1:1: \"" + std::string(line) +
                      "\" is no section; \"[NAME]\" was expected: close it, or begin the line with a key");
    EXPECT_EQ(refused_conf("place=a\x01"
                           "b\n"),
              "node.conf:1:8: the byte \"\\x01\" is no text: remove it");
}

TEST(NodeConf, refuses_options_twice_and_without_value) {
    EXPECT_EQ(refused_conf("id=1\nid=1\n"),
              "node.conf:2:1: the option \"id\" is given twice, first on line 1: remove one");
    EXPECT_EQ(refused_conf("mac.a=02:00:00:00:00:01\nhost.a.mac=02:00:00:00:00:01\n"),
              "node.conf:2:1: the option \"host.a.mac\" is given twice, first on line 1: remove one");
    EXPECT_EQ(refused_conf("place=\n"),
              "node.conf:1:1: the option \"place\" has no value: write one, or remove it");
    EXPECT_EQ(refused_conf("link=# none\n"),
              "node.conf:1:1: the option \"link\" has no value: write one, or remove it");
}

TEST(NodeConf, refuses_values_that_do_not_fit) {
    const auto misfit = [](const std::string& key, const std::string& value, const std::string& expected) {
        EXPECT_EQ(refused_conf("\n" + key + "=" + value + "\n"),
                  "node.conf:2:1: the option \"" + key + "\": \"" + value + "\" is not possible here; " +
                      expected + " was expected: write one");
    };
    for (const char* value : {"-1", "65534", "1x", "0x1", "1 2"})
        misfit("id", value, "a node id from 0 to 65533,");
    for (const char* value : {"0", "-1", "inf", "nan", "1s", "1e10"})
        misfit("duration", value, "a number of seconds above 0, such as 1 or 0.5,");
    misfit("stats-period", "often", "a number of seconds above 0, such as 1 or 0.5,");
    for (const char* value : {"0x", "0x123456789", "4294967296", "-1", "key"})
        misfit("job-key", value, "a number from 0 to 4294967295, or 0x and up to eight hexadecimal digits,");
    for (const char* value : {"Host", "host,", "host,host", "host,2"})
        misfit("role", value,
               "a list of different roles in lower case with commas between, such as \"host,tm\",");
    misfit("role", "host tm", "a comma between two roles");
    misfit("pages", "0", "a number of pages from 1 to 4294967295");
    misfit("encapsulation", "UDP", "ethernet or udp");
    for (const char* value : {"0", "65536", "domain"})
        misfit("udp-port", value, "a UDP port from 1 to 65535");
    for (const char* value : {"10.1.0", "10.1.0.7/0", "224.0.0.1/24"})
        misfit("host.a.ip", value,
               "the IPv4 address of one station, and the bits of its subnet if it has a gateway, such as "
               "10.1.0.7/24,");
    for (const char* value : {"10.1.0.1/24", "router"})
        misfit("host.a.gateway", value, "the IPv4 address of a router, such as 10.1.0.1,");
    for (const char* value : {"0", "65", "all"})
        misfit("tokens-ahead", value, "a number of tokens from 1 to 64");
    for (const char* value : {"0.4", "3601"})
        misfit("survive", value, "a number of seconds from 0.5 to 3600");
    for (const char* value : {"x", "01:00:00:00:00:00", "00:00:00:00:00:00"})
        misfit("mac.a", value, "the Ethernet address of one station, such as 02:69:73:00:00:01,");
    EXPECT_THAT(refused_conf("name=a b\n"),
                HasSubstr("node.conf:1:1: the option \"name\": \"a b\" is not a name"));
    EXPECT_EQ(refused_conf("mac.=02:00:00:00:00:01\n"),
              "node.conf:1:1: the option \"mac.\" is not known: did you mean \"mac.NAME\"?");
    EXPECT_THAT(refused_conf("host.mac=02:00:00:00:00:01\n"),
                HasSubstr("\"host.mac\" is not known; host.NAME.mac"));
}

TEST(NodeConf, takes_what_its_caller_adds) {
    po::options_description more;
    more.add_options()("idle", po::value<std::string>(), "");
    const NodeConf conf = parse_node_conf("id=1\nidle=spin\n", "node.conf", more);
    EXPECT_THAT(conf.more, ElementsAre(Pair("idle", "spin")));
    EXPECT_EQ(parse_node_conf(write_node_conf(conf), "node.conf", more), conf);
    EXPECT_EQ(refusal([&] { parse_node_conf("idel=spin", "node.conf", more); }),
              "node.conf:1:1: the option \"idel\" is not known: did you mean \"idle\"?");
    EXPECT_EQ(refusal([&] { parse_node_conf("idle=", "node.conf", more); }),
              "node.conf:1:1: the option \"idle\" has no value: write one, or remove it");
}

TEST(NodeConf, lists_the_keys_that_its_caller_knows) {
    po::options_description more;
    more.add_options()("idle", po::value<std::string>(), "");
    const std::string with = refusal([&] { parse_node_conf("wibble=1", "node.conf", more); });
    EXPECT_THAT(with, HasSubstr(", tokens-ahead, "));
    EXPECT_THAT(with, HasSubstr(", idle"));
    EXPECT_THAT(refused_conf("wibble=1"), Not(HasSubstr("idle")));
}

TEST(NodeConf, of_a_program_says_nothing_that_only_nodes_heed) {
    for (const char* line : {"place=siu@1", "exec=start", "stats-period=1", "duration=1"}) {
        const NodeConf conf = parse_node_conf(std::string("id=1\n") + line + "\n");
        EXPECT_THAT(refusal([&] { refuse_options_of_node_command(conf); }),
                    AllOf(StartsWith("node.conf:2:1: "), HasSubstr("it is for isoplane node")))
            << line;
    }
    EXPECT_NO_THROW(refuse_options_of_node_command(parse_node_conf("id=1\nlink=ring:a\n")));
}

TEST(NodeConf, gives_way_to_the_command_line) {
    NodeConf conf = parse_node_conf("id=1\nlink=a\nlink=b\nplace=x@1\nmac.h=02:00:00:00:00:01\n");
    read_options(conf,
                 command_line({"--id=2", "--link", "c", "--link", "d", "--host.h.mac=02:00:00:00:00:02"}));
    EXPECT_EQ(conf.id, NodeId{2});
    EXPECT_THAT(conf.links, ElementsAre("c", "d"));
    EXPECT_EQ(conf.place, "x@1");
    EXPECT_EQ(conf.hosts.at("h").mac, (Mac{2, 0, 0, 0, 0, 2}));
    EXPECT_EQ(conf.error("id", "no.").what(), std::string("command line: the option \"id\": no."));
    EXPECT_EQ(conf.error("place", "no.").what(), std::string("node.conf:4:1: the option \"place\": no."));
}

TEST(NodeConf, refuses_bad_command_lines_as_it_does_files) {
    NodeConf conf;
    EXPECT_EQ(refusal([&] {
                  read_options(conf, command_line({"--id", "x"}));
              }),
              "command line: the option \"id\": \"x\" is not possible here; a node id from 0 to 65533, was "
              "expected: "
              "write one");
    EXPECT_EQ(refusal([&] {
                  read_options(conf, command_line({"--id", "1", "--id", "2"}));
              }),
              "command line: the option \"id\" is given twice: remove one");
}

TEST(NodeConf, counts_paths_from_its_directory_and_those_of_the_command_line_from_here) {
    NodeConf conf = parse_node_conf("fmconfig=net/fmconfig\nexec=/abs\n", "/etc/isoplane/node.conf");
    EXPECT_EQ(conf.resolve(conf.fmconfig), "/etc/isoplane/net/fmconfig");
    EXPECT_EQ(conf.resolve(conf.exec), "/abs");
    read_options(conf, command_line({"--fmconfig", "mine"}));
    EXPECT_EQ(conf.resolve(conf.fmconfig), (std::filesystem::current_path() / "mine").string());
    EXPECT_EQ(parse_node_conf("", "node.conf").resolve("x"), "x");
}

}  // namespace isoplane::topology
