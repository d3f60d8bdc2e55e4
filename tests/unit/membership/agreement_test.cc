// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "agreement_bench.hh"

namespace isoplane::test {

TEST_F(AgreementTest, a_view_whose_base_is_far_ahead_of_this_node_is_refused) {
    decide(view(1, 100, 100));
    ASSERT_EQ(body.begun, std::vector<std::uint32_t>{1});
    decide(view(2, 100, 100 + (UINT64_C(1) << 17)));
    EXPECT_EQ(body.begun.size(), 1U);
    EXPECT_EQ(impossible(), 1U);
    decide(view(2, 100, 200));
    EXPECT_EQ(body.begun, (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(AgreementTest, nothing_is_accepted_that_cannot_be_decided) {
    decide(view(1, 100, 100));
    hear({.step = wire::ViewStep::kAccept, .view = 1, .ballot = 5, .next = view(2, 100, UINT64_C(1) << 40)});
    hear({.step = wire::ViewStep::kAccept, .view = 1, .ballot = 5, .next = view(2, 300, 200)});
    EXPECT_EQ(impossible(), 2U);
    EXPECT_EQ(body.begun.size(), 1U);
}

TEST_F(AgreementTest, who_joins_late_takes_any_base_but_none_that_no_time_has_reached) {
    decide(view(7, 100, UINT64_C(1) << 62 | 1));
    EXPECT_EQ(impossible(), 1U);
    decide(view(7, 100, UINT64_C(1) << 40));
    EXPECT_EQ(body.begun, std::vector<std::uint32_t>{7});
}

TEST_F(AgreementTest, who_can_do_nothing_without_the_others_says_so_until_they_are_heard) {
    decide(view(1, 100, 100));
    hear({.step = wire::ViewStep::kPrepare, .view = 1, .ballot = 5});
    pass_slowly(2 * kLimit);
    EXPECT_EQ(agreement.trouble(), "") << "the others may be about to agree";
    pass(1ms);
    EXPECT_NE(agreement.trouble().find("a majority of its members, as of view 1,"), std::string::npos);
    EXPECT_EQ(described()["trouble"], agreement.trouble());
    decide(view(2, 100, 200));
    EXPECT_EQ(agreement.trouble(), "");
    EXPECT_FALSE(described().contains("trouble"));
}

TEST_F(AgreementTest, who_did_not_run_for_a_while_does_not_say_so_before_the_others_have_had_the_time) {
    decide(view(1, 100, 100));
    hear({.step = wire::ViewStep::kPrepare, .view = 1, .ballot = 5});
    pass(10 * kLimit);
    pass_slowly(2 * kLimit - kLimit / 8);
    EXPECT_EQ(agreement.trouble(), "");
    pass(1ms);
    EXPECT_NE(agreement.trouble(), "");
}

/// As a program with inline progress that computes.
TEST_F(AgreementTest, who_is_always_polled_seldom_says_so_too) {
    decide(view(1, 100, 100));
    body.silent = {1, 2, 3};
    for (unsigned i = 0; i < 50; ++i)
        pass(kLimit / 4);
    EXPECT_NE(agreement.trouble().find("a majority of its members"), std::string::npos);
}

TEST_F(AgreementTest, who_proposes_and_did_not_run_for_a_while_waits_for_answers_all_the_same) {
    decide(view(1, 100, 100));
    hear({.step = wire::ViewStep::kPrepare, .view = 1, .ballot = 5});
    pass_until_proposed(1);
    answer(wire::ViewStep::kPromise, {1, 3});
    pass(10 * kLimit);
    answer(wire::ViewStep::kAccepted, {1, 3});
    EXPECT_EQ(body.begun.size(), 1U) << "host 2 has had no time to answer";
    pass_slowly(300ms);
    answer(wire::ViewStep::kAccepted, {1, 3});
    EXPECT_EQ(body.begun, (std::vector<std::uint32_t>{1, 2}));
}

/// Its tokens did not come, as it waits, too, for those of one who has died.
TEST_F(AgreementTest, who_was_not_heard_has_the_time_to_answer_after_all_others) {
    decide(view(1, 100, 100));
    body.silent = {2};
    pass_until_proposed(1);
    answer(wire::ViewStep::kPromise, {1, 3});
    pass_slowly(240ms);
    answer(wire::ViewStep::kPromise, {2});
    answer(wire::ViewStep::kAccepted, {1, 3});
    EXPECT_EQ(body.begun, (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(body.view.members.size(), 4U);
}

TEST_F(AgreementTest, who_does_not_answer_in_that_time_is_given_up) {
    decide(view(1, 100, 100));
    body.silent = {2};
    pass_until_proposed(1);
    answer(wire::ViewStep::kPromise, {1, 3});
    pass_slowly(260ms);
    answer(wire::ViewStep::kAccepted, {1, 3});
    EXPECT_EQ(body.begun, (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(body.view.members.size(), 3U);
}

/// Two and two of them have not heard each other for long, and then the cable between them is whole again.
TEST_F(AgreementTest, who_is_slower_to_come_back_than_another_is_not_given_up) {
    decide(view(1, 100, 100));
    body.silent = {2, 3};
    pass_until_proposed(1);
    answer(wire::ViewStep::kPromise, {1});
    pass_slowly(5 * kLimit);
    body.silent.clear();
    answer(wire::ViewStep::kPromise, {3});
    out.drain();
    pass_slowly(kLimit - 100ms);
    EXPECT_GT(out.drain(), 2 * 50U) << "others would begin anew";
    answer(wire::ViewStep::kPromise, {2});
    answer(wire::ViewStep::kAccepted, {1, 3});
    EXPECT_EQ(body.begun, (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(body.view.members.size(), 4U);
}

/// They are frozen by now, and doubt nobody; and each has proposed in its turn.
TEST_F(AgreementTest, nor_is_he_by_who_began_while_they_were_apart) {
    decide(view(1, 100, 100));
    body.silent = {2, 3};
    pass_until_proposed(1);
    hear({.step = wire::ViewStep::kPrepare, .view = 1, .ballot = (1U << 16) + 1});
    pass_slowly(2 * kLimit);
    ASSERT_EQ(described()["proposals"], 2U);
    answer(wire::ViewStep::kPromise, {1}, 2);
    pass_slowly(kLimit);
    answer(wire::ViewStep::kPromise, {3}, 2);
    pass_slowly(kLimit - 100ms);
    answer(wire::ViewStep::kPromise, {2}, 2);
    answer(wire::ViewStep::kAccepted, {1, 3}, 2);
    EXPECT_EQ(body.begun, (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(body.view.members.size(), 4U);
}

TEST_F(AgreementTest, who_is_asked_again_and_again_leaves_it_to_who_asks) {
    decide(view(1, 100, 100));
    for (unsigned i = 0; i < 100; ++i) {
        hear({.step = wire::ViewStep::kPrepare, .view = 1, .ballot = 5});
        pass_slowly(20ms);
    }
    EXPECT_EQ(described()["proposals"], 0U);
    pass_slowly(kLimit);
    EXPECT_NE(described()["proposals"], 0U);
}

TEST_F(AgreementTest, nor_does_who_is_asked_for_the_first_time_propose_while_others_may_answer) {
    for (const auto step : {wire::ViewStep::kPrepare, wire::ViewStep::kAccept}) {
        const std::uint32_t number = body.view.number + 1;
        wire::View next = view(number, 100, 100);
        decide(next);
        ++next.number;
        const unsigned before = described()["proposals"];
        hear({.step = step, .view = number, .ballot = 5, .next = next});
        pass_slowly(kLimit / 4 + 100ms);
        EXPECT_EQ(described()["proposals"], before);
        pass_slowly(100ms);
        EXPECT_EQ(described()["proposals"], before + 1);
    }
}

TEST_F(AgreementTest, rounds_that_lead_to_nothing_come_ever_more_slowly) {
    for (const std::uint32_t round : {1U, 6400U}) {
        const std::uint32_t number = body.view.number + 1;
        decide(view(number, 100, 100));
        const unsigned before = described()["proposals"];
        hear({.step = wire::ViewStep::kPrepare, .view = number, .ballot = 5 + (round << 16)});
        pass_slowly(2 * kLimit);
        EXPECT_EQ(described()["proposals"], before + (round == 1 ? 1 : 0));
    }
}

/// As one whose cable carries nothing in that direction: it is heard, and not missed.
TEST_F(AgreementTest, who_hears_no_answers_does_not_hold_up_the_others_for_ever) {
    for (const auto step : {wire::ViewStep::kPrepare, wire::ViewStep::kAccept}) {
        const std::uint32_t number = body.view.number + 1;
        wire::View next = view(number, 100, 100);
        decide(next);
        ++next.number;
        const unsigned before = described()["proposals"];
        for (unsigned i = 0; i < 150; ++i) {
            hear({.step = step, .view = number, .ballot = 5, .next = next});
            pass_slowly(20ms);
        }
        EXPECT_EQ(described()["proposals"], before + 1) << number;
        EXPECT_EQ(described()["view"], number);
    }
}

TEST_F(AgreementTest, who_does_not_come_back_with_another_is_not_waited_for_long) {
    decide(view(1, 100, 100));
    body.silent = {2, 3};
    pass_until_proposed(1);
    body.silent.clear();
    answer(wire::ViewStep::kPromise, {1, 3});
    pass_slowly(240ms);
    answer(wire::ViewStep::kAccepted, {1, 3});
    EXPECT_EQ(body.begun.size(), 1U);
    pass_slowly(20ms);
    answer(wire::ViewStep::kAccepted, {1, 3});
    EXPECT_EQ(body.begun, (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(body.view.members.size(), 3U);
}

TEST_F(AgreementTest, a_ballot_above_which_there_is_none_is_nobodys) {
    decide(view(1, 100, 100));
    hear({.step = wire::ViewStep::kPrepare, .view = 1, .ballot = UINT32_MAX});
    hear({.step = wire::ViewStep::kRefused, .view = 1, .ballot = UINT32_MAX - 0xffff});
    EXPECT_EQ(impossible(), 2U);
    EXPECT_FALSE(described()["frozen"].get<bool>());
    hear({.step = wire::ViewStep::kPrepare, .view = 1, .ballot = UINT32_MAX - 0x10000});
    EXPECT_EQ(impossible(), 2U);
    for (unsigned i = 0; i < 2'000; ++i)
        pass(1ms);
    EXPECT_EQ(described()["proposals"], 0U) << "it would promise less than it has";
}

TEST_F(AgreementTest, what_was_accepted_is_the_view_that_comes_next) {
    decide(view(1, 100, 100));
    hear({.step = wire::ViewStep::kPrepare, .view = 1, .ballot = 5});
    pass_until_proposed(1);
    hear({.step = wire::ViewStep::kPromise,
          .view = 1,
          .ballot = 1U << 16,
          .accepted = 5,
          .next = view(1, 100, 100)});
    EXPECT_EQ(impossible(), 1U);
}

/// It may have been decided, though nobody of these knows.
TEST_F(AgreementTest, what_was_accepted_under_the_highest_ballot_is_proposed_again) {
    decide(view(1, 100, 100));
    hear({.step = wire::ViewStep::kPrepare, .view = 1, .ballot = 5});
    pass_until_proposed(1);
    promise(1, 1, 5, without(2, 90, 150));
    promise(3, 1, 4, without(1, 80, 140));
    answer(wire::ViewStep::kPromise, {2});
    answer(wire::ViewStep::kAccepted, {1, 3});
    EXPECT_EQ(body.begun, (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(body.view, without(2, 90, 150));
}

TEST_F(AgreementTest, so_is_what_this_node_has_accepted) {
    decide(view(1, 100, 100));
    hear({.step = wire::ViewStep::kAccept, .view = 1, .ballot = 5, .next = without(2, 90, 150)});
    pass_until_proposed(1);
    promise(1, 1, 4, without(3, 80, 140));
    answer(wire::ViewStep::kPromise, {2, 3});
    answer(wire::ViewStep::kAccepted, {1, 3});
    EXPECT_EQ(body.begun, (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(body.view, without(2, 90, 150));
}

/// Whoever promised in the first may have accepted another's view since.
TEST_F(AgreementTest, what_is_said_in_one_ballot_does_not_count_in_the_next) {
    decide(view(1, 100, 100));
    hear({.step = wire::ViewStep::kPrepare, .view = 1, .ballot = 5});
    pass_until_proposed(1);
    hear({.step = wire::ViewStep::kPrepare, .view = 1, .ballot = (1U << 16) + 1});
    pass_until_proposed(2);
    answer(wire::ViewStep::kPromise, {1, 2, 3}, 1);
    answer(wire::ViewStep::kAccepted, {1, 2, 3}, 2);
    EXPECT_EQ(body.begun, std::vector<std::uint32_t>{1}) << "nobody has promised";
    promise(1, 2, (1U << 16) + 1, without(2, 90, 150));
    answer(wire::ViewStep::kPromise, {2, 3}, 2);
    answer(wire::ViewStep::kAccepted, {1, 2, 3}, 1);
    EXPECT_EQ(body.begun, std::vector<std::uint32_t>{1}) << "nobody has accepted";
    answer(wire::ViewStep::kAccepted, {1, 3}, 2);
    EXPECT_EQ(body.begun, (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(body.view, without(2, 90, 150));
}

TEST_F(AgreementTest, who_waits_for_all_to_begin_has_no_trouble) {
    hear({.step = wire::ViewStep::kPrepare, .ballot = 5});
    pass(10 * kLimit);
    EXPECT_EQ(agreement.trouble(), "");
}

TEST_F(AgreementTest, who_was_given_up_is_told_and_stops) {
    decide(view(1, 100, 100));
    decide(without(0, 100, 200));
    EXPECT_TRUE(agreement.given_up());
    EXPECT_NE(agreement.trouble().find("gone on in logical time without this node"), std::string::npos);
    EXPECT_EQ(body.begun, std::vector<std::uint32_t>{1});
}

/// A token manager of that run had been stopped, and goes on.
TEST_F(AgreementTest, a_view_of_an_earlier_run_gives_nobody_up) {
    decide(view(1, 100, 100));
    wire::View before = view(7, 100, 200);
    for (const std::uint32_t epoch : {9U, UINT32_MAX}) {
        before.members[0].epoch = epoch;
        decide(before);
    }
    before = view(7, 100, 200);
    before.members[1].epoch = 10;
    decide(before);
    before.members.erase(before.members.begin());
    decide(before);
    EXPECT_EQ(impossible(), 4U);
    EXPECT_FALSE(agreement.given_up());
    EXPECT_EQ(body.begun, std::vector<std::uint32_t>{1});
    decide(view(2, 100, 200));
    EXPECT_EQ(body.begun, (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(AgreementTest, a_view_with_a_later_life_of_this_node_does) {
    decide(view(1, 100, 100));
    wire::View next = view(7, 100, 200);
    next.members[0].epoch = 11;
    decide(next);
    EXPECT_TRUE(agreement.given_up());
    EXPECT_EQ(body.begun, std::vector<std::uint32_t>{1});
}

/// Though the view names it, and its player has the same epoch.
TEST_F(AgreementTest, so_is_a_token_manager_that_is_stood_in_for) {
    constexpr NodeId kManager = 3;
    niu::Options options = niu.options();
    options.node = kManager;
    niu::Niu its("switch0", in.input(), out.output(), niu_pool(), options);
    FakeBody time;
    Agreement manager(its, topology, time, {.limit = kLimit});
    wire::View next = view(1, 100, 100);
    next.members[kManager].epoch = options.epoch;
    const auto decide_there = [&] {
        manager.on_view(1, 11, {.step = wire::ViewStep::kDecided, .next = next});
        manager.poll(now);
    };
    decide_there();
    EXPECT_EQ(time.begun, std::vector<std::uint32_t>{1});
    next = view(2, 200, 200);
    next.members[kManager] = {.node = kManager, .played_by = 0, .epoch = options.epoch};
    decide_there();
    EXPECT_TRUE(manager.given_up());
    EXPECT_EQ(time.begun, std::vector<std::uint32_t>{1});
    its.discard();
}

TEST_F(AgreementTest, a_life_that_is_refused_has_been_given_up) {
    hear(refusal_of(10));
    EXPECT_TRUE(agreement.given_up());
    EXPECT_NE(agreement.trouble().find("gone on in logical time without this node"), std::string::npos);
}

/// An answer to what one before has said, or to one before.
TEST_F(AgreementTest, a_life_is_not_given_up_with_the_one_before) {
    hear(refusal_of(9));
    hear({.step = wire::ViewStep::kRefused, .view = 3, .ballot = 1 << 16});
    EXPECT_FALSE(agreement.given_up());
}

}  // namespace isoplane::test
