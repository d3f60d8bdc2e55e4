// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <iostream>

#include "chance.hh"
#include "seeds.hh"
#include "sim/network.hh"
#include "summary.hh"

namespace isoplane::test {

namespace {

/// What has happened over all seeds, beside what happened to frames.
struct Told {
    Summary frames;
    std::uint64_t isochrons = 0;
    std::uint64_t messages = 0;
    std::uint64_t pulses = 0;
    std::uint64_t tokens = 0;
    std::uint64_t tokens_resent = 0;
    std::uint64_t token_duplicates = 0;
    std::uint64_t notices = 0;
    std::uint64_t most_hosts = 0;

    void add(const sim::Network& network) {
        ++frames.seeds;
        frames.add(network.fabric());
        frames.cuts += network.partitions();
        most_hosts = std::max<std::uint64_t>(most_hosts, network.hosts().size());
        for (const auto& host : network.hosts()) {
            isochrons += host->program().issued();
            messages += host->program().delivered();
            pulses += host->isotach().counters().pulses.get();
            tokens += host->siu().counters().received.get();
            tokens_resent += host->siu().counters().resent.get();
            token_duplicates += host->siu().counters().duplicates.get();
        }
        for (const auto& events : network.history()) {
            for (const sim::Event& event : events)
                notices += std::holds_alternative<sim::SignalNotice>(event) ||
                                   std::holds_alternative<sim::BarrierNotice>(event)
                               ? 1
                               : 0;
        }
    }
};

std::string run(const sim::Scenario& scenario, Duration limit, Told& told) {
    std::string wrong;
    {
        sim::Network network(scenario, pool());
        wrong = network.run(limit);
        told.add(network);
    }
    if (wrong.empty() && pool().in_use() != 0) wrong = "packets leaked";
    return wrong;
}

/// The first seed that goes wrong with the defect, and only with it; 0 when none of the first few does.
std::uint64_t found_at(const sim::Planted& planted) {
    constexpr std::uint64_t kFew = 50;
    Told ignored;
    for (std::uint64_t seed = 1; seed <= kFew; ++seed) {
        const sim::Scenario good = sim::Scenario::of(seed);
        sim::Scenario bad = good;
        bad.planted = planted;
        if (!run(bad, 100ms, ignored).empty() && run(good, 100ms, ignored).empty()) return seed;
    }
    return 0;
}

}  // namespace

TEST(IsotachSim, the_order_of_logical_time_holds_under_any_fault) {
    constexpr std::uint64_t kSeeds = 5000;
    Told all;
    for_each_seed(kSeeds, [&](std::uint64_t seed) {
        EXPECT_EQ(run(sim::Scenario::of(seed), 5s, all), "");
        EXPECT_EQ(pool().in_use(), 0U);
    });
    std::cout << all.frames << all.isochrons << " isochrons, " << all.messages << " messages, " << all.notices
              << " signals and barriers, " << all.pulses << " pulses, " << all.tokens << " tokens, "
              << all.tokens_resent << " sent again, " << all.token_duplicates << " came twice, up to "
              << all.most_hosts << " hosts\n";
    const std::uint64_t shards = shard().count;
    if (all.frames.seeds < kSeeds / shards) return;
    EXPECT_EQ(all.most_hosts, 24U);
    EXPECT_GT(all.frames.cuts, 100U);
    for (const std::uint64_t fault : {all.frames.lost, all.frames.duplicated, all.frames.reordered,
                                      all.frames.corrupted, all.tokens_resent, all.notices})
        EXPECT_GT(fault, 10'000U / shards);
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

}  // namespace isoplane::test
