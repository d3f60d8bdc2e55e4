// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <iostream>

#include "seeds.hh"
#include "shmem_network.hh"

namespace isoplane::test {

namespace {

std::string run(std::uint64_t seed, shmem::Planted planted, ShmemTotals& totals, bool misleads = false) {
    std::string wrong;
    {
        ShmemNetwork network(sim::Scenario::of(seed), planted, misleads);
        wrong = network.run(planted.one_copy ? 200ms : 5s);
        network.add_to(totals);
    }
    if (wrong.empty() && pool().in_use() != 0) wrong = "packets leaked";
    return wrong;
}

/// The first seed that goes wrong with the defect, and only with it; 0 when none of the first few does.
std::uint64_t found_at(const shmem::Planted& planted) {
    constexpr std::uint64_t kFew = 50;
    ShmemTotals ignored;
    for (std::uint64_t seed = 1; seed <= kFew; ++seed) {
        if (!run(seed, planted, ignored).empty() && run(seed, {}, ignored).empty()) return seed;
    }
    return 0;
}

}  // namespace

TEST(ShmemSim, every_isochron_is_atomic_and_in_one_order_under_any_fault) {
    constexpr std::uint64_t kSeeds = 3000;
    ShmemTotals all;
    for_each_seed(kSeeds, [&](std::uint64_t seed) {
        EXPECT_EQ(run(seed, {}, all), "");
        EXPECT_EQ(pool().in_use(), 0U);
    });
    std::cout << all.seeds << " seeds: " << all.isochrons << " isochrons, " << all.at_once << " at once, "
              << all.accesses << " accesses, " << all.blocked << " blocked, " << all.answers << " answers, "
              << all.given_away << " SCHEDs given away; " << all.faults.lost << " frames lost\n";
    const std::uint64_t shards = shard().count;
    if (all.seeds < kSeeds / shards) return;
    for (const std::uint64_t met : {all.at_once, all.blocked, all.answers, all.given_away, all.faults.lost,
                                    all.faults.duplicated, all.faults.reordered, all.faults.corrupted})
        EXPECT_GT(met, 1'000U / shards);
}

TEST(ShmemSim, a_host_that_sends_markers_to_others_changes_nothing) {
    constexpr std::uint64_t kSeeds = 20;
    ShmemTotals all;
    for_each_seed(kSeeds, [&](std::uint64_t seed) { EXPECT_EQ(run(seed, {}, all, true), ""); });
    if (all.seeds < kSeeds) return;
    EXPECT_GT(all.misled, 100U);
}

TEST(ShmemSim, finds_own_copies_that_do_not_wait_for_their_isochron) {
    EXPECT_NE(found_at({.hits_at_once = true}), 0U);
}

TEST(ShmemSim, finds_local_isochrons_that_overtake_others) {
    EXPECT_NE(found_at({.local_at_once = true}), 0U);
}

TEST(ShmemSim, finds_copies_that_are_not_told) {
    EXPECT_NE(found_at({.one_copy = true}), 0U);
}

TEST(ShmemSim, finds_reads_that_do_not_wait_for_an_assign) {
    EXPECT_NE(found_at({.no_blocking = true}), 0U);
}

}  // namespace isoplane::test
