// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "clocks.hh"

namespace isoplane::test {

namespace {

constexpr unsigned kPulses = 100;

/// Turns that so many pulses take at full speed.
unsigned turns_of_pulses(Clocks& clocks) {
    return clocks.steps_to(clocks.sius[0]->ended() + kPulses);
}

}  // namespace

TEST(SiuPace, an_idle_network_sends_few_tokens) {
    Clocks clocks(topology::single_switch(3));
    clocks.stations.run(1s, 50us);
    const auto tokens = [&] {
        std::uint64_t sent = 0;
        for (const auto& siu : clocks.sius)
            sent += siu->counters().sent.get() + siu->counters().resent.get();
        return sent + clocks.managers[0]->counters().sent.get() + clocks.managers[0]->counters().resent.get();
    };
    const std::uint64_t before = tokens();
    clocks.stations.run(2s, 50us);
    // Each pulse is six tokens here, and ends every 50 ms.
    EXPECT_LE(tokens() - before, 6U * 42);
    EXPECT_GE(tokens() - before, 6U * 30);
    EXPECT_EQ(clocks.managers[0]->counters().resent.get(), 0U);
}

TEST(SiuPace, an_idle_network_is_awake_within_a_loop_to_its_furthest_host) {
    for (const std::size_t switches : {1U, 3U}) {
        Clocks clocks(topology::line(switches, 2));
        clocks.want(true);
        ASSERT_NE(clocks.steps_to(50), UINT_MAX);
        const unsigned turns = turns_of_pulses(clocks);
        clocks.want(false);
        clocks.stations.run(1s, 50us);
        siu::Siu& siu = *clocks.sius[0];
        const siu::Pulse idle = siu.ended();
        clocks.stations.run(5ms, 5us);
        ASSERT_LE(siu.ended(), idle + 1);
        const siu::Pulse distance = siu.greatest_distance();
        siu.want(true);
        // As long as it takes at full speed, and once to the furthest host and back: a turn for each hop.
        const unsigned steps = clocks.steps_to(siu.clock() + distance);
        EXPECT_LE(steps * kPulses, turns * (distance + 2 * clocks.stations.paths().greatest_token_hops()));
    }
}

TEST(SiuPace, time_that_one_host_wants_goes_on_at_full_speed_for_all) {
    Clocks clocks(topology::line(3, 1));
    clocks.want(true);
    ASSERT_NE(clocks.steps_to(50), UINT_MAX);
    const unsigned turns = turns_of_pulses(clocks);
    clocks.want(false);
    clocks.sius[2]->want(true);
    EXPECT_EQ(turns_of_pulses(clocks), turns);
}

TEST(SiuPace, goes_to_sleep_again_when_time_is_no_longer_wanted) {
    // With token managers that could tell each other for ever what one host had told them.
    Clocks clocks(topology::ring(4, 2));
    clocks.want(true);
    clocks.stations.run(1ms);
    EXPECT_GT(clocks.sius[0]->clock(), 50U);
    clocks.want(false);
    clocks.stations.run(500ms, 50us);
    const siu::Pulse asleep = clocks.sius[0]->clock();
    clocks.stations.run(500ms, 50us);
    EXPECT_LE(clocks.sius[0]->clock() - asleep, 11U);
}

TEST(SiuPace, sends_no_more_than_a_token_in_a_pulse_interval) {
    Clocks clocks(topology::single_switch(2), {.pulse_interval = 100us});
    clocks.want(true);
    clocks.stations.run(10ms);
    EXPECT_LE(clocks.sius[0]->clock(), 101U);
    EXPECT_GE(clocks.sius[0]->clock(), 80U);
}

TEST(SiuPace, more_tokens_ahead_make_shorter_pulses) {
    std::vector<siu::Pulse> clock;
    for (const std::uint32_t ahead : {1U, 2U, 4U}) {
        Clocks clocks(topology::single_switch(2), {.exchange = {.ahead = ahead}});
        clocks.want(true);
        clocks.stations.run(10ms);
        clock.push_back(clocks.sius[0]->clock());
    }
    EXPECT_GT(clock[1], clock[0] * 3 / 2);
    EXPECT_GT(clock[2], clock[1] * 3 / 2);
}

TEST(SiuPace, who_holds_tokens_back_for_the_length_of_a_pulse_sends_none_again) {
    for (const Duration interval : {Duration{1ms}, Duration{20ms}, Duration{300ms}}) {
        Clocks clocks(topology::single_switch(2), {.pulse_interval = interval}, {0});
        clocks.want(true);
        clocks.stations.run(5 * interval, interval / 40);
        const auto before = clocks.sius[1]->clock();
        ASSERT_NE(before, 0U);
        clocks.stations.run(20 * interval, interval / 40);
        EXPECT_GE(clocks.sius[1]->clock(), before + 10);
        for (const auto& siu : clocks.sius)
            EXPECT_EQ(siu->counters().resent.get(), 0U) << interval.count() << " ns";
    }
}

}  // namespace isoplane::test
