// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "runtime_directory.hh"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

namespace isoplane::runtime {
namespace {

/// The directories of all are in one that is gone after the test.
class RuntimeDirectories : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "runtime-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        parent_ = pattern;
        setenv("RUNTIME_DIRECTORY", parent_.c_str(), 1);
    }
    void TearDown() override {
        unsetenv("RUNTIME_DIRECTORY");
        std::filesystem::remove_all(parent_);
    }
    /// What a killed process leaves.
    std::filesystem::path left(const std::string& name) const {
        const auto path = parent_ / "dpdk" / name;
        std::filesystem::create_directories(path);
        std::ofstream(path / "socket");
        return path;
    }

    std::filesystem::path parent_;
};

TEST_F(RuntimeDirectories, is_there_as_long_as_it_is_used) {
    std::filesystem::path path;
    {
        const RuntimeDirectory own("isoplane-1");
        path = own.path();
        EXPECT_EQ(path, parent_ / "dpdk" / "isoplane-1");
        std::ofstream(path / "socket");
        EXPECT_TRUE(std::filesystem::exists(path));
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(RuntimeDirectories, what_the_killed_left_goes_and_what_somebody_has_stays) {
    const auto gone = left("isoplane-7");
    const auto strange = left("isoplane-x7");
    const auto foreign = left("rte");
    const RuntimeDirectory own("isoplane-1");
    const RuntimeDirectory of_another("isoplane-2");
    own.sweep("isoplane-");
    EXPECT_FALSE(std::filesystem::exists(gone));
    EXPECT_TRUE(std::filesystem::exists(own.path()));
    EXPECT_TRUE(std::filesystem::exists(of_another.path()));
    EXPECT_TRUE(std::filesystem::exists(strange));
    EXPECT_TRUE(std::filesystem::exists(foreign));
}

TEST_F(RuntimeDirectories, goes_with_the_last_of_those_that_have_the_same) {
    auto one = std::make_unique<RuntimeDirectory>("isoplane-1");
    auto other = std::make_unique<RuntimeDirectory>("isoplane-1");
    const auto path = one->path();
    one.reset();
    EXPECT_TRUE(std::filesystem::exists(path));
    other.reset();
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(RuntimeDirectories, a_forked_child_leaves_its_parents) {
    auto own = std::make_unique<RuntimeDirectory>("isoplane-1");
    const pid_t child = fork();
    if (child == 0) {
        own.reset();
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    EXPECT_TRUE(std::filesystem::exists(own->path()));
}

TEST_F(RuntimeDirectories, is_never_swept_between_made_and_locked) {
    const RuntimeDirectory own("isoplane-1");
    std::atomic<bool> is_over = false;
    std::thread sweeper([&] {
        while (!is_over)
            own.sweep("isoplane-");
    });
    int there = 0;
    for (int i = 0; i < 1000; ++i)
        there += std::filesystem::exists(RuntimeDirectory("isoplane-2").path()) ? 1 : 0;
    EXPECT_EQ(there, 1000);
    is_over = true;
    sweeper.join();
}

TEST_F(RuntimeDirectories, is_not_waited_for_where_a_stranger_has_it_or_it_leads_nowhere) {
    const auto taken = left("isoplane-1");
    const int stranger = open(taken.c_str(), O_RDONLY | O_DIRECTORY);
    ASSERT_EQ(flock(stranger, LOCK_EX), 0);
    { const RuntimeDirectory own("isoplane-1"); }
    EXPECT_TRUE(std::filesystem::exists(taken));
    close(stranger);
    std::filesystem::create_directory_symlink(parent_ / "nowhere", parent_ / "dpdk" / "isoplane-2");
    const RuntimeDirectory nowhere("isoplane-2");
    EXPECT_FALSE(std::filesystem::exists(nowhere.path()));
}

TEST_F(RuntimeDirectories, where_there_can_be_none_nothing_is_held) {
    setenv("RUNTIME_DIRECTORY", "/proc/none", 1);
    const RuntimeDirectory none("isoplane-1");
    EXPECT_FALSE(std::filesystem::exists(none.path()));
}

}  // namespace
}  // namespace isoplane::runtime
