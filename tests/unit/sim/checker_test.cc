// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/checker.hh"

#include <gtest/gtest.h>

#include <stdexcept>

#include "sim/precedence.hh"
#include "story.hh"

namespace isoplane::sim {
namespace {

std::string text_of(const Story& story) {
    const auto found = check(story.setting, story.history);
    return found.empty() ? "" : found.front().text;
}

TEST(Checker, finds_nothing_in_a_history_as_it_should_be) {
    Story story;
    EXPECT_EQ(text_of(story), "");
    story.setting.quiet = false;
    EXPECT_EQ(text_of(story), "");
}

TEST(Checker, finds_nothing_in_an_empty_history) {
    EXPECT_TRUE(check(Setting{}, History{}).empty());
}

TEST(Checker, refuses_what_does_not_fit_together) {
    const Story story;
    Setting setting = story.setting;
    setting.hosts = 2;
    EXPECT_THROW(check(setting, story.history), std::invalid_argument);
    setting = story.setting;
    setting.distances.pop_back();
    EXPECT_THROW(check(setting, story.history), std::invalid_argument);
    setting = story.setting;
    setting.signals = {1};
    EXPECT_THROW(check(setting, story.history), std::invalid_argument);
}

TEST(Checker, refuses_issues_that_are_not_numbered_in_order_or_go_nowhere) {
    Story skipped;
    skipped.issue_of(0, 3).number = 4;
    EXPECT_THROW(check(skipped.setting, skipped.history), std::invalid_argument);
    Story nowhere;
    nowhere.issue_of(0, 3).parts[0].destination = 3;
    EXPECT_THROW(check(nowhere.setting, nowhere.history), std::invalid_argument);
}

TEST(Content, is_broken_by_another_content) {
    Story story;
    story.delivery_of(1, 0, 1).content = 7;
    EXPECT_EQ(broken(story), Rules{Rule::kContent});
    EXPECT_EQ(text_of(story),
              "host 1 was delivered part 0 of isochron 1 of host 0 at pulse 6 (host 0, rank 0), with content "
              "7 where "
              "100 was issued.");
}

TEST(Content, is_broken_by_a_second_delivery) {
    Story story;
    const Event again = *story.delivered(1, 0, 1);
    story.history[1].push_back(again);
    EXPECT_EQ(broken(story), Rules{Rule::kContent});
}

TEST(Content, is_broken_by_a_delivery_to_another_host) {
    Story story;
    const Event stray = *story.delivered(1, 0, 1);
    story.history[2].push_back(stray);
    EXPECT_EQ(broken(story), Rules{Rule::kContent});
}

TEST(Content, is_broken_by_what_nobody_issued) {
    for (const auto& [issuer, number, part] :
         {std::tuple<std::uint16_t, unsigned, unsigned>{0, 4, 0}, {3, 0, 0}, {0, 1, 1}}) {
        Story story;
        story.history[1].push_back(Delivery{{20, Place::kWithin, issuer, 0}, issuer, number, part, 0});
        EXPECT_EQ(broken(story), Rules{Rule::kContent});
    }
}

TEST(Loss, is_an_isochron_that_nobody_executed) {
    Story story;
    story.history[2].erase(story.delivered(2, 1, 3));
    EXPECT_EQ(broken(story), Rules{Rule::kLoss});
    story.setting.quiet = false;
    EXPECT_EQ(broken(story), Rules{Rule::kBarrier}) << "its issuer entered the last barrier after it";
    story.history[2].erase(story.completed(2, 12));
    EXPECT_EQ(broken(story), Rules{}) << "it may have been on its way";
}

TEST(Invariant, is_broken_by_a_stamp_too_early) {
    Story story;
    story.issue_of(0, 3).sent = 8;
    EXPECT_EQ(broken(story), Rules{Rule::kInvariant});
}

TEST(Invariant, takes_the_greatest_distance_of_an_isochron) {
    Story story;
    story.setting.distances[0 * 3 + 2] = 3;
    EXPECT_EQ(broken(story), Rules{Rule::kInvariant});
}

TEST(Invariant, is_broken_by_an_execution_one_pulse_late) {
    Story story;
    story.delivery_of(2, 1, 3).time.pulse = 10;
    Story::move_behind(story.delivered(2, 1, 3), story.completed(2, 9));
    EXPECT_EQ(broken(story), Rules{Rule::kInvariant});
}

TEST(Invariant, is_broken_by_an_execution_outside_its_pulse) {
    Story story;
    story.delivery_of(2, 1, 3).time.place = Place::kAfter;
    Story::move_behind(story.delivered(2, 1, 3), story.completed(2, 9));
    EXPECT_EQ(broken(story), Rules{Rule::kInvariant});
}

TEST(TotalOrder, is_broken_by_two_deliveries_swapped) {
    Story story;
    std::iter_swap(story.delivered(2, 0, 0, 1), story.delivered(2, 1, 0, 1));
    EXPECT_EQ(broken(story), Rules{Rule::kTotalOrder});
}

TEST(TotalOrder, is_broken_by_hosts_that_differ_whatever_the_times) {
    Story story;
    Delivery& first = story.delivery_of(2, 0, 0, 1);
    Delivery& second = story.delivery_of(2, 1, 0, 1);
    std::swap(first, second);
    std::swap(first.time, second.time);
    EXPECT_EQ(broken(story), Rules{Rule::kTotalOrder});
}

TEST(TotalOrder, is_broken_by_the_rank_of_a_part) {
    Story story;
    story.delivery_of(2, 0, 0, 1).time.rank = 2;
    EXPECT_EQ(broken(story), Rules{Rule::kTotalOrder}) << "as part 2, at another host, has that rank";
}

TEST(TotalOrder, is_broken_by_two_messages_at_one_time) {
    Story story;
    story.delivery_of(1, 0, 0, 3).time.rank = 0;
    EXPECT_EQ(broken(story), Rules{Rule::kTotalOrder});
}

TEST(TotalOrder, is_broken_by_the_time_of_another_host) {
    Story story;
    story.delivery_of(2, 1, 3).time.host = 2;
    EXPECT_EQ(broken(story), Rules{Rule::kTotalOrder});
}

TEST(TotalOrder, is_broken_by_a_notice_before_the_messages_of_its_pulse) {
    Story story;
    Story::move_behind(story.delivered(1, 2, 0, 1), story.noticed(1));
    EXPECT_EQ(broken(story), Rules{Rule::kTotalOrder});
}

TEST(TotalOrder, has_who_has_left_behind_all_else_of_a_pulse) {
    const MembershipNotice left{2, false, 2, {6, Place::kEnd, 0, 0}};
    Story story;
    story.history[0].insert(story.noticed(0) + 1, left);
    EXPECT_EQ(broken(story), Rules{});
    Story in_front;
    in_front.history[0].insert(in_front.noticed(0), left);
    EXPECT_EQ(broken(in_front), Rules{Rule::kTotalOrder});
    Story late;
    late.history[1].insert(late.completed(1, 9), left);
    EXPECT_EQ(broken(late), Rules{Rule::kTotalOrder});
}

TEST(Atomicity, is_broken_by_a_part_less_at_a_host) {
    Story story;
    story.history[1].erase(story.delivered(1, 0, 0, 3));
    EXPECT_EQ(broken(story), Rules{Rule::kAtomicity});
    story.setting.quiet = false;
    EXPECT_EQ(broken(story), Rules{Rule::kAtomicity}) << "other messages came after it";
}

TEST(Atomicity, is_broken_by_a_host_that_was_left_out) {
    Story story;
    story.history[2].erase(story.delivered(2, 0, 3, 1));
    EXPECT_EQ(broken(story), Rules{Rule::kAtomicity});
}

TEST(Atomicity, is_broken_by_a_message_to_itself_apart_from_the_others) {
    Story story;
    Story::move_behind(story.delivered(0, 0, 0, 4), story.delivered(0, 1, 0));
    EXPECT_EQ(broken(story), (Rules{Rule::kTotalOrder, Rule::kAtomicity}))
        << "its time did not go on, either";
}

TEST(Atomicity, asks_only_for_the_beginning_of_an_isochron_where_a_run_was_cut) {
    const auto cut = [](std::uint32_t missing) {
        Story story;
        story.setting.quiet = false;
        const std::uint32_t there = missing == 3 ? 0 : 3;
        story.history[1].erase(story.delivered(1, 0, 0, missing));
        story.history[1].erase(story.delivered(1, 0, 0, there) + 1, story.history[1].end());
        for (const std::size_t host : {0U, 2U})  // what host 1 now has not issued
            story.history[host].erase(story.delivered(host, 1, 0, host == 0 ? 0 : 1) + 1,
                                      story.history[host].end());
        return broken(story);
    };
    EXPECT_EQ(cut(3), Rules{});
    EXPECT_EQ(cut(0), Rules{Rule::kAtomicity});
}

TEST(IssueOrder, is_broken_by_two_isochrons_swapped_wherever_they_go) {
    Story story;
    Delivery& first = story.delivery_of(2, 1, 2);
    Delivery& second = story.delivery_of(2, 1, 3);
    std::swap(first, second);
    std::swap(first.time, second.time);
    EXPECT_EQ(broken(story), Rules{Rule::kIssueOrder});
}

TEST(IssueOrder, is_broken_by_a_self_only_isochron_that_does_not_wait) {
    Story story;
    story.issue_of(0, 2).stamp = 0;
    story.delivery_of(0, 0, 2).time = {3, Place::kAfter, 0, 0};
    EXPECT_EQ(broken(story), Rules{Rule::kIssueOrder}) << "though it meets the one before at no host";
}

TEST(Causality, is_broken_by_an_answer_before_its_question) {
    Story story;  // host 2 issues its isochron 0 only when it has isochron 3 of host 0
    Story::move_behind(story.issued(2, 0), story.delivered(2, 0, 3, 1));
    EXPECT_EQ(broken(story), Rules{Rule::kCausality});
    EXPECT_EQ(text_of(story),
              "what caused comes after what it caused: host 1 was delivered isochron 0 of host 2 before "
              "isochron 3 of "
              "host 0; host 2 was delivered isochron 3 of host 0 before it issued isochron 0 of host 2.");
}

TEST(Causality, is_broken_through_what_a_host_issued_before) {
    Story story;  // host 2 has seen isochron 2 of host 1 only, which that issued after its isochron 1
    Story::move_behind(story.issued(2, 0), story.delivered(2, 1, 2));
    story.history[2].erase(story.delivered(2, 0, 3, 1));
    story.issue_of(0, 3).parts.pop_back();
    EXPECT_EQ(broken(story), Rules{Rule::kCausality});
}

TEST(Causality, is_broken_by_a_delivery_before_the_issue) {
    Story story;
    Story::move_behind(story.issued(0, 2), story.delivered(0, 0, 2));
    EXPECT_EQ(broken(story), Rules{Rule::kCausality});
}

TEST(Precedence, finds_a_cycle_of_any_length) {
    for (IsochronId n = 1; n < 20; ++n) {
        std::vector<Precedence> all{{20, 0, 0, Why::kDelivered}};  // leads into it, and is no part of it
        for (IsochronId i = 0; i < n; ++i)
            all.push_back({i, (i + 1) % n, static_cast<std::uint16_t>(i), Why::kDelivered});
        EXPECT_EQ(find_cycle(21, all).size(), n);
        all.pop_back();
        EXPECT_TRUE(find_cycle(21, all).empty());
    }
}

TEST(Precedence, says_in_one_step_what_one_host_says_in_many) {
    std::vector<Precedence> all{{4, 0, 1, Why::kDelivered}};
    for (IsochronId i = 0; i < 4; ++i)
        all.push_back({i, i + 1, 0, Why::kDelivered});
    EXPECT_EQ(find_cycle(5, all).size(), 2U);
}

}  // namespace
}  // namespace isoplane::sim
