// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include "run/escalation.hh"

namespace isoplane::run {
namespace {

using namespace std::chrono_literals;
using Step = Escalation::Step;

const Clock::time_point kStart{1h};

TEST(Escalation, waits_then_terminates_then_kills_each_once) {
    Escalation escalation(5s);
    EXPECT_EQ(escalation.next(), std::nullopt);
    EXPECT_EQ(escalation.due(kStart), Step::kNone);
    escalation.wait(kStart);
    EXPECT_EQ(escalation.next(), kStart + 5s);
    EXPECT_EQ(escalation.due(kStart + 4s), Step::kNone);
    EXPECT_EQ(escalation.due(kStart + 5s), Step::kTerminate);
    EXPECT_EQ(escalation.due(kStart + 9s), Step::kNone);
    EXPECT_EQ(escalation.due(kStart + 10s), Step::kKill);
    EXPECT_EQ(escalation.due(kStart + 100s), Step::kNone);
    EXPECT_EQ(escalation.next(), std::nullopt);
}

TEST(Escalation, does_not_wait_longer_for_a_second_failure) {
    Escalation escalation(5s);
    escalation.wait(kStart);
    escalation.wait(kStart + 3s);
    EXPECT_EQ(escalation.next(), kStart + 5s);
}

TEST(Escalation, never_goes_back) {
    Escalation escalation(5s);
    escalation.kill(kStart);
    escalation.terminate(kStart);
    escalation.wait(kStart);
    EXPECT_EQ(escalation.due(kStart), Step::kKill);
    escalation.kill(kStart);
    escalation.terminate(kStart);
    EXPECT_EQ(escalation.due(kStart + 1h), Step::kNone);
}

TEST(Escalation, terminates_at_once_when_told_to) {
    Escalation escalation(5s);
    escalation.wait(kStart);
    escalation.terminate(kStart + 1s);
    EXPECT_EQ(escalation.due(kStart + 1s), Step::kTerminate);
    EXPECT_EQ(escalation.next(), kStart + 6s);
}

}  // namespace
}  // namespace isoplane::run
