// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include "traffic/sequence_check.hh"

namespace isoplane::traffic {
namespace {

using Verdict = SequenceCheck::Verdict;
constexpr std::uint32_t kWindow = SequenceCheck::kWindow;

TEST(SequenceCheck, misses_nothing_of_an_unbroken_row) {
    SequenceCheck check;
    for (std::uint32_t n = 0; n < 3 * kWindow; ++n)
        ASSERT_EQ(check.note(n), Verdict::kInOrder) << n;
    EXPECT_EQ(check.missing(), 0U);
}

TEST(SequenceCheck, tells_a_duplicate_from_a_late_one) {
    SequenceCheck check;
    check.note(0);
    check.note(2);
    EXPECT_EQ(check.missing(), 1U);
    EXPECT_EQ(check.note(2), Verdict::kDuplicate);
    EXPECT_EQ(check.note(1), Verdict::kLate);
    EXPECT_EQ(check.note(1), Verdict::kDuplicate);
    EXPECT_EQ(check.missing(), 0U);
}

TEST(SequenceCheck, counts_what_a_sender_lost_before_its_first_frame) {
    SequenceCheck check;
    EXPECT_EQ(check.note(5), Verdict::kInOrder);
    EXPECT_EQ(check.missing(), 5U);
}

TEST(SequenceCheck, misses_only_what_comes_after_the_missing_were_forgotten) {
    SequenceCheck check;
    check.note(0);
    check.note(5);
    check.forget_missing();
    EXPECT_EQ(check.missing(), 0U);
    check.note(6);
    EXPECT_EQ(check.note(3), Verdict::kLate) << "missing before that";
    EXPECT_EQ(check.missing(), 0U);
    check.note(9);
    EXPECT_EQ(check.missing(), 2U);
    EXPECT_EQ(check.note(7), Verdict::kLate);
    EXPECT_EQ(check.missing(), 1U);
}

TEST(SequenceCheck, remembers_a_whole_window) {
    SequenceCheck check;
    check.note(0);
    check.note(kWindow);
    EXPECT_EQ(check.note(1), Verdict::kLate) << "the oldest number inside the window";
    EXPECT_EQ(check.note(0), Verdict::kDuplicate) << "outside it";
}

TEST(SequenceCheck, takes_what_is_older_than_the_window_for_a_duplicate) {
    SequenceCheck check;
    check.note(kWindow + 1);
    EXPECT_EQ(check.note(0), Verdict::kDuplicate) << "never seen, but no longer known";
    EXPECT_EQ(check.missing(), kWindow + 1);
}

TEST(SequenceCheck, forgets_old_numbers_as_the_window_moves_over_their_places) {
    SequenceCheck check;
    check.note(3);
    check.note(kWindow + 2);  // one short of a window further
    EXPECT_EQ(check.note(kWindow + 1), Verdict::kLate);
    check.note(kWindow + 5);
    EXPECT_EQ(check.note(kWindow + 3), Verdict::kLate) << "shares its place with 3";
}

TEST(SequenceCheck, survives_a_leap_over_more_than_a_window) {
    SequenceCheck check;
    for (std::uint32_t n = 0; n < 10; ++n)
        check.note(n);
    check.note(5 * kWindow);
    EXPECT_EQ(check.note(4 * kWindow + 5), Verdict::kLate);
    EXPECT_EQ(check.missing(), 5U * kWindow + 1 - 12);
}

TEST(SequenceCheck, follows_numbers_past_their_32_bits) {
    SequenceCheck check;
    // A leap of less than half the numbers is one ahead; two of them come near the end.
    check.note(0x7fff'ffff);
    check.note(0xffff'fffe);
    const std::uint64_t missing = check.missing();
    EXPECT_EQ(check.note(0xffff'ffff), Verdict::kInOrder);
    EXPECT_EQ(check.note(1), Verdict::kInOrder);
    EXPECT_EQ(check.missing(), missing + 1);
    EXPECT_EQ(check.note(0xffff'ffff), Verdict::kDuplicate);
    EXPECT_EQ(check.note(0), Verdict::kLate);
    EXPECT_EQ(check.missing(), missing);
}

}  // namespace
}  // namespace isoplane::traffic
