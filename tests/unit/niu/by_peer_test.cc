// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/niu/by_peer.hh>
#include <iterator>

namespace isoplane::test {

TEST(Names, are_shared_by_their_copies) {
    const niu::Names names{"a", "", "c"};
    const niu::Names copy = names;
    EXPECT_EQ(&copy[2], &names[2]);
    EXPECT_EQ(copy.places(), names.places());
    EXPECT_EQ(copy.size(), 3U);
    EXPECT_EQ(copy.named(), 2U);
}

TEST(ByPeer, keeps_one_for_each_node_with_a_name_and_one_for_all_others) {
    niu::ByPeer<int> numbers(niu::Names{"a", "", "c", ""});
    numbers[0] = 10;
    numbers[2] = 12;
    numbers[1] = -1;
    EXPECT_EQ(numbers[0], 10);
    EXPECT_EQ(numbers[2], 12);
    EXPECT_EQ(numbers[3], -1);
    EXPECT_EQ(std::distance(numbers.begin(), numbers.end()), 3);
}

TEST(ByPeer, tells_whose_are_their_own) {
    const niu::ByPeer<int> numbers(niu::Names{"a", "", "c"});
    EXPECT_TRUE(numbers.has(0));
    EXPECT_FALSE(numbers.has(1));
    EXPECT_TRUE(numbers.has(2));
    EXPECT_FALSE(numbers.has(3));
}

}  // namespace isoplane::test
