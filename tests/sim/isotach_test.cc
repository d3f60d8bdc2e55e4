// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>

#include "chance.hh"
#include "seeds.hh"
#include "sim/network.hh"
#include "sim/trials.hh"

namespace isoplane::test {

namespace {

std::string run(const sim::Scenario& scenario, Duration limit, sim::Totals& totals) {
    std::string wrong;
    {
        sim::Network network(scenario, pool());
        wrong = network.run(limit);
        totals.add(network);
    }
    if (wrong.empty() && pool().in_use() != 0) wrong = "packets leaked";
    return wrong;
}

/// A rule has been broken: that it stands still would say little of which.
bool breaks_a_rule(const std::string& wrong) {
    return !wrong.empty() && wrong.find("stands still") == std::string::npos;
}

bool has_cycle(const std::vector<topology::SwitchSpec>& switches) {
    std::ptrdiff_t ends = 0;
    for (const topology::SwitchSpec& spec : switches)
        ends += std::ranges::count(spec.ports, topology::PortKind::kLink, &topology::PortSpec::kind);
    return ends / 2 >= static_cast<std::ptrdiff_t>(switches.size());
}

/// The first seed that breaks a rule with the defect, and only with it; 0 when none of the first few does.
std::uint64_t found_at(const sim::Planted& planted) {
    constexpr std::uint64_t kFew = 50;
    sim::Totals ignored;
    for (std::uint64_t seed = 1; seed <= kFew; ++seed) {
        const sim::Scenario good = sim::Scenario::of(seed);
        sim::Scenario bad = good;
        bad.planted = planted;
        if (breaks_a_rule(run(bad, 100ms, ignored)) && run(good, 100ms, ignored).empty()) return seed;
    }
    return 0;
}

/// Whether the paranoid mode of some host sees the defect by itself, within the first few seeds.
bool paranoid_finds(const sim::Planted& planted) {
    constexpr std::uint64_t kFew = 50;
    for (std::uint64_t seed = 1; seed <= kFew; ++seed) {
        sim::Scenario bad = sim::Scenario::of(seed);
        bad.planted = planted;
        bad.paranoid = true;
        sim::Network network(bad, pool());
        static_cast<void>(network.run(100ms));
        for (const auto& host : network.hosts())
            if (host->isotach().paranoid()->violations() != 0) return true;
    }
    return false;
}

/// What not all seeds meet, but enough of them are to.
struct Rare {
    const char* what;
    std::uint64_t sim::Totals::*count;
};
constexpr std::array kRare{
    Rare{"weak barriers", &sim::Totals::weak}, Rare{"signals registered again", &sim::Totals::again},
    Rare{"signals cleared", &sim::Totals::cleared}, Rare{"halves", &sim::Totals::halves}};

}  // namespace

TEST(IsotachSim, the_order_of_logical_time_holds_under_any_fault) {
    constexpr std::uint64_t kSeeds = 5000;
    std::size_t most_hosts = 0;
    std::size_t most_switches = 0;
    std::uint64_t with_cycles = 0;
    std::array<std::uint64_t, kRare.size()> with{};
    sim::Totals all;
    for_each_seed(kSeeds, [&](std::uint64_t seed) {
        sim::Scenario scenario = sim::Scenario::of(seed);
        scenario.planted.first_frame = seed % 2 == 0 ? 0 : UINT32_MAX - static_cast<std::uint32_t>(seed % 7);
        if (seed / 2 % 4 == 0) scenario.let_come_late();
        const sim::Totals before = all;
        EXPECT_EQ(run(scenario, 5s, all), "");
        EXPECT_EQ(pool().in_use(), 0U);
        for (std::size_t i = 0; i < kRare.size(); ++i)
            with[i] += all.*kRare[i].count != before.*kRare[i].count ? 1 : 0;
        most_hosts = std::max(most_hosts, topology::Topology(scenario.switches).host_count());
        most_switches = std::max(most_switches, scenario.switches.size());
        with_cycles += has_cycle(scenario.switches) ? 1 : 0;
    });
    std::cout << all << "up to " << most_hosts << " hosts on up to " << most_switches << " switches, which "
              << with_cycles << " times were joined in cycles\n";
    for (std::size_t i = 0; i < kRare.size(); ++i)
        std::cout << (i == 0 ? "" : ", ") << with[i] << " seeds with " << kRare[i].what;
    std::cout << '\n';
    const std::uint64_t shards = shard().count;
    if (all.seeds < kSeeds / shards) return;
    EXPECT_EQ(most_hosts, 24U);
    EXPECT_EQ(most_switches, 6U);
    EXPECT_GT(with_cycles, 200U / shards);
    EXPECT_GT(all.partitions, 200U / shards);
    for (const std::uint64_t fault :
         {all.lost, all.duplicated, all.reordered, all.corrupted, all.tokens_resent, all.notices})
        EXPECT_GT(fault, 10'000U / shards);
    EXPECT_GT(all.late, 4'000U / shards);
    for (std::size_t i = 0; i < kRare.size(); ++i)
        EXPECT_GT(with[i], 100U / shards) << kRare[i].what;
}

TEST(IsotachSim, a_seed_replays_exactly) {
    const auto trace = [](std::uint64_t seed) {
        sim::Network network(sim::Scenario::of(seed), pool());
        EXPECT_EQ(network.run(5s), "");
        return network.trace_hash();
    };
    for_each_seed(50, [&](std::uint64_t seed) { EXPECT_EQ(trace(seed), trace(seed)); });
}

TEST(IsotachSim, finds_a_pulse_that_does_not_wait_for_what_was_announced) {
    EXPECT_NE(found_at({.no_counts = true}), 0U);
    EXPECT_EQ(pool().in_use(), 0U);
}

TEST(IsotachSim, finds_an_isochron_that_goes_as_credit_allows) {
    EXPECT_NE(found_at({.piecemeal = true}), 0U);
    EXPECT_EQ(pool().in_use(), 0U);
}

TEST(IsotachSim, finds_own_messages_that_do_not_wait_for_their_isochron) {
    EXPECT_NE(found_at({.markers_at_once = true}), 0U);
    EXPECT_EQ(pool().in_use(), 0U);
}

TEST(IsotachSim, finds_tokens_that_count_twice) {
    EXPECT_NE(found_at({.tokens_unnumbered = true}), 0U);
    EXPECT_EQ(pool().in_use(), 0U);
}

TEST(IsotachSim, the_paranoid_mode_finds_what_breaks_the_order_of_a_host) {
    EXPECT_TRUE(paranoid_finds({.no_counts = true}));
    EXPECT_TRUE(paranoid_finds({.markers_at_once = true}));
    EXPECT_TRUE(paranoid_finds({.tokens_unnumbered = true}));
    EXPECT_EQ(pool().in_use(), 0U);
}

}  // namespace isoplane::test
