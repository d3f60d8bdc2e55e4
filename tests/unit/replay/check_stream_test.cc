// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "checked.hh"

namespace isoplane::test {
namespace {

TEST(StreamChecker, finds_an_acknowledgement_of_a_stream_that_begins_later) {
    auto frames = good();
    frames.insert(frames.begin() + 2, ack(1, 0, 5, 7));
    expect_found(frames, 3, "frame 2 from node 0 to node 1 is acknowledged, but not in the trace");
}

TEST(StreamChecker, finds_what_is_acknowledged_out_of_turn_and_was_never_sent) {
    auto frames = good();
    const auto select = [](std::uint64_t bits) {
        return frame({.kind = wire::Kind::kAck,
                      .source = 1,
                      .destination = 0,
                      .ack = 2,
                      .credit = 9,
                      .selective = bits});
    };
    frames.push_back(data(0, 1, 3, words("behind a gap")));
    frames.push_back(select(1));
    EXPECT_FALSE(found_in(frames));
    frames.push_back(select(5));
    expect_found(frames, 10,
                 "frame 5 from node 0 to node 1 is acknowledged out of turn, but not in the trace");
    frames.push_back(data(0, 1, 5, words("seen a little later")));
    EXPECT_FALSE(found_in(frames));
}

TEST(StreamChecker, finds_more_acknowledged_than_granted_and_more_granted_than_there_is_room) {
    auto frames = good();
    frames.push_back(ack(1, 0, 2, 1));
    expect_found(frames, 8, "2 frames from node 0 to node 1 are acknowledged, and 1 were granted");
    frames.back() = ack(1, 0, 2, 10);
    expect_found(frames, 8, "10 frames from node 0 to node 1 are granted where 2 have arrived");
}

TEST(NeverBack, finds_what_goes_back_when_nothing_can_have_held_it_back_for_so_long) {
    using namespace std::chrono_literals;
    replay::NeverBack number;
    constexpr std::uint64_t kLater = replay::kReordered + 2;
    EXPECT_FALSE(number.add({1, 0s}, 5));
    EXPECT_FALSE(number.add({kLater, 1ms}, 4)) << "too soon";
    EXPECT_FALSE(number.add({1000, 1s}, 4)) << "too few frames behind";
    EXPECT_FALSE(number.add({kLater, 1s}, 6));
    EXPECT_FALSE(number.add({kLater + 1, 1s}, 5)) << "what is more has just been said";
    EXPECT_EQ(number.add({kLater + 2, 1s}, 4), 5U);
    EXPECT_EQ(number.add({2 * kLater, 2s}, 5), 6U);
}

TEST(NeverBack, counts_round) {
    using namespace std::chrono_literals;
    replay::NeverBack number;
    EXPECT_FALSE(number.add({1, 0s}, UINT32_MAX));
    EXPECT_FALSE(number.add({100000, 1s}, 2));
    EXPECT_EQ(number.add({200000, 2s}, UINT32_MAX), 2U);
}

/// The same frames, with something else behind them that is said a second later.
std::optional<replay::Violation> found_much_later(const Bytes& last) {
    replay::Checker checker;
    auto frames = good();
    for (std::uint64_t i = 0; i <= replay::kReordered; ++i)
        frames.push_back(frame({.kind = wire::Kind::kBye, .source = 2, .destination = 0}));
    frames.push_back(last);
    for (const Bytes& each : frames)
        checker.see({.bytes = each,
                     .when = std::chrono::seconds{&each == &frames.back() ? 1 : 0},
                     .length = static_cast<std::uint32_t>(each.size())});
    checker.finish();
    return checker.violation();
}

TEST(StreamChecker, finds_acknowledgements_and_credit_that_go_back) {
    EXPECT_FALSE(found_much_later(ack(1, 0, 2, 9)));
    EXPECT_FALSE(found_much_later(good()[5])) << "the fabric had it for so long";
    const auto acknowledged = found_much_later(ack(1, 0, 1, 8));
    ASSERT_TRUE(acknowledged);
    EXPECT_NE(acknowledged->sentence.find("from node 0 to node 1 goes back, to 1 from 2"), std::string::npos);
    const auto credit = found_much_later(ack(1, 0, 2, 7));
    ASSERT_TRUE(credit);
    EXPECT_NE(credit->sentence.find("from node 0 to node 1 goes back, to 7 from 8"), std::string::npos);
}

}  // namespace
}  // namespace isoplane::test
