// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include "replay/speed.hh"

namespace isoplane::test {
namespace {

using namespace std::chrono_literals;
using replay::parse_speed;
using replay::Schedule;
using replay::Time;

Time due(Schedule& schedule, Time when, std::uint32_t length = 60) {
    return schedule.due({.bytes = {}, .when = when, .length = length});
}

TEST(Speed, reads_what_users_write) {
    EXPECT_EQ(parse_speed("original").times, 1);
    EXPECT_EQ(parse_speed("2x").times, 2);
    EXPECT_EQ(parse_speed("0.5x").times, 0.5);
    EXPECT_EQ(parse_speed("1000pps").rate.frames_per_second, 1000);
    EXPECT_EQ(parse_speed("1Gbit").rate.bits_per_second, 1e9);
    for (const char* word : {"1Gbit/s", "1 Gbit", "1 Gbit/s", "1000000000bit/s", "1000000000 bit/s"})
        EXPECT_EQ(parse_speed(word).rate.bits_per_second, 1e9) << word;
    EXPECT_EQ(parse_speed("1000 pps").rate.frames_per_second, 1000);
    EXPECT_FALSE(Schedule(parse_speed("max")).timed());
    EXPECT_TRUE(Schedule(parse_speed("2x")).timed());
    EXPECT_TRUE(Schedule(parse_speed("1kpps")).timed());
    for (const char* word : {"", "x", "0x", "-1x", "1e9x", "nanx", "fast", "2", "2xx", "1000pps/s", "1  Gbit",
                             "1G bit", "1Gbit/", " 1Gbit"})
        EXPECT_THROW(parse_speed(word), std::invalid_argument) << word;
}

TEST(Schedule, has_the_timing_of_the_trace_or_a_multiple) {
    Schedule original(parse_speed("original"));
    EXPECT_EQ(due(original, 0ns), 0ns);
    EXPECT_EQ(due(original, 30us), 30us);
    Schedule twice(parse_speed("2x"));
    EXPECT_EQ(due(twice, 0ns), 0ns);
    EXPECT_EQ(due(twice, 30us), 15us);
}

TEST(Schedule, sends_nothing_before_what_stands_in_front_of_it) {
    Schedule original(parse_speed("original"));
    EXPECT_EQ(due(original, 0ns), 0ns);
    EXPECT_EQ(due(original, 50us), 50us);
    EXPECT_EQ(due(original, 40us), 50us);
}

TEST(Schedule, spaces_frames_by_rate) {
    Schedule frames(parse_speed("1000pps"));
    EXPECT_EQ(due(frames, 0ns), 0ns);
    EXPECT_EQ(due(frames, 5s), 1ms);
    EXPECT_EQ(due(frames, 5s), 2ms);
    Schedule bits(parse_speed("1Gbit"));
    EXPECT_EQ(due(bits, 0ns, 1501), 0ns);
    EXPECT_EQ(due(bits, 0ns, 60), 12200ns) << "with the 24 bytes that a frame takes of a wire beyond its own";
}

TEST(Schedule, goes_on_behind_the_last_frame_when_a_trace_begins_anew) {
    Schedule original(parse_speed("original"));
    for (const Time when : {Time(0ns), Time(10us), Time(30us)})
        due(original, when);
    original.again(3);
    EXPECT_EQ(due(original, 0ns), 45us);
    EXPECT_EQ(due(original, 10us), 55us);
    Schedule paced(parse_speed("1000pps"));
    due(paced, 0ns);
    paced.again(1);
    EXPECT_EQ(due(paced, 0ns), 1ms);
}

}  // namespace
}  // namespace isoplane::test
