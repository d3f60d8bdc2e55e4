// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/niu/epoch.hh>

namespace isoplane::test {

/// A hello that names the low half 0 is of one that does not know whom it greets.
TEST(Epoch, has_no_low_half_of_0_and_grows_with_every_sixteenth_of_a_second) {
    std::uint32_t before = niu::epoch_at(28'000'000'000);
    for (std::uint64_t i = 1; i <= 200'000; ++i) {
        const std::uint32_t epoch = niu::epoch_at(28'000'000'000 + i);
        ASSERT_NE(static_cast<std::uint16_t>(epoch), 0) << i;
        ASSERT_GT(static_cast<std::int32_t>(epoch - before), 0) << i;
        before = epoch;
    }
}

TEST(Epoch, is_followed_by_one_that_has_none_either) {
    EXPECT_EQ(niu::next_epoch(5), 6U);
    EXPECT_EQ(niu::next_epoch(0x1ffff), 0x20001U);
    EXPECT_EQ(niu::next_epoch(UINT32_MAX), 1U);
}

}  // namespace isoplane::test
