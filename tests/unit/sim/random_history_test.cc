// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "random_run.hh"

namespace isoplane::sim {
namespace {

constexpr std::uint64_t kSeeds = 500;

std::string describe(const std::vector<Violation>& violations) {
    std::string text;
    for (const Violation& v : violations)
        text += std::string(to_string(v.rule)) + ": " + v.text + "\n";
    return text;
}

TEST(RandomHistory, is_as_it_should_be_when_it_ends_in_quiet) {
    std::size_t events = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const RandomRun run(seed, true);
        ASSERT_EQ(describe(check(run.setting, run.history)), "") << "seed " << seed;
        for (const auto& host : run.history)
            events += host.size();
    }
    EXPECT_GT(events, kSeeds * 100);
}

TEST(RandomHistory, is_as_it_should_be_when_it_is_cut_short) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const RandomRun run(seed, false);
        ASSERT_EQ(describe(check(run.setting, run.history)), "") << "seed " << seed;
    }
}

bool is_delivery(const Event& event) {
    return std::holds_alternative<Delivery>(event);
}

using Events = std::vector<Event>;
using Position = Events::iterator;

/// Does something to a random delivery in each of many runs, and wants the rule blamed.
void expect_blamed(Rule rule, const std::function<bool(RandomRun&, Events&, Position)>& plant) {
    std::size_t planted = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        RandomRun run(seed, true);
        std::mt19937_64 random(seed);
        Events& events = run.history[random() % run.history.size()];
        if (events.empty()) continue;
        const auto start = events.begin() + static_cast<std::ptrdiff_t>(random() % events.size());
        const auto at = std::find_if(start, events.end(), is_delivery);
        if (at == events.end() || !plant(run, events, at)) continue;
        ++planted;
        const auto found = check(run.setting, run.history);
        ASSERT_NE(std::ranges::find(found, rule, &Violation::rule), found.end())
            << "seed " << seed << ": " << describe(found);
    }
    EXPECT_GT(planted, 100U);
}

TEST(RandomHistory, with_a_delivery_less_loses_it_or_breaks_its_isochron) {
    std::size_t loss = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        RandomRun run(seed, true);
        Events& events = run.history[seed % run.history.size()];
        const auto at = std::ranges::find_if(events, is_delivery);
        if (at == events.end()) continue;
        events.erase(at);
        const auto found = check(run.setting, run.history);
        ASSERT_EQ(found.size(), 1U) << "seed " << seed << ": " << describe(found);
        ASSERT_TRUE(found[0].rule == Rule::kLoss || found[0].rule == Rule::kAtomicity) << describe(found);
        loss += found[0].rule == Rule::kLoss;
    }
    EXPECT_GT(loss, 10U);
}

TEST(RandomHistory, with_a_delivery_repeated_breaks_content) {
    expect_blamed(Rule::kContent, [](RandomRun&, Events& events, Position at) {
        const Event copy = *at;
        events.push_back(copy);
        return true;
    });
}

TEST(RandomHistory, with_other_content_breaks_content) {
    expect_blamed(Rule::kContent, [](RandomRun&, Events&, Position at) {
        ++std::get<Delivery>(*at).content;
        return true;
    });
}

TEST(RandomHistory, with_a_delivery_a_pulse_late_breaks_the_invariant) {
    expect_blamed(Rule::kInvariant, [](RandomRun&, Events&, Position at) {
        auto& time = std::get<Delivery>(*at).time;
        if (time.place != Place::kWithin) return false;
        ++time.pulse;
        return true;
    });
}

TEST(RandomHistory, with_two_deliveries_swapped_breaks_total_order) {
    expect_blamed(Rule::kTotalOrder, [](RandomRun&, Events& events, Position at) {
        if (at + 1 == events.end() || !is_delivery(at[1])) return false;
        std::swap(at[0], at[1]);
        return true;
    });
}

}  // namespace
}  // namespace isoplane::sim
