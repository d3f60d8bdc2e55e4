// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace isoplane::runtime {

/// The directory of one process for rte_telemetry's socket and such, where the EAL makes it, which finds it
/// there. A lock on it says that somebody lives: of a process in another namespace of pids, nobody here has
/// the pid. Who is killed leaves theirs, and the next that starts removes it.
class RuntimeDirectory {
  public:
    /// Where there cannot be one it is the EAL that says why.
    explicit RuntimeDirectory(std::string name);
    /// Removes it, unless this is a child that was forked.
    ~RuntimeDirectory();
    RuntimeDirectory(const RuntimeDirectory&) = delete;
    RuntimeDirectory& operator=(const RuntimeDirectory&) = delete;

    /// What begins with `prefix`, then has a number, and nobody holds.
    void sweep(const std::string& prefix) const;

    const std::filesystem::path& path() const noexcept { return path_; }

  private:
    std::filesystem::path path_;
    int file_ = -1;
    pid_t owner_ = getpid();
};

}  // namespace isoplane::runtime
