// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/options.hh"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace isoplane::sim {

namespace {

using namespace std::chrono_literals;

std::variant<SimOptions, int> parse(std::vector<std::string> words) {
    words.insert(words.begin(), "sim");
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    return parse_sim_options(static_cast<int>(argv.size()), argv.data());
}

SimOptions good(const std::vector<std::string>& words) {
    const auto options = parse(words);
    EXPECT_TRUE(std::holds_alternative<SimOptions>(options));
    return std::holds_alternative<SimOptions>(options) ? std::get<SimOptions>(options) : SimOptions{};
}

unsigned hosts_of(const Scenario& scenario) {
    return static_cast<unsigned>(topology::Topology(scenario.switches).host_count());
}

}  // namespace

TEST(SimOptions, without_any_a_scenario_is_what_its_seed_says) {
    const SimOptions options = good({"--seed", "17", "--seeds", "3"});
    EXPECT_EQ(options.seed, 17U);
    EXPECT_EQ(options.seeds, 3U);
    const Scenario drawn = Scenario::of(18);
    const Scenario scenario = options.scenario(18);
    EXPECT_EQ(scenario.seed, 18U);
    EXPECT_EQ(topology::Topology(scenario.switches), topology::Topology(drawn.switches));
    EXPECT_EQ(scenario.manager_at, drawn.manager_at);
    EXPECT_EQ(scenario.worst, drawn.worst);
    EXPECT_EQ(scenario.traffic.isochrons, drawn.traffic.isochrons);
    EXPECT_EQ(options.replay(18), "isoplane sim --seed 18");
}

TEST(SimOptions, what_is_given_is_the_same_for_every_seed) {
    const SimOptions options =
        good({"--hosts", "9", "--switches", "3", "--workload", "all", "--faults", "loss=5%,partitions",
              "--duration", "2ms", "--ahead", "4", "--parts", "3", "--seeds", "10"});
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Scenario scenario = options.scenario(seed);
        EXPECT_EQ(hosts_of(scenario), 9U);
        EXPECT_EQ(scenario.switches.size(), 3U);
        EXPECT_EQ(scenario.manager_at.size(), 3U);
        EXPECT_EQ(scenario.traffic.workload, Workload::kAll);
        EXPECT_EQ(scenario.traffic.duration, 2ms);
        EXPECT_EQ(scenario.traffic.most_parts, 3U);
        EXPECT_EQ(scenario.ahead, 4U);
        EXPECT_DOUBLE_EQ(scenario.worst.loss, 0.05);
        EXPECT_EQ(scenario.worst.corrupt, 0);
        EXPECT_TRUE(scenario.partitions);
    }
}

TEST(SimOptions, a_replay_says_all_that_was_given_as_a_shell_reads_it) {
    const SimOptions options = good({"--seeds", "10", "--hosts", "4", "--faults", "", "--isochrons", "7"});
    EXPECT_EQ(options.replay(5), "isoplane sim --seed 5 --hosts 4 --faults '' --isochrons 7");
    EXPECT_FALSE(options.scenario(5).partitions);
    EXPECT_EQ(options.scenario(5).traffic.isochrons, 7U);
}

TEST(SimOptions, hosts_die_only_if_that_is_said) {
    EXPECT_FALSE(good({"--faults", "loss=5%,partitions"}).scenario(3).mortality.survive);
    const Scenario mortal = good({"--hosts", "20", "--faults", "deaths"}).scenario(3);
    EXPECT_TRUE(mortal.mortality.survive);
    EXPECT_EQ(mortal.mortality.restarts, 0U);
    EXPECT_EQ(mortal.mortality.cuts, 0U);
    EXPECT_EQ(mortal.worst.loss, 0);
    const Scenario returning = good({"--faults", "loss=1%,partitions,restarts"}).scenario(3);
    EXPECT_GT(returning.mortality.restarts, 0U);
    EXPECT_EQ(returning.mortality.cuts, 1U);
    EXPECT_FALSE(returning.partitions);
    EXPECT_EQ(returning.mortality.hosts, Scenario::returning(3).mortality.hosts);
}

TEST(SimOptions, a_network_can_be_that_of_a_file) {
    const std::string path = testing::TempDir() + "isoplane it's a network";
    std::ofstream(path) << "7 a b tm:t 9\n9 7 c -\n";
    const SimOptions options = good({"--topology", path});
    const topology::Topology network(options.scenario(1).switches);
    EXPECT_EQ(network.host_count(), 3U);
    EXPECT_EQ(network.switch_count(), 2U);
    EXPECT_EQ(network.name(2), "c");
    EXPECT_EQ(network.name(network.token_manager(0)), "tm");
    EXPECT_NE(options.replay(1).find("it'\\''s a network'"), std::string::npos);
    std::filesystem::remove(path);
}

TEST(SimOptions, what_cannot_be_is_wrong_usage) {
    const std::vector<std::vector<std::string>> wrong{
        {"--hosts", "1"},
        {"--hosts", "65"},
        {"--switches", "2"},
        {"--seeds", "0"},
        {"--seed", "-1"},
        {"--workload", "most"},
        {"--duration", "2"},
        {"--duration", "0ms"},
        {"--duration", "1ms,loss=0.5"},
        {"--duration", "1ms", "--isochrons", "3"},
        {"--ahead", "0"},
        {"--ahead", "65"},
        {"--faults", "loss=2"},
        {"--faults", "loss=0.9"},
        {"--faults", "rate=1"},
        {"--faults", "rain"},
        {"--hosts", "9", "--partners", "3", "--faults", "deaths"},
        {"--parts", "0"},
        {"--topology", "/none"},
        {"--topology", "/none", "--hosts", "3"},
        {"--isochrons", "0"},
        {"--seed", "18446744073709551615"},
    };
    for (const auto& words : wrong) {
        testing::internal::CaptureStderr();
        const auto options = parse(words);
        const std::string said = testing::internal::GetCapturedStderr();
        ASSERT_TRUE(std::holds_alternative<int>(options)) << words[0] << ' ' << words[1];
        EXPECT_EQ(std::get<int>(options), 2);
        EXPECT_NE(said.find("isoplane sim: "), std::string::npos);
    }
}

TEST(SimFaults, are_impairments_and_partitions) {
    const Faults faults = parse_faults("partitions,loss=1%,dup=0.02,reorder=0.03,corrupt=0.04,delay=5us");
    EXPECT_TRUE(faults.partitions);
    EXPECT_DOUBLE_EQ(faults.worst.loss, 0.01);
    EXPECT_DOUBLE_EQ(faults.worst.duplicate, 0.02);
    EXPECT_DOUBLE_EQ(faults.worst.reorder, 0.03);
    EXPECT_DOUBLE_EQ(faults.worst.corrupt, 0.04);
    EXPECT_EQ(faults.worst.delay, 5us);
    const Faults late = parse_faults("late=1%,after=5ms..90ms");
    EXPECT_DOUBLE_EQ(late.worst.late, 0.01);
    EXPECT_EQ(late.worst.after, (fabric::Span{5ms, 90ms}));
    EXPECT_FALSE(parse_faults("").partitions);
    EXPECT_THROW(parse_faults("partitions=yes"), std::invalid_argument);
    EXPECT_THROW(parse_faults("cut=on"), std::invalid_argument);
}

}  // namespace isoplane::sim
