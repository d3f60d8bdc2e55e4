// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include "run/labels.hh"

namespace isoplane::run {
namespace {

std::string split(std::initializer_list<std::string_view> reads) {
    LineSplitter lines("[1] ");
    std::string out;
    for (const std::string_view bytes : reads)
        lines.take(bytes, out);
    lines.finish(out);
    return out;
}

TEST(Labels, are_as_wide_as_the_largest_rank) {
    EXPECT_EQ(rank_label(3, 4), "[3] ");
    EXPECT_EQ(rank_label(9, 10), "[9] ");
    EXPECT_EQ(rank_label(9, 11), "[ 9] ");
    EXPECT_EQ(rank_label(10, 11), "[10] ");
    EXPECT_EQ(rank_label(0, 101), "[  0] ");
}

TEST(LineSplitter, labels_every_line_however_it_was_read) {
    EXPECT_EQ(split({"a\nb\n"}), "[1] a\n[1] b\n");
    EXPECT_EQ(split({"a", "\n", "b\nc", "d", "\n"}), "[1] a\n[1] b\n[1] cd\n");
    EXPECT_EQ(split({"\n\n"}), "[1] \n[1] \n");
    EXPECT_EQ(split({}), "");
}

TEST(LineSplitter, holds_a_line_back_until_it_is_whole) {
    LineSplitter lines("");
    std::string out;
    lines.take("begun", out);
    EXPECT_EQ(out, "");
    lines.take("\n", out);
    EXPECT_EQ(out, "begun\n");
}

TEST(LineSplitter, completes_the_last_line) {
    EXPECT_EQ(split({"a\nb"}), "[1] a\n[1] b\n");
}

TEST(LineSplitter, passes_any_byte) {
    using namespace std::string_view_literals;
    EXPECT_EQ(split({"a\0\xff\r\n"sv}), "[1] a\0\xff\r\n"sv);
}

TEST(LineSplitter, breaks_a_line_that_is_too_long) {
    const std::string longest(kLongestLine, 'x');
    const std::string whole = "[1] " + longest + '\n';
    EXPECT_EQ(split({longest, longest, "y"}), whole + whole + "[1] y\n");
    EXPECT_EQ(split({longest.substr(1) + '\n', "y"}), "[1] " + longest.substr(1) + "\n[1] y\n");
}

}  // namespace
}  // namespace isoplane::run
