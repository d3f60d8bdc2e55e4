// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <iostream>

#include "seeds.hh"
#include "shmem_mortal_network.hh"

namespace isoplane::test {

namespace {

std::string run(std::uint64_t seed, bool returning, shmem::Planted planted, MortalShmemTotals& totals) {
    std::string wrong;
    {
        MortalShmemNetwork network(seed, returning, planted);
        wrong = network.run(planted.keeps_open ? 200ms : 3s);
        network.add_to(totals);
    }
    if (wrong.empty() && pool().in_use() != 0) wrong = "packets leaked";
    return wrong;
}

std::ostream& operator<<(std::ostream& out, const MortalShmemTotals& all) {
    return out << all.seeds << " seeds: " << all.deaths << " deaths, " << all.returns << " starts again, "
               << all.changes << " changes of view, " << all.given_up << " given up alive, "
               << all.stood_still << " without a majority; " << all.isochrons << " isochrons, " << all.blocked
               << " blocked, " << all.lost << " reads lost, " << all.dropped << " ASSIGNs dropped";
}

/// Under which they have died.
void expect_faults(const Summary& faults, std::uint64_t each) {
    for (const std::uint64_t fault : {faults.lost, faults.duplicated, faults.reordered, faults.corrupted})
        EXPECT_GT(fault, each);
}

}  // namespace

TEST(ShmemMortalSim, who_is_left_has_one_memory_whoever_dies) {
    constexpr std::uint64_t kSeeds = 100;
    MortalShmemTotals all;
    for_each_seed(kSeeds, [&](std::uint64_t seed) {
        EXPECT_EQ(run(seed, false, {}, all), "");
        EXPECT_EQ(pool().in_use(), 0U);
    });
    std::cout << all << '\n';
    if (all.seeds < kSeeds) return;
    EXPECT_GT(all.changes, kSeeds / 2);
    EXPECT_GT(all.lost, kSeeds);
    EXPECT_GT(all.deaths, kSeeds / 2);
    expect_faults(all.faults, kSeeds);
    EXPECT_LT(all.stood_still, all.seeds / 5);
}

TEST(ShmemMortalSim, who_starts_again_has_the_same_memory) {
    constexpr std::uint64_t kSeeds = 100;
    MortalShmemTotals all;
    for_each_seed(kSeeds, [&](std::uint64_t seed) {
        EXPECT_EQ(run(seed, true, {}, all), "");
        EXPECT_EQ(pool().in_use(), 0U);
    });
    std::cout << all << '\n';
    if (all.seeds < kSeeds) return;
    EXPECT_GT(all.returns, kSeeds / 2);
    expect_faults(all.faults, kSeeds);
    EXPECT_LT(all.stood_still, all.seeds / 5);
}

/// Who joined waited for the pages of one that had died meanwhile, and all others for it: of one that was in
/// the view no more, and of one that it had never met. And it began with zeros what only one had that it did
/// not hear, though the view had that one still. Two token managers whose players had died one after the
/// other sent each other tokens to where they had been.
TEST(ShmemMortalSim, seeds_that_once_went_wrong) {
    MortalShmemTotals ignored;
    for (const std::uint64_t seed : {6459U, 6805U})
        EXPECT_EQ(run(seed, false, {}, ignored), "") << "seed " << seed;
    for (const std::uint64_t seed : {336U, 729U, 2463U})
        EXPECT_EQ(run(seed, true, {}, ignored), "") << "seed " << seed;
}

TEST(ShmemMortalSim, finds_words_that_wait_for_the_dead) {
    constexpr std::uint64_t kFew = 200;
    MortalShmemTotals ignored;
    std::uint64_t found = 0;
    for (std::uint64_t seed = 1; seed <= kFew && found == 0; ++seed) {
        const bool finds =
            !run(seed, false, {.keeps_open = true}, ignored).empty() && run(seed, false, {}, ignored).empty();
        if (finds) found = seed;
    }
    EXPECT_NE(found, 0U);
}

}  // namespace isoplane::test
