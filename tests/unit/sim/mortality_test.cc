// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/mortality.hh"

#include <gtest/gtest.h>

#include <array>

#include "story.hh"

namespace isoplane::sim {
namespace {

constexpr std::uint32_t kDistance = 2;
constexpr std::uint32_t kParts = 3;
constexpr std::array<Pulse, 4> kStamps{5, 10, 20, 24};

using Executed = std::array<std::uint32_t, kStamps.size()>;

/// Host 0 issues an isochron with three parts for host 1 to be executed in each of those pulses.
Life issuer() {
    Life life{.host = 0, .epoch = 1};
    std::uint32_t number = 0;
    for (const Pulse stamp : kStamps) {
        Issue issue{number, stamp - kDistance, stamp, {}};
        for (std::uint32_t part = 0; part < kParts; ++part)
            issue.parts.push_back({1, Story::content(0, number, part)});
        life.events.emplace_back(issue);
        ++number;
    }
    return life;
}

/// Host 1 executes so many parts of each.
Life receiver(const Executed& executed) {
    Life life{.host = 1, .epoch = 2};
    for (std::uint32_t number = 0; number < executed.size(); ++number)
        for (std::uint32_t part = 0; part < executed[number]; ++part)
            life.events.emplace_back(Delivery{{kStamps[number], Place::kWithin, 0, part},
                                              0,
                                              number,
                                              part,
                                              Story::content(0, number, part)});
    return life;
}

/// The others have gone on without host 1 after pulse 25.
void add_loss(std::uint32_t number, Views& views) {
    views.see(0, {.number = number, .cut = 25, .base = 30, .members = {{0, 0, 1}}});
}

Rules broken(std::vector<Life> lives, const Views& views) {
    EXPECT_EQ(settle_lives(lives, views, kDistance, false), "");
    Story story;
    story.setting = {.hosts = 2, .distances = {0, kDistance, kDistance, 0}, .greatest_distance = kDistance};
    story.history.clear();
    for (Life& life : lives)
        story.history.push_back(std::move(life.events));
    return broken(story);
}

Rules broken_by_lost(const Executed& executed) {
    Views views;
    views.see(0, {.number = 1, .members = {{0, 0, 1}, {1, 1, 2}}});
    add_loss(2, views);
    return broken({issuer(), receiver(executed)}, views);
}

/// As one that joined at the end of pulse 7.
Rules broken_by_late_and_lost(const Executed& executed) {
    Views views;
    views.see(0, {.number = 1, .members = {{0, 0, 1}}});
    views.see(0, {.number = 2, .base = 7, .members = {{0, 0, 1}, {1, 1, 2}}});
    add_loss(3, views);
    std::vector<Life> lives{issuer(), receiver(executed)};
    for (Life& life : lives)
        life.events.insert(life.events.begin(), MembershipNotice{1, true, 2, {7, Place::kEnd, 0, 0}});
    return broken(lives, views);
}

TEST(Mortality, does_not_ask_the_lost_for_what_is_behind_their_last_pulse) {
    EXPECT_EQ(broken_by_lost({3, 3, 3, 0}), Rules{});
    EXPECT_EQ(broken_by_lost({3, 3, 2, 0}), Rules{}) << "it was in the midst of it";
    EXPECT_EQ(broken_by_lost({0, 0, 0, 0}), Rules{});
}

TEST(Mortality, finds_an_isochron_that_the_lost_have_passed_over) {
    EXPECT_EQ(broken_by_lost({3, 0, 3, 0}), Rules{Rule::kLoss});
}

TEST(Mortality, finds_an_isochron_that_the_lost_have_torn) {
    EXPECT_EQ(broken_by_lost({3, 2, 3, 0}), Rules{Rule::kAtomicity});
}

TEST(Mortality, asks_the_lost_for_nothing_from_before_they_joined) {
    EXPECT_EQ(broken_by_late_and_lost({0, 3, 3, 0}), Rules{});
    EXPECT_EQ(broken_by_late_and_lost({0, 0, 3, 0}), Rules{Rule::kLoss});
}

/// Both have entered a barrier that is complete at the end of pulse 20; host 1 has left it, or not, before it
/// received that, and so late that the others never learned that it has.
Rules broken_by_lost_that_noticed_nothing(bool left) {
    Views views;
    views.see(0, {.number = 1, .members = {{0, 0, 1}, {1, 1, 2}}});
    add_loss(2, views);
    std::vector<Life> lives{issuer(), receiver({3, 3, 3, 3})};
    for (Life& life : lives)
        life.events.insert(life.events.begin(), {BarrierJoined{0, 1}, BarrierEntered{0, 18, true}});
    lives[0].events.emplace_back(BarrierNotice{0, {20, Place::kEnd, 0, 0}});
    if (left) lives[1].events.insert(lives[1].events.end() - kParts, BarrierLeft{0, 24});
    return broken(lives, views);
}

TEST(Mortality, lets_the_lost_leave_a_barrier_whose_notice_waits) {
    EXPECT_EQ(broken_by_lost_that_noticed_nothing(true), Rules{});
    EXPECT_EQ(broken_by_lost_that_noticed_nothing(false), Rules{Rule::kBarrier});
}

/// Host 0 is told so at that time, and of that view: host 1 has left with the second, and the cut of the
/// third is so.
std::string wrong_when_told(const LogicalTime& time, std::uint32_t view, Pulse cut) {
    Views views;
    views.see(0, {.number = 1, .members = {{0, 0, 1}, {1, 1, 2}, {2, 2, 3}}});
    views.see(0, {.number = 2, .cut = 25, .base = 30, .members = {{0, 0, 1}, {2, 2, 3}}});
    views.see(0, {.number = 3, .cut = cut, .base = 50, .members = {{0, 0, 1}}});
    std::vector<Life> lives{{.host = 0, .epoch = 1, .events = {MembershipNotice{1, false, view, time}}}};
    return settle_lives(lives, views, kDistance, false);
}

TEST(Mortality, finds_those_that_are_told_at_another_time_than_the_base) {
    EXPECT_EQ(wrong_when_told({30, Place::kEnd, 0, 0}, 2, 30), "");
    EXPECT_NE(wrong_when_told({31, Place::kEnd, 0, 0}, 2, 30), "");
    EXPECT_NE(wrong_when_told({30, Place::kWithin, 0, 0}, 2, 30), "");
    EXPECT_NE(wrong_when_told({30, Place::kEnd, 0, 0}, 4, 30), "") << "there is no such view";
}

TEST(Mortality, lets_a_later_view_put_off_what_not_all_have_come_to) {
    EXPECT_EQ(wrong_when_told({50, Place::kEnd, 0, 0}, 2, 29), "");
    EXPECT_NE(wrong_when_told({30, Place::kEnd, 0, 0}, 2, 29), "");
}

}  // namespace
}  // namespace isoplane::sim
