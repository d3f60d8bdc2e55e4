// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/runtime/packet.hh>
#include <stdexcept>

#include "traffic/rate.hh"

namespace isoplane::traffic {
namespace {

using runtime::Duration;
using runtime::kBurst;
using runtime::Time;
using namespace std::chrono_literals;

constexpr Time kStart{1h};

/// A pacer that has sent its first frame, at kStart.
Pacer begun(const Rate& rate, std::uint16_t frame_size = 64) {
    Pacer pacer(rate, frame_size);
    pacer.take(kStart, kBurst);
    return pacer;
}

TEST(Rate, reads_every_unit) {
    EXPECT_EQ(parse_rate("1000pps").frames_per_second, 1000);
    EXPECT_EQ(parse_rate("2Mpps").frames_per_second, 2e6);
    EXPECT_EQ(parse_rate("0.5kpps").frames_per_second, 500);
    EXPECT_EQ(parse_rate("100kbit").bits_per_second, 1e5);
    EXPECT_EQ(parse_rate("1Gbit").bits_per_second, 1e9);
    EXPECT_EQ(parse_rate("1 Gbit/s").bits_per_second, 1e9);
    EXPECT_EQ(parse_rate("5 pps").frames_per_second, 5);
    const Rate max = parse_rate("max");
    EXPECT_EQ(max.frames_per_second, 0);
    EXPECT_EQ(max.bits_per_second, 0);
}

TEST(Rate, refuses_what_it_cannot_mean) {
    for (const char* text : {"", "5", "pps", "5  pps", "5 ", "5pps/s", "-1pps", "0pps", "nanpps", "infbit",
                             "1Tbit", "1kk", "1MMpps", "1e13pps", "1Gbits", "maximum"})
        EXPECT_THROW(parse_rate(text), std::invalid_argument) << "'" << text << "'";
}

TEST(Pacer, gives_all_that_is_wanted_without_a_limit) {
    Pacer pacer({}, 64);
    EXPECT_EQ(pacer.take(kStart, 17), 17);
    EXPECT_EQ(pacer.take(kStart, 0), 0);
}

TEST(Pacer, begins_with_one_frame_whenever_that_is) {
    Pacer pacer({.frames_per_second = 1000}, 64);
    EXPECT_EQ(pacer.take(kStart, kBurst), 1);
    EXPECT_EQ(pacer.take(kStart, kBurst), 0);
    EXPECT_EQ(pacer.take(kStart + 1ms, kBurst), 1);
}

TEST(Pacer, keeps_the_rate_however_often_it_is_asked) {
    for (const Duration step : {Duration(300us), Duration(1ms), Duration(2500us)}) {
        Pacer pacer = begun({.frames_per_second = 1000});
        unsigned sent = 0;
        for (Duration t = step; t <= Duration(3s); t += step)
            sent += pacer.take(kStart + t, kBurst);
        EXPECT_EQ(sent, 3000U) << step.count() << " ns";
    }
}

TEST(Pacer, catches_up_with_one_burst_after_a_pause) {
    Pacer pacer = begun({.frames_per_second = 1e6});
    EXPECT_EQ(pacer.take(kStart + 1min, kBurst), kBurst);
    EXPECT_LE(pacer.take(kStart + 1min, kBurst), 1);
    EXPECT_EQ(pacer.take(kStart + 1min, kBurst), 0);
}

TEST(Pacer, counts_the_gap_between_frames_into_a_bit_rate) {
    // 1000 frames of 101 bytes and 24 of preamble, FCS and gap are a megabit.
    Pacer pacer = begun({.bits_per_second = 1e6}, 101);
    EXPECT_EQ(pacer.take(kStart + 10ms, kBurst), 10);
}

TEST(Pacer, gives_again_what_was_given_back) {
    Pacer pacer = begun({.frames_per_second = 1000});
    EXPECT_EQ(pacer.take(kStart + 5ms, kBurst), 5);
    pacer.give_back(5);
    EXPECT_EQ(pacer.take(kStart + 5ms, 3), 3);
    EXPECT_EQ(pacer.take(kStart + 5ms, kBurst), 2);
}

}  // namespace
}  // namespace isoplane::traffic
