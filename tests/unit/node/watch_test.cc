// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "node/watch.hh"

#include <gtest/gtest.h>

namespace isoplane::node {
namespace {

using namespace std::chrono_literals;

class WatchTest : public testing::Test {
  protected:
    /// What is said of this trouble when it is looked at a second later.
    std::string said_of(const std::string& trouble) {
        trouble_ = trouble;
        testing::internal::CaptureStderr();
        watch_.look(now_ += 1s);
        return testing::internal::GetCapturedStderr();
    }

    std::string trouble_;
    unsigned asked_ = 0;
    Watch watch_;
    Watch::Clock::time_point now_ = Watch::Clock::now();
};

}  // namespace

TEST_F(WatchTest, says_a_trouble_once_and_that_it_is_over) {
    watch_.add(
        "clock", [this] { return trouble_; }, "it goes on");
    EXPECT_EQ(said_of(""), "");
    EXPECT_EQ(said_of("it stands"), "isoplane node: clock: it stands\n");
    EXPECT_EQ(said_of("it stands"), "");
    EXPECT_EQ(said_of("it has fallen"), "isoplane node: clock: it has fallen\n");
    EXPECT_EQ(said_of(""), "isoplane node: clock: it goes on\n");
    EXPECT_EQ(said_of(""), "");
}

TEST_F(WatchTest, does_not_ask_all_the_time) {
    const auto count = [this] {
        ++asked_;
        return std::string();
    };
    watch_.add("clock", count, "it goes on");
    for (unsigned i = 0; i < 1000; ++i)
        watch_.look(now_ + i * 1ms);
    EXPECT_EQ(asked_, 10U);
}

}  // namespace isoplane::node
