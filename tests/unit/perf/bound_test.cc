// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "perf/bound.hh"

#include <gtest/gtest.h>

#include "perf/batch.hh"
#include "perf/outputs.hh"

namespace isoplane::perf {
namespace {

TEST(Bound, is_the_one_who_never_waits) {
    EXPECT_EQ(bound_of({.full = 0.02, .empty = 0.5}, 0.4).resource, "sender's CPU");
    EXPECT_EQ(bound_of({.full = 0.6, .empty = 0.01}, 0.99).resource, "receiver's CPU");
    EXPECT_EQ(bound_of({.full = 0.02, .empty = 0.05}, 0.4).resource, "both CPUs");
}

TEST(Bound, is_the_links_where_it_carries_no_more) {
    EXPECT_EQ(bound_of({.full = 0.6, .empty = 0.3}, 0.95).resource, "link");
}

TEST(Bound, is_the_windows_where_the_sender_waits_for_it) {
    EXPECT_EQ(bound_of({.windowed = 0.7, .empty = 0.1}, 0.95).resource, "window");
}

TEST(Bound, is_unknown_rather_than_guessed) {
    EXPECT_EQ(bound_of({.full = 0.6, .empty = 0.3}, 0.5).resource, "unknown");
    EXPECT_EQ(bound_of({.full = 0.6, .empty = 0.3}, std::nullopt).resource, "unknown");
}

TEST(Batch, takes_lines_apart_as_a_shell_does) {
    EXPECT_EQ(split("  pair  --size 64,1K\t--link 'ring: a'  # a comment"),
              (Words{"pair", "--size", "64,1K", "--link", "ring: a"}));
    EXPECT_EQ(split("pair --link ring:a#b"), (Words{"pair", "--link", "ring:a#b"}));
    EXPECT_EQ(split("pair --csv \"\""), (Words{"pair", "--csv", ""}));
    EXPECT_TRUE(split("   # nothing").empty());
}

std::string command(std::vector<std::string> words) {
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    return command_of(static_cast<int>(argv.size()), argv.data());
}

TEST(Command, is_what_is_measured_and_not_where_it_is_written_to) {
    EXPECT_EQ(command({"pair", "--json", "-", "--size", "64", "--report=x.html", "--check", "--compare", "a",
                       "--quick"}),
              "isoplane perf pair --size 64 --quick");
}

}  // namespace
}  // namespace isoplane::perf
