// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/wire/frame.hh>

#include "agreement_bench.hh"

namespace isoplane::test {

/// Host 0 has started again, and is told that the others have gone on.
class Stranger : public AgreementTest {
  protected:
    static constexpr std::uint32_t kBallot = 1U << 16;

    /// Of earlier lives, as those who are in it say.
    static wire::View of_old_lives(std::uint32_t number) {
        wire::View made = view(number, 100, 200);
        for (wire::Member& member : made.members)
            member.epoch -= 5;
        return made;
    }
    /// What new lives of the others say of its ballot, in no view.
    void answer_anew(wire::ViewStep step) {
        niu.poll(now);
        for (const NodeId node : {NodeId{1}, NodeId{2}, NodeId{3}})
            agreement.on_view(node, 10U + node, {.step = step, .ballot = kBallot});
        pass(1ms);
    }
    /// What this node has said since the last time.
    std::vector<wire::ViewMessage> said() {
        niu.poll(now);
        std::vector<wire::ViewMessage> all;
        runtime::Burst burst;
        while (const std::uint16_t n = out.input().receive(burst)) {
            for (std::uint16_t i = 0; i < n; ++i) {
                const auto frame = wire::decode(
                    runtime::Packet::bytes_of(burst[i]),
                    {.job_key = niu.options().job_key, .node = wire::kBroadcast, .node_count = 4});
                if (frame && frame.header.kind == wire::Kind::kView)
                    all.push_back(*wire::decode_view(frame.payload, 4));
                rte_pktmbuf_free(burst[i]);
            }
        }
        return all;
    }
    std::size_t times_said(wire::ViewStep step) {
        const std::vector<wire::ViewMessage> all = said();
        return static_cast<std::size_t>(std::ranges::count(all, step, &wire::ViewMessage::step));
    }
};

/// All who were in it may be gone by now; the others begin anew.
TEST_F(Stranger, promises_all_the_same_to_take_part_in_the_first_view) {
    decide(of_old_lives(3));
    EXPECT_FALSE(described()["frozen"].get<bool>());
    hear({.step = wire::ViewStep::kPrepare, .ballot = 5});
    EXPECT_TRUE(described()["frozen"].get<bool>());
    EXPECT_EQ(times_said(wire::ViewStep::kPromise), 1U);
    hear({.step = wire::ViewStep::kAccept, .ballot = 5, .next = view(1, 0, 0)});
    EXPECT_EQ(times_said(wire::ViewStep::kAccepted), 1U);
    decide(view(1, 0, 0));
    EXPECT_EQ(body.begun, std::vector<std::uint32_t>{1});
}

TEST_F(Stranger, proposes_it_when_nobody_tells_it_of_a_later_one_any_more) {
    for (unsigned i = 0; i < 100; ++i) {
        decide(of_old_lives(3));
        pass_slowly(20ms);
    }
    EXPECT_EQ(described()["proposals"], 0U);
    pass_until_proposed(1);
    answer_anew(wire::ViewStep::kPromise);
    answer_anew(wire::ViewStep::kAccepted);
    EXPECT_EQ(body.begun, std::vector<std::uint32_t>{1});
    EXPECT_EQ(body.view, view(1, 0, 0));
}

/// It may have been decided.
TEST_F(Stranger, keeps_what_it_has_accepted_before) {
    hear({.step = wire::ViewStep::kAccept, .ballot = 5, .next = view(1, 0, 50)});
    decide(of_old_lives(3));
    pass_until_proposed(1);
    answer_anew(wire::ViewStep::kPromise);
    answer_anew(wire::ViewStep::kAccepted);
    EXPECT_EQ(body.view, view(1, 0, 50));
}

TEST_F(Stranger, gives_up_its_own_ballot_when_it_is_told) {
    pass_until_proposed(1);
    decide(of_old_lives(3));
    answer_anew(wire::ViewStep::kPromise);
    answer_anew(wire::ViewStep::kAccepted);
    EXPECT_TRUE(body.begun.empty());
}

TEST_F(Stranger, asks_to_be_let_in_and_is) {
    decide(of_old_lives(3));
    const std::vector<wire::ViewMessage> first = said();
    ASSERT_EQ(first.size(), 4U);
    EXPECT_EQ(first[0].step, wire::ViewStep::kAsk);
    EXPECT_EQ(first[0].next.number, 3U) << "to who has told it";
    pass(100ms);
    EXPECT_EQ(times_said(wire::ViewStep::kAsk), 3U);
    hear({.step = wire::ViewStep::kPrepare, .ballot = 5});
    wire::View next = of_old_lives(4);
    next.members[0].epoch = 10;
    decide(next);
    EXPECT_EQ(body.begun, std::vector<std::uint32_t>{4});
    EXPECT_FALSE(described()["frozen"].get<bool>());
}

/// What comes late of a life that is over does not: host 1 had been in no view as it said that, or in an
/// earlier one.
TEST_F(Stranger, is_let_in_when_it_names_the_view_of_which_it_is_told) {
    decide(view(1, 100, 100));
    decide(without(1, 100, 200));
    const auto say = [&](const wire::ViewMessage& message) {
        niu.poll(now);
        agreement.on_view(1, 11, message);
        pass_slowly(kLimit);
        return times_said(wire::ViewStep::kDecided);
    };
    EXPECT_EQ(say({.step = wire::ViewStep::kAsk}), 1U);
    EXPECT_EQ(say({.step = wire::ViewStep::kPromise, .ballot = 5}), 1U);
    EXPECT_EQ(say({.step = wire::ViewStep::kAsk, .next = {.number = 1}}), 1U);
    EXPECT_EQ(described()["proposals"], 0U);
    EXPECT_EQ(say({.step = wire::ViewStep::kAsk, .next = {.number = 2}}), 0U);
    EXPECT_NE(described()["proposals"], 0U);
}

/// Others may have let it in since, and given it up.
TEST_F(Stranger, is_to_ask_anew_when_views_have_passed_meanwhile) {
    decide(view(1, 100, 100));
    for (const std::uint32_t passed : {2U, 1U}) {
        niu.poll(now);
        agreement.on_view(1, 20, {.step = wire::ViewStep::kAsk, .next = {.number = body.view.number}});
        wire::View next = without(1, 100, 200);
        next.number = body.view.number + passed;
        decide(next);
        pass_slowly(kLimit);
        EXPECT_EQ(described()["proposals"] != 0, passed == 1);
    }
}

/// A token manager that had been stopped says the one again and again.
TEST_F(Stranger, takes_the_first_view_though_it_is_told_of_a_later_one_at_the_same_time) {
    niu.poll(now);
    agreement.on_view(3, 8, {.step = wire::ViewStep::kDecided, .next = of_old_lives(7)});
    agreement.on_view(1, 11, {.step = wire::ViewStep::kDecided, .next = view(1, 0, 0)});
    pass(1ms);
    EXPECT_EQ(body.begun, std::vector<std::uint32_t>{1});
}

/// It proposes again what others have accepted, which names its last life: all who live are to begin.
TEST_F(Stranger, tells_of_a_first_view_that_is_decided_without_it) {
    wire::View last = view(1, 0, 0);
    last.members[0].epoch = 9;
    pass_until_proposed(1);
    for (const NodeId node : {NodeId{1}, NodeId{2}, NodeId{3}})
        hear({.step = wire::ViewStep::kPromise, .ballot = kBallot, .accepted = 5, .next = last}, node);
    answer_anew(wire::ViewStep::kAccepted);
    EXPECT_TRUE(body.begun.empty());
    unsigned told = 0;
    for (const wire::ViewMessage& message : said())
        told += message.step == wire::ViewStep::kDecided && message.next == last ? 1 : 0;
    EXPECT_EQ(told, 3U);
}

}  // namespace isoplane::test
