// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/fabric/random.hh>
#include <isoplane/niu/timer_wheel.hh>
#include <vector>

namespace isoplane::niu {

using namespace std::chrono_literals;
using runtime::Duration;
using runtime::Time;

TEST(TimerWheel, calls_at_the_deadline_and_no_later_than_a_tick_after_it) {
    TimerWheel wheel(4);
    wheel.advance(Time{1s}, [](unsigned) {});
    wheel.call(2, Time{1s + 300us});
    Time called{};
    for (Time now{1s}; called == Time{} && now < Time{2s}; now += 1us)
        wheel.advance(now, [&](unsigned thing) {
            EXPECT_EQ(thing, 2U);
            called = now;
        });
    EXPECT_GE(called + 5us, Time{1s + 300us});
    EXPECT_LE(called, Time{1s + 305us});
}

TEST(TimerWheel, keeps_the_earlier_of_two_deadlines) {
    TimerWheel wheel(1);
    wheel.advance(Time{1s}, [](unsigned) {});
    wheel.call(0, Time{1s + 1ms});
    wheel.call(0, Time{1s + 5ms});
    wheel.call(0, Time{1s + 100us});
    unsigned calls = 0;
    wheel.advance(Time{1s + 110us}, [&](unsigned) { ++calls; });
    EXPECT_EQ(calls, 1U);
    wheel.advance(Time{1s + 10ms}, [&](unsigned) { ++calls; });
    EXPECT_EQ(calls, 1U);
}

TEST(TimerWheel, misses_none_whatever_the_steps_of_time) {
    constexpr unsigned kThings = 200;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        fabric::Random random(seed, 0);
        TimerWheel wheel(kThings);
        std::vector<Time> due(kThings);
        Time now{};
        for (unsigned i = 0; i < kThings; ++i)
            wheel.call(i, due[i] = Time{Duration{static_cast<std::int64_t>(random.below(1'000'000'000))}});
        for (int step = 0; step < 2000; ++step) {
            now += Duration{
                static_cast<std::int64_t>(random.below(random.below(10) == 0 ? 100'000'000 : 20'000))};
            wheel.advance(now, [&](unsigned i) {
                if (due[i] > now) return wheel.call(i, due[i]);
                due[i] = now + Duration{static_cast<std::int64_t>(random.below(50'000'000))};
                wheel.call(i, due[i]);
            });
            for (const Time at : due)
                ASSERT_GT(at + 5us, now) << "seed " << seed;
        }
    }
}

}  // namespace isoplane::niu
