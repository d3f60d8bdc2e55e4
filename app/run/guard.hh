// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <sys/types.h>

#include <string>

namespace isoplane::run {

/// Leaves nothing of a job behind, however the launcher ends.
///
/// A process of its own session, joined to the launcher by a pipe. When the last writer of that pipe is gone
/// it kills the groups of all processes of the job, removes the interfaces made for it and its directory, and
/// ends. The launcher's own end goes the same way: there is no other. The directory is of its making, as the
/// launcher may be killed between any two steps.
class Guard {
  public:
    /// Forks it, which makes a directory by mkdtemp()'s kind of pattern; call this while the process has one
    /// thread. Throws std::runtime_error.
    explicit Guard(const std::string& pattern);
    ~Guard() { finish(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

    const std::string& directory() const { return directory_; }

    /// Has the group of the process that calls this killed in the end. May be called between fork and exec.
    void enter_group() const noexcept;
    /// Has an interface of the kernel removed in the end; say so before making it.
    void enter_interface(const std::string& name) const;

    /// The pipe. A process that inherits it is waited for: it may be making what is to be removed.
    int lifeline() const { return lifeline_; }

    /// Lets it do its work and waits for its end. False when it could not be done.
    bool finish();

  private:
    std::string directory_{};
    int lifeline_ = -1;
    pid_t pid_ = -1;
};

}  // namespace isoplane::run
