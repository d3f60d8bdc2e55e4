// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Processes of an MPI launcher that find no node to share.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "world.hh"

namespace isoplane::fi_test {
namespace {

TEST(FiMeetingDeathTest, one_that_has_failed_may_be_tried_again) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto scene = [] {
        namespace fs = std::filesystem;
        std::string pattern = (fs::temp_directory_path() / "isoplane-fi-meeting-XXXXXX").string();
        const fs::path directory = mkdtemp(pattern.data());
        setenv("XDG_RUNTIME_DIR", directory.c_str(), 1);
        setenv("ISOPLANE_CONFIG", "", 1);
        unsetenv("ISOPLANE_LINK");
        setenv("OMPI_COMM_WORLD_RANK", "0", 1);
        setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
        setenv("ISOPLANE", "/bin/false", 1);
        for (int i = 0; i < 2; ++i)
            EXPECT_THROW(World(), std::runtime_error);
        setenv("ISOPLANE_LINK", "null:", 1);
        EXPECT_NO_THROW(World());
        fs::remove_all(directory);
        _exit(testing::Test::HasFailure() ? 1 : 0);
    };
    EXPECT_EXIT(scene(), testing::ExitedWithCode(0), "has ended");
}

}  // namespace
}  // namespace isoplane::fi_test
