// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>

#include "../../../app/perf/rfc2544.hh"
#include "../../../app/perf/seen_numbers.hh"

namespace isoplane::perf {
namespace {

/// What is between two links, and what it cannot carry it loses.
struct Device {
    double offered = 1e6;    ///< frames a second that can be sent to it
    double carried = 1e9;    ///< that it passes on
    std::uint64_t room = 0;  ///< for frames that come faster
    bool leaks = false;      ///< it loses a frame of each trial

    Trial operator()(const TrialPlan& plan) const {
        const double rate = plan.rate > 0 ? std::min(plan.rate, offered) : offered;
        Trial trial{.latency = std::make_shared<runtime::Histogram>()};
        trial.sent = std::min(plan.frames, static_cast<std::uint64_t>(rate * plan.seconds));
        trial.seconds = static_cast<double>(trial.sent) / rate;
        const auto passed = static_cast<std::uint64_t>(carried * trial.seconds) + room;
        trial.received = std::min(trial.sent, passed) - (leaks && trial.sent > 0 ? 1 : 0);
        trial.latency->record(static_cast<std::uint64_t>(rate));
        return trial;
    }
};

Rfc2544Figures figures_of(const Device& device) {
    return measure_rfc2544(64, 1, device);
}

TEST(Rfc2544, finds_that_nothing_is_lost) {
    const Rfc2544Figures figures = figures_of({});
    EXPECT_EQ(figures.highest, 1e6);
    EXPECT_EQ(figures.throughput, 1e6);
    ASSERT_TRUE(figures.at_throughput);
    ASSERT_EQ(figures.losses.size(), 10U);
    EXPECT_EQ(figures.losses[1].percent, 90U);
    EXPECT_TRUE(figures.unlimited);
    EXPECT_EQ(figures.back_to_back, 1'000'000U);
}

TEST(Rfc2544, finds_the_highest_rate_without_loss) {
    const Rfc2544Figures figures = figures_of({.carried = 330'000});
    EXPECT_LE(figures.throughput, 330'000);
    EXPECT_GE(figures.throughput, 320'000);
    ASSERT_TRUE(figures.at_throughput);
    EXPECT_EQ(figures.at_throughput->lost(), 0U);
    EXPECT_NEAR(static_cast<double>(figures.at_throughput->latency->quantile(0.5)), figures.throughput,
                10'000)
        << "the latency is that of the trial at this rate";
}

TEST(Rfc2544, tells_how_much_is_lost_at_each_tenth) {
    const Rfc2544Figures figures = figures_of({.carried = 750'000});
    ASSERT_EQ(figures.losses.size(), 10U) << "100 to 10 %";
    EXPECT_NEAR(figures.losses[0].lost, 0.25, 0.001);
    EXPECT_NEAR(figures.losses[2].lost, 0.0625, 0.001);
    EXPECT_EQ(figures.losses[3].lost, 0);
    EXPECT_EQ(figures.losses[4].lost, 0);
}

TEST(Rfc2544, finds_the_longest_burst) {
    const Rfc2544Figures figures = figures_of({.carried = 500'000, .room = 2000});
    EXPECT_FALSE(figures.unlimited);
    EXPECT_NEAR(static_cast<double>(figures.back_to_back), 4000, 40) << "half of it leaves while it comes";
}

TEST(Rfc2544, says_that_there_is_no_rate_without_loss) {
    const Rfc2544Figures figures = figures_of({.leaks = true});
    EXPECT_EQ(figures.throughput, 0);
    EXPECT_FALSE(figures.at_throughput);
    EXPECT_EQ(figures.back_to_back, 0U);
    EXPECT_EQ(figures.losses.size(), 10U);
}

TEST(Rfc2544, does_not_take_frames_that_are_repeated_for_lost_ones) {
    const Rfc2544Figures figures = measure_rfc2544(64, 1, [](const TrialPlan& plan) {
        Trial trial = Device{}(plan);
        ++trial.received;
        return trial;
    });
    EXPECT_EQ(figures.throughput, 1e6);
    EXPECT_TRUE(figures.unlimited);
    EXPECT_EQ(figures.losses.front().lost, 0);
}

TEST(Rfc2544, counts_each_frame_once) {
    constexpr std::uint64_t kKept = SeenNumbers::kKept;
    SeenNumbers seen;
    EXPECT_TRUE(seen.add(0));
    EXPECT_FALSE(seen.add(0));
    EXPECT_TRUE(seen.add(3));
    EXPECT_TRUE(seen.add(1));
    EXPECT_FALSE(seen.add(1));
    EXPECT_TRUE(seen.add(kKept + 1));
    EXPECT_TRUE(seen.add(2)) << "as late as may be";
    EXPECT_FALSE(seen.add(1)) << "too late to be told from what has come";
    EXPECT_TRUE(seen.add(kKept)) << "what was skipped";
    EXPECT_TRUE(seen.add(5 * kKept + 1));
    EXPECT_TRUE(seen.add(5 * kKept));
    EXPECT_FALSE(seen.add(5 * kKept));
}

TEST(Rfc2544, counts_rounds_in_which_nothing_is_lost_and_those_in_which_all_rates_lose) {
    report::Figures figures;
    for (const Device& device : {Device{.leaks = true}, Device{}, Device{}})
        add_figures(figures, figures_of(device));
    const auto samples = [&](const char* figure) {
        return figures.samples({"frames", "throughput", 64, figure}).size();
    };
    EXPECT_EQ(samples("lost_at_100_percent"), 3U);
    EXPECT_EQ(figures.median({"frames", "throughput", 64, "lost_at_100_percent"}), 0);
    EXPECT_EQ(samples("per_second"), 3U);
    EXPECT_EQ(samples("back_to_back_frames"), 3U);
    EXPECT_EQ(samples("us_p50"), 2U) << "where no rate is without loss, there is no latency";
}

TEST(Rfc2544, has_medians_of_its_rounds) {
    const std::vector<Rfc2544Figures> rounds{figures_of({.carried = 500'000}), figures_of({.leaks = true}),
                                             figures_of({.offered = 2e6, .carried = 800'000})};
    const Rfc2544Figures found = medians_of(rounds);
    EXPECT_EQ(found.frame_size, 64U);
    EXPECT_EQ(found.highest, 1e6);
    EXPECT_EQ(found.throughput, rounds[0].throughput) << "of 0, about 500,000, and about 800,000";
    ASSERT_EQ(found.losses.size(), 10U);
    EXPECT_EQ(found.losses[0].percent, 100U);
    EXPECT_NEAR(found.losses[0].lost, 0.5, 0.001);
    EXPECT_FALSE(found.unlimited);
    EXPECT_TRUE(found.at_throughput);
}

TEST(Rfc2544, ends_with_a_device_that_takes_nothing) {
    const Rfc2544Figures figures = measure_rfc2544(
        64, 1, [](const TrialPlan&) { return Trial{.latency = std::make_shared<runtime::Histogram>()}; });
    EXPECT_EQ(figures.throughput, 0);
    EXPECT_TRUE(figures.losses.empty());
}

}  // namespace
}  // namespace isoplane::perf
