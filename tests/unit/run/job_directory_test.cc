// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "run/job_directory.hh"

namespace isoplane::run {
namespace {

TEST(JobDirectory, is_below_that_of_the_user_where_it_can_be_looked_at) {
    const std::string own = "/tmp/isoplane-own-" + std::to_string(getpid());
    setenv("XDG_RUNTIME_DIR", own.c_str(), 1);
    std::filesystem::create_directory(own);
    EXPECT_EQ(JobDirectory::pattern(), own + "/isoplane-run-XXXXXX");
    std::filesystem::remove(own);
    std::filesystem::create_symlink(own, own);  // nobody can follow it, also not root
    EXPECT_EQ(JobDirectory::pattern(), "/tmp/isoplane-run-XXXXXX");
    std::filesystem::remove(own);
    unsetenv("XDG_RUNTIME_DIR");
}

}  // namespace
}  // namespace isoplane::run
