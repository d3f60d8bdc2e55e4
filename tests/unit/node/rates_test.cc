// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "node/rates.hh"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <vector>

namespace isoplane::node {
namespace {

/// A stage that does nothing: what it is said to have done is set by the test.
class Still final : public runtime::Stage {
  public:
    Still() : Stage("still") {}
    unsigned poll(runtime::Time) override { return 0; }
};

class RatesTest : public testing::Test {
  protected:
    RatesTest() : stage_(engine_.add(std::make_unique<Still>())) { engine_.place(runtime::Placement()); }

    void work(std::uint64_t cycles, std::uint64_t busy, std::uint64_t packets) {
        stage_.load().sampled_cycles.add(cycles);
        stage_.load().busy_cycles.add(busy);
        stage_.load().sampled_packets.add(packets);
    }

    /// Cycles a packet and busy percent, as the table has them in the stage's line.
    std::vector<std::string> costs() {
        std::istringstream table(rates_.table());
        std::string line;
        std::getline(table, line);  // the heading
        std::getline(table, line);
        std::istringstream words(line);
        std::vector<std::string> cells;
        for (std::string word; words >> word;)
            cells.push_back(word);
        return {cells.at(5), cells.at(6)};
    }

    runtime::Engine engine_{1, runtime::IdlePolicy::kYield};
    Still& stage_;
    Rates rates_{engine_};
};

using Cells = std::vector<std::string>;

TEST_F(RatesTest, tell_what_a_packet_cost_since_the_last_time) {
    work(1000, 500, 10);
    EXPECT_EQ(costs(), (Cells{"50.0", "50.0"}));
    work(1000, 100, 20);
    EXPECT_EQ(costs(), (Cells{"5.0", "10.0"}));
}

TEST_F(RatesTest, give_no_number_for_a_time_in_which_nothing_was_sampled) {
    work(1000, 500, 10);
    costs();
    EXPECT_EQ(costs(), (Cells{"-", "-"}));
    work(1000, 0, 0);
    EXPECT_EQ(costs(), (Cells{"-", "0.0"}));
}

TEST_F(RatesTest, begin_anew_when_the_counters_are_cleared) {
    work(1000, 500, 10);
    costs();
    engine_.clear_counters();
    work(100, 25, 1);
    EXPECT_EQ(costs(), (Cells{"-", "-"}));
    work(100, 25, 1);
    EXPECT_EQ(costs(), (Cells{"25.0", "25.0"}));
}

}  // namespace
}  // namespace isoplane::node
