// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "run/parts.hh"

namespace isoplane::run {
namespace {

using Words = std::vector<std::string>;

CommandLine divided(std::vector<const char*> words) {
    return divide(words);
}

std::vector<Part> parts(std::initializer_list<unsigned> ranks) {
    std::vector<Part> all;
    for (const unsigned n : ranks)
        all.push_back({n, {"program"}, {}});
    return all;
}

TEST(Divide, tells_options_from_the_program) {
    const CommandLine line = divided({"run", "-n", "3", "--", "prog", "-n", "--", "x"});
    EXPECT_EQ(line.options, (Words{"run", "-n", "3"}));
    ASSERT_EQ(line.parts.size(), 1U);
    EXPECT_EQ(line.parts[0].words, (Words{"prog", "-n", "--", "x"}));
}

TEST(Divide, finds_further_parts) {
    const CommandLine line =
        divided({"run", "--", "a", "1", ":", "-n", "2", "--", "b", ":", "--", "c", "::"});
    ASSERT_EQ(line.parts.size(), 3U);
    EXPECT_EQ(line.parts[0].words, (Words{"a", "1"}));
    EXPECT_EQ(line.parts[1].words, (Words{"b"}));
    EXPECT_EQ(line.parts[1].ranks, 2U);
    EXPECT_EQ(line.parts[2].words, (Words{"c", "::"}));
    EXPECT_EQ(line.parts[2].ranks, 0U);
}

TEST(Divide, finds_no_part_without_dashes) {
    EXPECT_TRUE(divided({"run", "--help"}).parts.empty());
}

TEST(Divide, refuses_parts_that_are_none) {
    EXPECT_THROW(divided({"run", "--"}), std::invalid_argument);
    EXPECT_THROW(divided({"run", "--", ":", "--", "b"}), std::invalid_argument);
    EXPECT_THROW(divided({"run", "--", "a", ":"}), std::invalid_argument);
    EXPECT_THROW(divided({"run", "--", "a", ":", "b"}), std::invalid_argument);
    EXPECT_THROW(divided({"run", "--", "a", ":", "-n", "--", "b"}), std::invalid_argument);
    EXPECT_THROW(divided({"run", "--", "a", ":", "-n", "0", "--", "b"}), std::invalid_argument);
    EXPECT_THROW(divided({"run", "--", "a", ":", "-n", "-1", "--", "b"}), std::invalid_argument);
    EXPECT_THROW(divided({"run", "--", "a", ":", "-m", "1", "--", "b"}), std::invalid_argument);
}

TEST(CountRanks, gives_one_part_what_the_others_leave) {
    auto all = parts({2, 0, 1});
    count_ranks(all, 5);
    EXPECT_EQ(all[1].ranks, 2U);
}

TEST(CountRanks, refuses_what_does_not_fit_the_topology) {
    for (const std::size_t hosts : {2U, 4U}) {
        auto all = parts({3});
        EXPECT_THROW(count_ranks(all, hosts), std::invalid_argument) << hosts;
    }
    auto two_open = parts({0, 0});
    EXPECT_THROW(count_ranks(two_open, 4), std::invalid_argument);
    auto nothing_left = parts({4, 0});
    EXPECT_THROW(count_ranks(nothing_left, 4), std::invalid_argument);
}

TEST(CountRanks, needs_every_number_without_a_topology) {
    auto open = parts({3, 0});
    EXPECT_THROW(count_ranks(open, 0), std::invalid_argument);
    auto counted = parts({3, 2});
    EXPECT_NO_THROW(count_ranks(counted, 0));
}

TEST(CountRanks, knows_a_limit) {
    auto most = parts({kMaxRanks - 1, 1});
    EXPECT_NO_THROW(count_ranks(most, 0));
    auto more = parts({kMaxRanks, 1});
    EXPECT_THROW(count_ranks(more, 0), std::invalid_argument);
    auto far_more = parts({0});
    EXPECT_THROW(count_ranks(far_more, 60000), std::invalid_argument);
}

TEST(FindProgram, looks_along_the_path) {
    EXPECT_TRUE(find_program("sh").ends_with("/sh"));
    EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
    EXPECT_THROW(find_program("no-such-program"), std::invalid_argument);
    EXPECT_THROW(find_program("/no/such/program"), std::invalid_argument);
    EXPECT_THROW(find_program("/"), std::invalid_argument);
    EXPECT_THROW(find_program(""), std::invalid_argument);
}

TEST(FindProgram, looks_along_the_path_first) {
    char directory[] = "/tmp/isoplane-programs.XXXXXX";
    ASSERT_NE(mkdtemp(directory), nullptr);
    const std::string further = directory;
    for (const char* name : {"sh", "example", "text"}) {
        const std::string file = further + "/" + name;
        std::ofstream(file) << "#!/bin/sh\n";
        if (file.ends_with("text")) continue;
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    }
    EXPECT_EQ(find_program("example", {"/no/such/directory", further}), further + "/example");
    EXPECT_EQ(find_program("sh", {further}), find_program("sh"));
    EXPECT_THROW(find_program("text", {further}), std::invalid_argument);
    EXPECT_THROW(find_program("example"), std::invalid_argument);
    std::filesystem::remove_all(further);
}

}  // namespace
}  // namespace isoplane::run
