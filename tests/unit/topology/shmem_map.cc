// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/shmem_map.hh>

#include <gmock/gmock-more-matchers.h>
#include <gtest/gtest.h>

#include <isoplane/topology/fmconfig.hh>

#include "support.hh"

namespace isoplane::topology {

using test::refusal;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

std::string refused_map(const std::string& text, const ShmemMapRules& rules = {}) {
    return refusal([&] { parse_shmem_map(text, "shmem_map", rules); });
}

}  // namespace

TEST(ShmemMap, tells_the_copyset_of_each_page) {
    const ShmemMap map = parse_shmem_map("# pages\n\n4-6: 2, 0;\n0: 1;\n");
    EXPECT_THAT(map.copyset(0), ElementsAre(1));
    EXPECT_THAT(map.copyset(1), IsEmpty());
    EXPECT_THAT(map.copyset(4), ElementsAre(0, 2));
    EXPECT_THAT(map.copyset(6), ElementsAre(0, 2));
    EXPECT_THAT(map.copyset(7), IsEmpty());
}

TEST(ShmemMap, takes_blanks_anywhere_between) {
    const ShmemMap map = parse_shmem_map("1-3:0,2;\n");
    for (const char* text : {"1 - 3 : 0 , 2 ;", "1 -3 :0 ,2;", "\t1-3:\t0,\t2;\r\n", "1-3 :2,0; # both"})
        EXPECT_EQ(parse_shmem_map(text), map) << text;
}

TEST(ShmemMap, takes_names_where_a_topology_knows_them) {
    const Topology topology = parse_fmconfig("0 left-1 right t:t\n");
    const ShmemMapRules rules{.topology = &topology};
    EXPECT_THAT(parse_shmem_map("0: right, left-1;", "shmem_map", rules).copyset(0), ElementsAre(0, 1));
    EXPECT_EQ(refused_map("0: left-1;"),
              "shmem_map:1:4: host \"left-1\" is named, but without a topology no names are "
              "known: write its node id, or give a topology too");
    EXPECT_EQ(refused_map("0: nobody;", rules),
              "shmem_map:1:4: no host of the network is called \"nobody\": write a name "
              "from the topology, or a node id");
    EXPECT_EQ(refused_map("0: t;", rules),
              "shmem_map:1:4: \"t\" is a token manager, which holds no pages: write the name of a host");
    EXPECT_EQ(refused_map("0: 0, 2;", rules),
              "shmem_map:1:7: node \"2\" is not there; hosts are nodes 0 to 1: write one of these");
    EXPECT_EQ(refused_map("0: 1, right;", rules),
              "shmem_map:1:7: node \"right\" stands twice in this copyset: remove one");
}

TEST(ShmemMap, finds_the_nearest_copy_of_a_page) {
    // a0 b0 on one switch, a1 beside it, a2 furthest.
    const Topology topology = parse_fmconfig("0 a0 b0 1\n1 a1 0 2\n2 a2 1\n");
    const Paths paths(topology);
    const ShmemMap map = parse_shmem_map("0: 1, 3;\n1: 0, 1, 2;\n2: 3;\n");
    EXPECT_EQ(map.nearest_copy(0, 0, paths), NodeId{1});
    EXPECT_EQ(map.nearest_copy(0, 2, paths), NodeId{1});  // both one switch away: the lower id
    EXPECT_EQ(map.nearest_copy(0, 3, paths), NodeId{3});
    EXPECT_EQ(map.nearest_copy(1, 1, paths), NodeId{1});  // itself, though 0 has a lower id
    EXPECT_EQ(map.nearest_copy(1, 3, paths), NodeId{2});
    EXPECT_EQ(map.nearest_copy(2, 0, paths), NodeId{3});
    EXPECT_EQ(map.nearest_copy(3, 0, paths), std::nullopt);
}

TEST(ShmemMap, reads_what_it_writes) {
    test::Random random(8);
    for (int i = 0; i < 300; ++i) {
        std::string text;
        for (std::size_t page = test::below(random, 9); page < 200; page += 1 + test::below(random, 9)) {
            text += std::to_string(page);
            const std::size_t more = test::below(random, 4);
            if (more != 0) text += "-" + std::to_string(page + more);
            text += ":";
            const std::size_t first = test::below(random, 20);
            for (std::size_t n = test::below(random, 5) + 1; n > 0; --n)
                text += std::to_string(first + n) + (n > 1 ? "," : ";\n");
            page += more;
        }
        const ShmemMap map = parse_shmem_map(text);
        ASSERT_EQ(parse_shmem_map(write_shmem_map(map)), map) << text;
        ASSERT_FALSE(map.runs().empty());
    }
}

TEST(ShmemMap, says_the_same_in_any_order_of_its_lines) {
    EXPECT_EQ(parse_shmem_map("5: 1;\n0-4: 0;\n"), parse_shmem_map("0-4: 0;\n5: 1;\n"));
}

TEST(ShmemMap, refuses_pages_in_two_entries) {
    EXPECT_EQ(refused_map("0-4: 1;\n6: 2;\n4-5: 0;\n"),
              "shmem_map:3:1: page 4 is in this entry and in that of line 1: a page has one copyset, so name "
              "it once");
    EXPECT_EQ(refused_map("4-5: 0;\n0-4: 1;\n"),
              "shmem_map:2:1: page 4 is in this entry and in that of line 1: a page has one copyset, so name "
              "it once");
}

TEST(ShmemMap, refuses_lines_that_are_no_entry) {
    const std::string form = ": write an entry as PAGE: NODE, NODE; or PAGE-PAGE: NODE, NODE;";
    EXPECT_EQ(refused_map("\nx: 1;"),
              "shmem_map:2:1: \"x\" stands for a page; a number from 0 to 4095 was expected: write one");
    EXPECT_EQ(refused_map(": 1;"),
              "shmem_map:1:1: \"\" stands for a page; a number from 0 to 4095 was expected: write one");
    EXPECT_EQ(refused_map("1- : 1;"),
              "shmem_map:1:4: \"\" stands for a page; a number from 0 to 4095 was expected: write one");
    EXPECT_EQ(refused_map("1"), "shmem_map:1:2: the line ends where ':' was expected after the pages" + form);
    EXPECT_EQ(refused_map("1 2;"),
              "shmem_map:1:3: \"2\" stands where ':' was expected after the pages" + form);
    EXPECT_EQ(refused_map("1-2-3: 2;"),
              "shmem_map:1:4: \"-\" stands where ':' was expected after the pages" + form);
    EXPECT_EQ(refused_map("1: 2"),
              "shmem_map:1:5: the line ends where ';' was expected after the nodes" + form);
    EXPECT_EQ(refused_map("1: 2 3;"),
              "shmem_map:1:6: \"3\" stands where ';' was expected after the nodes" + form);
    EXPECT_EQ(refused_map("1: 2; 3: 4;"),
              "shmem_map:1:7: \"3: 4;\" follows the ';' that ends the entry: write the next "
              "entry on a line of its own");
    const std::string no_node =
        "no node stands here; a node id or the name of a host was expected: write one";
    EXPECT_EQ(refused_map("1: ;"), "shmem_map:1:4: " + no_node);
    EXPECT_EQ(refused_map("1: 2,, 3;"), "shmem_map:1:6: " + no_node);
    EXPECT_EQ(refused_map("1: 2, ;"), "shmem_map:1:7: " + no_node);
    EXPECT_EQ(refused_map("1: 2, 2;"), "shmem_map:1:7: node \"2\" stands twice in this copyset: remove one");
    EXPECT_EQ(refused_map("4-2: 1;"),
              "shmem_map:1:3: the pages run from 4 down to 2: write the lower page first");
}

TEST(ShmemMap, keeps_to_its_limits) {
    EXPECT_EQ(refused_map("4095: 1;"), "accepted");
    const std::string beyond = "counted from 0: use a lower one, or make the memory larger";
    EXPECT_EQ(refused_map("0-4096: 1;"),
              "shmem_map:1:3: page 4096 is beyond the shared memory, which has 4096 pages, " + beyond);
    EXPECT_EQ(refused_map("1: 0;", {.pages = 1}),
              "shmem_map:1:1: page 1 is beyond the shared memory, which has 1 page, " + beyond);
    EXPECT_EQ(
        refused_map("4294967296: 0;"),
        "shmem_map:1:1: \"4294967296\" stands for a page; a number from 0 to 4095 was expected: write one");
    EXPECT_EQ(refused_map("1: 65533;"), "accepted");
    EXPECT_EQ(refused_map("1: 65534;"),
              "shmem_map:1:4: node \"65534\" is not there; hosts are nodes 0 to 65533: write one of these");
    EXPECT_EQ(refused_map("1: 99999999999999999999999;"),
              "shmem_map:1:4: node \"99999999999999999999999\" is not there; hosts are nodes 0 to 65533: "
              "write one of "
              "these");
    EXPECT_EQ(refused_map("", {.pages = 0}),
              "shmem_map: a shared memory of 0 pages is asked for: give it 1 page or more");
}

}  // namespace isoplane::topology
