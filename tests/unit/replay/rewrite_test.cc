// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include "capture/any_frame.hh"
#include "made_frames.hh"
#include "replay/rewrite.hh"

namespace isoplane::test {
namespace {

using replay::Rewrite;

TEST(Rewrite, changes_addresses_and_nothing_else) {
    Bytes bytes = data(0, 1, 0, words("message"));
    const Bytes before = bytes;
    Rewrite{.source = wire::MacAddress{2, 9, 9, 9, 9, 1}, .destination = wire::MacAddress{2, 9, 9, 9, 9, 2}}
        .apply(bytes);
    EXPECT_EQ(bytes[5], std::byte{2});
    EXPECT_EQ(bytes[7], std::byte{9});
    EXPECT_EQ(bytes[11], std::byte{1});
    EXPECT_TRUE(std::equal(bytes.begin() + 12, bytes.end(), before.begin() + 12));
}

TEST(Rewrite, gives_nodes_other_numbers_and_the_checksum_of_them) {
    Rewrite rewrite;
    rewrite.add_node("0=5");
    rewrite.add_node("1=0");
    Bytes bytes = data(0, 1, 3, words("message"));
    rewrite.apply(bytes);
    const auto any = capture::read_any(bytes);
    ASSERT_TRUE(any.decoded) << wire::name(any.decoded.reason);
    EXPECT_EQ(any.decoded.header.source, 5);
    EXPECT_EQ(any.decoded.header.destination, 0);
    EXPECT_EQ(any.decoded.header.sequence, 3U);
}

TEST(Rewrite, leaves_frames_alone_that_it_cannot_read) {
    Rewrite rewrite;
    rewrite.add_node("0=5");
    Bytes damaged = data(0, 1, 3, words("message"));
    damaged[30] ^= std::byte{4};
    Bytes other(60);
    const Bytes damaged_before = damaged;
    const Bytes other_before = other;
    rewrite.apply(damaged);
    rewrite.apply(other);
    EXPECT_EQ(damaged, damaged_before);
    EXPECT_EQ(other, other_before);
}

TEST(Rewrite, refuses_pairs_that_are_none) {
    for (const char* pair : {"", "3", "3=", "=3", "3=x", "3=70000", "-1=2", "1=2=3"})
        EXPECT_THROW(Rewrite{}.add_node(pair), std::invalid_argument) << pair;
    Rewrite twice;
    twice.add_node("1=2");
    EXPECT_THROW(twice.add_node("1=3"), std::invalid_argument);
}

}  // namespace
}  // namespace isoplane::test
