// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/auth/replay_window.hh>
#include <random>
#include <set>

namespace isoplane::auth {
namespace {

using Place = ReplayWindow::Place;
constexpr std::uint64_t kWide = ReplayWindow::kNumbers;

TEST(ReplayWindow, takes_each_number_once) {
    ReplayWindow window;
    for (const std::uint64_t number : {0U, 5U, 3U, 64U, 63U, 65U, 1U}) {
        EXPECT_EQ(window.place(number), Place::kNew) << number;
        window.mark(number);
        EXPECT_EQ(window.place(number), Place::kSeen) << number;
    }
}

TEST(ReplayWindow, ends_where_it_says) {
    ReplayWindow window;
    window.mark(10'000 + kWide);
    EXPECT_EQ(window.place(10'001), Place::kNew);
    EXPECT_EQ(window.place(10'000), Place::kBefore);
}

TEST(ReplayWindow, is_clean_after_a_jump_of_any_length) {
    for (std::uint64_t jump = 1; jump < 3 * kWide; jump = jump * 3 / 2 + 1) {
        ReplayWindow window;
        for (std::uint64_t number = 0; number < kWide; ++number)
            window.mark(number);
        const std::uint64_t last = kWide - 1 + jump;
        window.mark(last);
        for (std::uint64_t number = kWide; number < last; ++number)
            ASSERT_EQ(window.place(number), last - number < kWide ? Place::kNew : Place::kBefore) << jump;
    }
}

TEST(ReplayWindow, agrees_with_a_set_under_any_order) {
    std::mt19937_64 dice(7);
    ReplayWindow window;
    std::set<std::uint64_t> seen;
    std::uint64_t greatest = 0;
    std::uint64_t now = 0;
    for (unsigned i = 0; i < 200'000; ++i) {
        now += dice() % 4 == 0 ? dice() % 300 : 1;
        const std::uint64_t back = dice() % (kWide * 5 / 4);
        const std::uint64_t number = now > back ? now - back : now;
        const bool before = !seen.empty() && number + kWide <= greatest;
        const Place expected = before ? Place::kBefore : seen.contains(number) ? Place::kSeen : Place::kNew;
        ASSERT_EQ(window.place(number), expected) << number << " of " << greatest;
        if (expected != Place::kNew) continue;
        window.mark(number);
        seen.insert(number);
        greatest = std::max(greatest, number);
    }
}

}  // namespace
}  // namespace isoplane::auth
