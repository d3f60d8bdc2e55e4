// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace isoplane::test {

inline std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// The part of all seeds that this process tries; others may try theirs beside it.
struct Shard {
    std::uint64_t index = 1;  ///< counts from 1
    std::uint64_t count = 1;

    bool has(std::uint64_t seed) const { return seed % count == index % count; }
};

/// ISOPLANE_SHARD=I/N in the environment: every Nth seed. All of them when that is not set.
inline Shard shard() {
    const char* text = std::getenv("ISOPLANE_SHARD");
    if (text == nullptr) return {};
    char* slash = nullptr;
    const std::uint64_t index = std::strtoull(text, &slash, 10);
    const std::uint64_t count = *slash == '/' ? std::strtoull(slash + 1, nullptr, 10) : 0;
    if (index == 0 || index > count) {
        ADD_FAILURE() << "ISOPLANE_SHARD=" << text << " is no part of a whole: write I/N, as 1/2";
        return {};
    }
    return {index, count};
}

/// Failed assertions of the test that runs.
inline int failures_so_far() {
    const testing::TestResult& result = *testing::UnitTest::GetInstance()->current_test_info()->result();
    int failures = 0;
    for (int i = 0; i < result.total_part_count(); ++i)
        failures += result.GetTestPartResult(i).failed() ? 1 : 0;
    return failures;
}

/// The command that does with this seed exactly what the test that runs has just done.
inline std::string replay_of(std::uint64_t seed) {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    return "ISOPLANE_SEED=" + std::to_string(seed) + ' ' +
           std::filesystem::read_symlink("/proc/self/exe").string() +
           " --gtest_filter=" + test.test_suite_name() + '.' + test.name();
}

/// Checks `property(seed)` for `count` seeds, with gtest's EXPECT and ASSERT inside. A seed that fails is
/// named with the command that replays it; after the third no more are tried.
///
/// ISOPLANE_SEEDS=N in the environment tries N seeds instead, ISOPLANE_MOST_SEEDS=N no more than N unless
/// that is set, ISOPLANE_SEED=K replays seed K alone, and ISOPLANE_SHARD=I/N tries an Nth of them.
template <typename Property>
void for_each_seed(std::uint64_t count, Property&& property) {
    constexpr unsigned kEnough = 3;
    const bool replay = std::getenv("ISOPLANE_SEED") != nullptr;
    const std::uint64_t first = number_from_environment("ISOPLANE_SEED", 1);
    const std::uint64_t usual = std::min(count, number_from_environment("ISOPLANE_MOST_SEEDS", count));
    const std::uint64_t last = replay ? first : number_from_environment("ISOPLANE_SEEDS", usual);
    const Shard part = replay ? Shard{} : shard();
    if (last < first + part.index - 1) GTEST_SKIP() << "there are fewer seeds than shards";
    unsigned failed = 0;
    for (std::uint64_t seed = first; seed <= last && failed < kEnough; ++seed) {
        if (!part.has(seed)) continue;
        SCOPED_TRACE("seed " + std::to_string(seed) + ": replay with  " + replay_of(seed));
        const int before = failures_so_far();
        property(seed);
        if (failures_so_far() != before) ++failed;
    }
}

}  // namespace isoplane::test
