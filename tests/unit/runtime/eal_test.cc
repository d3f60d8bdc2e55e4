// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>
#include <isoplane/runtime/eal.hh>
#include <stdexcept>

namespace isoplane::runtime {
namespace {

bool has(const std::vector<std::string>& args, const std::string& arg) {
    return std::find(args.begin(), args.end(), arg) != args.end();
}

std::string after(const std::vector<std::string>& args, const std::string& arg) {
    return *std::next(std::find(args.begin(), args.end(), arg));
}

TEST(Eal, takes_no_nic_unless_asked) {
    EXPECT_TRUE(has(Eal::arguments({}, false), "--no-pci"));
    const auto args = Eal::arguments({.pci = {"0000:00:05.0"}}, false);
    EXPECT_FALSE(has(args, "--no-pci"));
    EXPECT_EQ(after(args, "-a"), "0000:00:05.0");
}

TEST(Eal, shares_nothing_with_other_processes) {
    EXPECT_TRUE(has(Eal::arguments({}, false), "--no-huge"));
    EXPECT_TRUE(has(Eal::arguments({}, false), "--no-shconf"));
    EXPECT_TRUE(has(Eal::arguments({}, true), "--in-memory"));
    EXPECT_FALSE(has(Eal::arguments({}, true), "--no-huge"));
}

TEST(Eal, pins_workers_only_to_cpus_that_were_named) {
    const std::string floating = after(Eal::arguments({.workers = 2}, false), "--lcores");
    EXPECT_NE(floating.find("1@("), std::string::npos) << floating;
    const std::string pinned = after(Eal::arguments({.workers = 2, .cpus = {0}}, false), "--lcores");
    EXPECT_NE(pinned.find(",1@0,2@0"), std::string::npos) << pinned;
}

TEST(Eal, passes_further_arguments_last) {
    EXPECT_EQ(Eal::arguments({.extra = {"--iova-mode=va"}}, false).back(), "--iova-mode=va");
}

TEST(Eal, says_how_to_get_the_huge_pages_that_are_missing) {
    try {
        Eal({.memory_mb = 1U << 30, .hugepages = Hugepages::kAlways});
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("nr_hugepages"), std::string::npos) << error.what();
    }
}

TEST(Eal, reads_when_to_use_huge_pages) {
    EXPECT_EQ(parse_hugepages("auto"), Hugepages::kAuto);
    EXPECT_EQ(parse_hugepages("on"), Hugepages::kAlways);
    EXPECT_EQ(parse_hugepages("off"), Hugepages::kNever);
    EXPECT_THROW(parse_hugepages("maybe"), std::invalid_argument);
}

}  // namespace
}  // namespace isoplane::runtime
