// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include "story.hh"

namespace isoplane::sim {
namespace {

SignalNotice& notice_of(Story& story, std::size_t host) {
    return std::get<SignalNotice>(*story.noticed(host));
}

TEST(Signal, is_noticed_at_one_pulse) {
    Story story;
    notice_of(story, 2).time.pulse = 7;
    EXPECT_EQ(broken(story), Rules{Rule::kSignal});
}

TEST(Signal, is_noticed_the_greatest_distance_after_it_was_sent) {
    Story story;
    for (const std::size_t host : {0U, 1U, 2U}) {
        notice_of(story, host).time.pulse = 7;
        if (host == 1) Story::move_behind(story.noticed(1), story.delivered(1, 1, 1));
    }
    EXPECT_EQ(broken(story), Rules{Rule::kSignal});
}

TEST(Signal, is_noticed_at_the_end_of_a_pulse) {
    Story story;
    notice_of(story, 2).time.place = Place::kAfter;
    EXPECT_EQ(broken(story), Rules{Rule::kSignal});
}

TEST(Signal, is_not_lost) {
    Story story;
    story.history[2].erase(story.noticed(2));
    EXPECT_EQ(broken(story), Rules{Rule::kSignal});
    story.setting.quiet = false;
    EXPECT_EQ(broken(story), Rules{Rule::kSignal}) << "host 2 is past that pulse";
    story.history[0].erase(story.noticed(0));
    story.history[1].erase(story.noticed(1));
    EXPECT_EQ(broken(story), Rules{}) << "it may never have been sent on";
    story.setting.quiet = true;
    EXPECT_EQ(broken(story), Rules{Rule::kSignal});
}

TEST(Signal, is_not_invented) {
    Story story;
    for (auto& events : story.history)
        events.push_back(SignalNotice{2, {20, Place::kEnd, 0, 0}});
    EXPECT_EQ(broken(story), Rules{Rule::kSignal});
}

TEST(Signal, is_noticed_once_however_many_sent_it) {
    Story story;
    story.history[1].insert(story.noticed(1), SignalSent{1, 4});
    EXPECT_EQ(broken(story), Rules{});
    const Event again = *story.noticed(1);
    story.history[1].insert(story.noticed(1), again);
    EXPECT_EQ(broken(story), Rules{Rule::kSignal});
}

TEST(Signal, goes_to_those_who_have_registered_it) {
    Story story;
    story.setting.signals = {2, 2, 1};
    EXPECT_EQ(broken(story), Rules{Rule::kSignal});
    story.history[2].erase(story.noticed(2));
    EXPECT_EQ(broken(story), Rules{});
}

SignalSent& sent(Story& story) {
    return std::get<SignalSent>(*story.find<SignalSent>(0, [](const SignalSent&) { return true; }));
}

TEST(Signal, is_not_noticed_by_who_has_cleared_it) {
    Story story;
    story.history[2].insert(story.noticed(2), SignalCleared{1, 5});
    EXPECT_EQ(broken(story), Rules{Rule::kSignal});
    story.history[2].erase(story.noticed(2));
    EXPECT_EQ(broken(story), Rules{});
}

TEST(Signal, that_was_executed_may_be_cleared_before_it_is_received) {
    Story story;
    auto& events = story.history[2];
    events.erase(story.noticed(2));
    events.push_back(SignalCleared{1, 5});
    EXPECT_EQ(broken(story), Rules{});
    std::get<SignalCleared>(events.back()).received = 6;
    EXPECT_EQ(broken(story), Rules{Rule::kSignal}) << "it had received all of that pulse";
}

TEST(Signal, is_noticed_again_by_who_has_registered_it_again) {
    Story story;
    auto& events = story.history[2];
    const auto at = events.insert(story.noticed(2), {SignalCleared{1, 3}, SignalRegistered{1, 5}});
    EXPECT_EQ(broken(story), Rules{});
    events.erase(at + 2);
    EXPECT_EQ(broken(story), Rules{Rule::kSignal}) << "it has missed it";
}

TEST(Signal, is_not_noticed_by_who_has_registered_it_after_that_pulse) {
    Story story;
    auto& events = story.history[2];
    const auto at = events.insert(story.noticed(2), {SignalCleared{1, 5}, SignalRegistered{1, 6}});
    EXPECT_EQ(broken(story), Rules{Rule::kSignal}) << "it had waited while the signal was cleared";
    events.erase(at + 2);
    EXPECT_EQ(broken(story), Rules{});
}

TEST(Signal, is_registered_by_who_has_not_registered_it_yet) {
    Story story;
    story.history[1].push_back(SignalRegistered{1, 9});
    EXPECT_EQ(broken(story), Rules{Rule::kSignal});
    story.history[1].insert(story.history[1].end() - 1, {SignalCleared{1, 9}, SignalCleared{1, 9}});
    EXPECT_EQ(broken(story), Rules{}) << "it may be cleared twice";
}

TEST(Signal, is_sent_by_who_has_registered_it) {
    Story story;
    const auto at = story.find<SignalSent>(0, [](const SignalSent&) { return true; });
    story.history[0].insert(at, SignalCleared{1, 3});
    story.history[0].erase(story.noticed(0));
    EXPECT_EQ(broken(story), Rules{Rule::kSignal});
    Story other;
    sent(other).channel = 5;
    other.setting.signals = {1U << 1, 1U << 1, 1U << 1};
    for (std::size_t host = 0; host < 3; ++host)
        other.history[host].erase(other.noticed(host));
    EXPECT_EQ(broken(other), Rules{Rule::kSignal});
}

TEST(Signal, comes_after_all_its_sender_issued_before) {
    Story story;
    const auto sent = story.find<SignalSent>(0, [](const SignalSent&) { return true; });
    Story::move_behind(sent, story.issued(0, 3));
    EXPECT_EQ(broken(story), Rules{Rule::kSignal});
}

TEST(Signal, does_not_come_before_what_was_cut_off) {
    Story story;
    story.setting.quiet = false;
    story.history[2].resize(3);  // up to its deliveries in pulse 3
    story.history[2].push_back(Issue{0, 4, 6, {{0, 20000}, {1, 20001}}});
    story.history[2].push_back(SignalNotice{1, {6, Place::kEnd, 0, 0}});
    for (const std::size_t host : {0U, 1U}) {
        auto& events = story.history[host];
        events.erase(story.noticed(host) + 1, events.end());
    }
    EXPECT_EQ(broken(story), Rules{});
    story.history[1].erase(story.delivered(1, 0, 1));  // which was issued before the signal
    EXPECT_EQ(broken(story), Rules{Rule::kSignal});
}

TEST(Barrier, completes_at_one_pulse) {
    Story story;
    std::get<BarrierNotice>(*story.completed(2, 12)).time.pulse = 13;
    EXPECT_EQ(broken(story), Rules{Rule::kBarrier});
}

TEST(Barrier, completes_at_the_end_of_a_pulse) {
    Story story;
    std::get<BarrierNotice>(*story.completed(2, 12)).time.place = Place::kAfter;
    EXPECT_EQ(broken(story), Rules{Rule::kBarrier});
}

TEST(Barrier, does_not_complete_before_the_last_has_entered) {
    Story absent;
    absent.history[2].erase(absent.entered(2, 10), absent.history[2].end());
    EXPECT_EQ(broken(absent), Rules{Rule::kBarrier});
    absent.setting.quiet = false;
    EXPECT_EQ(broken(absent), Rules{Rule::kBarrier});
    Story late;
    Story::move_behind(late.entered(2, 10), late.completed(2, 12));
    EXPECT_EQ(broken(late), Rules{Rule::kBarrier});
    Story late_clock;
    std::get<BarrierEntered>(*late_clock.entered(2, 10)).clock = 13;
    EXPECT_EQ(broken(late_clock), Rules{Rule::kBarrier});
}

TEST(Barrier, may_not_have_been_noticed_yet_where_a_run_was_cut) {
    Story story;
    story.setting.quiet = false;
    story.history[2].erase(story.completed(2, 12));
    EXPECT_EQ(broken(story), Rules{});
    story.setting.quiet = true;
    EXPECT_EQ(broken(story), Rules{Rule::kBarrier});
}

TEST(Barrier, is_not_lost) {
    Story story;
    for (std::size_t host = 0; host < 3; ++host)
        story.history[host].erase(story.completed(host, 12));
    EXPECT_EQ(broken(story), Rules{Rule::kBarrier});
    story.history[1].erase(story.entered(1, 10));
    EXPECT_EQ(broken(story), Rules{}) << "it waits for host 1";
}

TEST(Barrier, is_not_invented) {
    Story story;
    for (auto& events : story.history)
        events.push_back(BarrierNotice{0, {20, Place::kEnd, 0, 0}});
    EXPECT_EQ(broken(story), Rules{Rule::kBarrier});
}

TEST(Barrier, is_not_entered_twice) {
    Story story;
    story.history[1].insert(story.completed(1, 9), BarrierEntered{0, 8, true});
    EXPECT_EQ(broken(story), Rules{Rule::kBarrier});
}

TEST(Barrier, is_not_entered_by_a_host_that_has_not_joined) {
    Story story;
    story.history[1].push_back(BarrierEntered{1, 12, false});
    EXPECT_EQ(broken(story), Rules{Rule::kBarrier});
}

TEST(Barrier, does_not_wait_for_a_host_that_left) {
    Story story;
    auto& events = story.history[2];
    events.erase(story.completed(2, 9) + 1, events.end());
    events.push_back(BarrierLeft{0, 10});
    EXPECT_EQ(broken(story), Rules{});
}

TEST(Barrier, may_complete_without_a_host_that_joined_when_it_was_under_way) {
    Story story;
    auto& events = story.history[2];
    const auto joined = story.find<BarrierJoined>(2, [](const BarrierJoined&) { return true; });
    std::get<BarrierJoined>(*joined).under_way = true;
    events.erase(story.completed(2, 9));
    events.erase(story.entered(2, 7));
    EXPECT_EQ(broken(story), Rules{});
    events.erase(story.completed(2, 12));
    EXPECT_EQ(broken(story), Rules{Rule::kBarrier}) << "but not a second time";
}

/// All notices of the first barrier a pulse earlier, before the messages of pulse 9.
Story early_barrier(bool strong) {
    Story story;
    for (std::size_t host = 0; host < 3; ++host) {
        std::get<BarrierEntered>(*story.entered(host, 7)).strong = strong;
        std::get<BarrierNotice>(*story.completed(host, 9)).time.pulse = 8;
        if (host == 2)
            std::rotate(story.delivered(2, 0, 3, 1), story.completed(2, 8), story.completed(2, 8) + 1);
        if (host == 1)
            std::rotate(story.delivered(1, 0, 3), story.completed(1, 8), story.completed(1, 8) + 1);
    }
    return story;
}

TEST(Barrier, comes_after_all_that_was_issued_before_it_was_entered) {
    EXPECT_EQ(broken(early_barrier(true)), Rules{Rule::kBarrier});
    EXPECT_EQ(broken(early_barrier(false)), Rules{Rule::kBarrier}) << "a weak one does, too";
}

}  // namespace
}  // namespace isoplane::sim
