// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/trials.hh"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace isoplane::sim {

namespace {

using namespace std::chrono_literals;

runtime::Pool& pool() {
    static runtime::Pool the_pool("unit_trials", 32767);
    return the_pool;
}

Scenario small(std::uint64_t seed) {
    Scenario scenario = Scenario::of(seed);
    fabric::Random random(seed, 9);
    scenario.set_network(random_switches(random, 2, 4));
    scenario.traffic.isochrons = 10;
    return scenario;
}

}  // namespace

TEST(Trials, say_nothing_of_seeds_that_hold_and_add_up_what_happened) {
    std::ostringstream out;
    Trials trials(pool(), out);
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
        trials.run(small(seed), "again");
    EXPECT_EQ(out.str(), "");
    EXPECT_TRUE(trials.failures().empty());
    EXPECT_EQ(trials.totals().seeds, 5U);
    EXPECT_EQ(trials.totals().isochrons, 5U * 4 * 10);
    EXPECT_GE(trials.totals().messages, trials.totals().isochrons);
    EXPECT_GT(trials.totals().tokens, 0U);
    EXPECT_GT(trials.totals().virtual_time, runtime::Duration{0});
    trials.print_totals();
    EXPECT_EQ(out.str().find("5 seeds, 0 failed; "), 0U);
    EXPECT_NE(out.str().find("\n  200 isochrons, "), std::string::npos);
    EXPECT_EQ(pool().in_use(), 0U);
}

TEST(Trials, name_a_seed_that_fails_with_what_was_wrong_and_the_command_that_replays_it) {
    std::ostringstream out;
    Trials trials(pool(), out);
    for (std::uint64_t seed = 1; trials.failures().empty() && seed <= 50; ++seed) {
        Scenario scenario = small(seed);
        scenario.planted.markers_at_once = true;
        trials.run(scenario, "isoplane sim --seed " + std::to_string(seed));
    }
    ASSERT_EQ(trials.failures().size(), 1U);
    const Failure& failure = trials.failures().front();
    const std::string seed = std::to_string(failure.seed);
    EXPECT_FALSE(failure.text.empty());
    EXPECT_EQ(out.str(),
              "seed " + seed + ": " + failure.text + "; replay with  isoplane sim --seed " + seed + "\n");
    const nlohmann::json json = trials.to_json();
    EXPECT_EQ(json["seeds"], trials.totals().seeds);
    ASSERT_EQ(json["failures"].size(), 1U);
    EXPECT_EQ(json["failures"][0]["seed"], failure.seed);
    EXPECT_EQ(json["failures"][0]["text"], failure.text);
    EXPECT_EQ(json["failures"][0]["replay"], failure.replay);
    EXPECT_EQ(pool().in_use(), 0U);
}

TEST(Trials, hosts_issue_for_as_long_as_they_are_told) {
    std::ostringstream out;
    std::vector<std::uint64_t> isochrons;
    for (const runtime::Duration duration : {200us, 2000us}) {
        Trials trials(pool(), out);
        Scenario scenario = small(3);
        scenario.traffic.duration = duration;
        trials.run(scenario, "");
        EXPECT_EQ(out.str(), "");
        EXPECT_GE(trials.totals().virtual_time, duration);
        EXPECT_LT(trials.totals().virtual_time, duration + 100ms);
        isochrons.push_back(trials.totals().isochrons);
    }
    EXPECT_GT(isochrons[1], 2 * isochrons[0]);
}

TEST(Trials, workloads_send_where_they_say) {
    for (const Workload workload : {Workload::kPairs, Workload::kAll}) {
        Scenario scenario = small(4);
        scenario.traffic.workload = workload;
        Network network(scenario, pool());
        EXPECT_EQ(network.run(5s), "");
        for (std::uint16_t host = 0; host < 4; ++host) {
            for (const Event& event : network.history()[host]) {
                const auto* issue = std::get_if<Issue>(&event);
                if (issue == nullptr) continue;
                std::vector<unsigned> to(4);
                for (const Part& part : issue->parts)
                    ++to[part.destination];
                if (workload == Workload::kAll) {
                    EXPECT_EQ(to, (std::vector<unsigned>{1, 1, 1, 1}));
                } else {
                    EXPECT_EQ(to[(host + 1U) % 4], issue->parts.size());
                }
            }
        }
    }
}

}  // namespace isoplane::sim
