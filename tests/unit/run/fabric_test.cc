// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "run/fabric.hh"

namespace isoplane::run {
namespace {

std::vector<SwitchPlan> plan(unsigned ranks) {
    return plan_fabric(rank_links(LinkKind::kVirtio, ranks, "/dir"), 1, "/dir");
}

/// Every rank is on one switch, in order, and neighbours share their trunks, one side each.
void check(unsigned ranks) {
    const auto plans = plan(ranks);
    unsigned next = 0;
    std::vector<std::string> trunks;
    for (const SwitchPlan& one : plans) {
        EXPECT_EQ(one.first_rank, next);
        EXPECT_GT(one.ranks, 0U);
        EXPECT_LE(one.links.size(), kMaxPorts);
        for (unsigned i = 0; i < one.ranks; ++i)
            EXPECT_EQ(one.links[i], "virtio:/dir/" + std::to_string(next + i) + ".sock,side=vhost");
        trunks.insert(trunks.end(), one.links.begin() + one.ranks, one.links.end());
        next += one.ranks;
    }
    EXPECT_EQ(next, ranks);
    ASSERT_EQ(trunks.size(), 2 * (plans.size() - 1));
    for (std::size_t i = 0; i < trunks.size(); i += 2) {
        const std::string trunk = "virtio:/dir/trunk" + std::to_string(i / 2 + 1) + ",wait=60,side=";
        EXPECT_EQ(trunks[i], trunk + "vhost");
        EXPECT_EQ(trunks[i + 1], trunk + "virtio");
    }
}

TEST(Fabric, has_switches_of_its_own_on_each_plane) {
    const auto plans = plan_fabric(rank_links(LinkKind::kVirtio, 6, "/dir"), 2, "/dir");
    ASSERT_EQ(plans.size(), 2U);
    for (unsigned plane = 0; plane < 2; ++plane) {
        EXPECT_EQ(plans[plane].plane, plane);
        EXPECT_EQ(plans[plane].first_rank, 0U);
        EXPECT_EQ(plans[plane].ranks, 3U);
        EXPECT_EQ(plans[plane].links[2], "virtio:/dir/" + std::to_string(3 * plane + 2) + ".sock,side=vhost");
    }
}

TEST(Fabric, is_one_switch_while_there_are_ports) {
    EXPECT_EQ(plan(1).size(), 1U);
    EXPECT_EQ(plan(kMaxPorts).size(), 1U);
    EXPECT_EQ(plan(kMaxPorts + 1).size(), 2U);
}

TEST(Fabric, joins_switches_in_a_line) {
    for (const unsigned ranks : {1U, kMaxPorts - 1, kMaxPorts, kMaxPorts + 1, 2 * kMaxPorts, 256U})
        check(ranks);
}

TEST(Fabric, impairs_ports_of_ranks_only) {
    const auto plans = plan(kMaxPorts + 1);
    const auto words = fabric_words(plans[0], {.impairment = "loss=0.1"});
    const std::string cleared = "set fabric port " + std::to_string(plans[0].ranks) + " loss 0";
    EXPECT_EQ(std::ranges::count(words, cleared), 1);
    EXPECT_EQ(std::ranges::count_if(words, [](const auto& w) { return w.ends_with(" loss 0"); }), 1);
}

TEST(Fabric, has_token_managers_where_it_is_told_their_conf) {
    SwitchPlan first = plan(2).front();
    EXPECT_EQ(std::ranges::count(fabric_words(first, {}), "--config"), 0);
    first.manager_conf = "/dir/managers.conf";
    const auto words = fabric_words(first, {});
    const auto role = std::ranges::find(words, "--role");
    const auto conf = std::ranges::find(words, "--config");
    ASSERT_TRUE(role != words.end() && conf != words.end());
    EXPECT_EQ(*(role + 1), "fabric,tm");
    EXPECT_EQ(*(conf + 1), "/dir/managers.conf");
}

unsigned memory_of(const SwitchPlan& plan, const FabricOptions& options) {
    const auto words = fabric_words(plan, options);
    return static_cast<unsigned>(std::stoul(*(std::ranges::find(words, "--memory") + 1)));
}

/// None lies across two pages.
TEST(Fabric, has_memory_for_packets_by_whole_pages) {
    if (sysconf(_SC_PAGESIZE) != 4096) GTEST_SKIP() << "pages are larger here";
    EXPECT_GE(memory_of(plan(2).front(), {.impairment = "queue=65536"}), 528U + 64U);
    EXPECT_GE(memory_of(plan(32).front(), {.mtu = 9000}), 432U + 64U);
}

TEST(Fabric, has_memory_for_a_capture_and_for_keys) {
    SwitchPlan both = plan(2).front();
    const unsigned alone = memory_of(both, {});
    EXPECT_GE(memory_of(both, {.pcap = "file"}), alone + 36);
    both.key_memory_mb = 100;
    EXPECT_EQ(memory_of(both, {}), alone + 100);
}

TEST(Fabric, tells_what_ports_of_ranks_have_counted) {
    const SwitchPlan second{.first_rank = 30, .ranks = 1, .links = {"a", "trunk"}};
    const std::string said = R"(in_use 0
{
  "fabric": {"ports": [
    {"port": 0, "counters": {"in": 0, "lost": 2, "out": 5, "runt": 0}},
    {"port": 1, "counters": {"in": 7, "out": 7}}]}
}
)";
    EXPECT_EQ(fabric_statistics(second, said), "isoplane run: port of rank 30: in 0, lost 2, out 5\n");
    EXPECT_EQ(fabric_statistics(second, "in_use 0\n"), "");
    EXPECT_EQ(fabric_statistics(second, "in_use 0\n{\n  \"fabr"), "");
}

}  // namespace
}  // namespace isoplane::run
