// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <iostream>
#include <memory>

#include "niu_network.hh"
#include "seeds.hh"

namespace isoplane::test {

namespace {

std::string run(std::uint64_t seed, const Defect& defect, Duration limit, Summary& summary) {
    // Of its own where packets are not to come back.
    std::unique_ptr<runtime::Pool> own;
    if (defect.planted.leak_duplicates) own = std::make_unique<runtime::Pool>("sim_leak", 8191);
    runtime::Pool& packets = own ? *own : pool();
    std::string wrong;
    {
        Network network(seed, defect, packets);
        wrong = network.run(limit);
        network.add_to(summary);
    }
    if (wrong.empty() && packets.in_use() != 0) wrong = "packets leaked";
    return wrong;
}

/// The first seed that goes wrong with the defect, and only with it; 0 when none of the first few does.
std::uint64_t found_at(const Defect& defect) {
    constexpr std::uint64_t kFew = 50;
    Summary ignored;
    for (std::uint64_t seed = 1; seed <= kFew; ++seed) {
        if (!run(seed, defect, 100ms, ignored).empty() && run(seed, {}, 100ms, ignored).empty()) return seed;
    }
    return 0;
}

}  // namespace

TEST(NiuSim, every_message_arrives_once_in_order_and_intact_under_any_fault) {
    constexpr std::uint64_t kSeeds = 2000;
    Summary all;
    for_each_seed(kSeeds, [&](std::uint64_t seed) {
        EXPECT_EQ(run(seed, {}, 5s, all), "");
        EXPECT_EQ(pool().in_use(), 0U);
    });
    std::cout << all;
    if (all.seeds < kSeeds) return;
    EXPECT_GT(all.largest, 1'000'000U);
    EXPECT_GT(all.cuts, 1000U);
    for (const std::uint64_t fault :
         {all.lost, all.duplicated, all.reordered, all.corrupted, all.cut_down, all.resent})
        EXPECT_GT(fault, 10'000U);
}

TEST(NiuSim, a_seed_replays_exactly) {
    const auto trace = [](std::uint64_t seed) {
        Network network(seed, {}, pool());
        EXPECT_EQ(network.run(5s), "");
        return network.trace_hash();
    };
    for_each_seed(50, [&](std::uint64_t seed) { EXPECT_EQ(trace(seed), trace(seed)); });
}

TEST(NiuSim, finds_a_retransmission_that_is_forgotten) {
    EXPECT_NE(found_at({.planted = {.never_resend = true}}), 0U);
    EXPECT_EQ(pool().in_use(), 0U);
}

TEST(NiuSim, finds_a_duplicate_that_is_delivered) {
    EXPECT_NE(found_at({.planted = {.deliver_duplicates = true}}), 0U);
    EXPECT_EQ(pool().in_use(), 0U);
}

TEST(NiuSim, finds_a_frame_that_is_delivered_before_its_turn) {
    EXPECT_NE(found_at({.planted = {.deliver_early = true}}), 0U);
    EXPECT_EQ(pool().in_use(), 0U);
}

TEST(NiuSim, finds_a_credit_that_is_kept) {
    EXPECT_NE(found_at({.planted = {.keep_credit = true}}), 0U);
    EXPECT_EQ(pool().in_use(), 0U);
}

TEST(NiuSim, finds_a_packet_that_is_not_freed) {
    EXPECT_NE(found_at({.planted = {.leak_duplicates = true}}), 0U);
    EXPECT_EQ(pool().in_use(), 0U);
}

TEST(NiuSim, finds_content_that_nobody_checks) {
    EXPECT_NE(found_at({.trust_the_network = true}), 0U);
    EXPECT_EQ(pool().in_use(), 0U);
}

}  // namespace isoplane::test
