// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "descriptor.hh"
#include "guard.hh"

namespace isoplane::run {

/// What a process is started with.
struct Launch {
    std::string path;
    std::vector<std::string> words;
    std::vector<std::string> environment;
    int input = -1;   ///< a descriptor for its standard input; none: /dev/null
    std::string fed;  ///< what it reads there first, through a pipe that stays open as long as the job
};

/// A process of the job and what it writes. It leads a group of its own, is killed when the launcher ends,
/// and is in the guard's book before it runs.
class Child {
  public:
    /// Starts it with the signal mask given. Throws std::runtime_error when it does not come to run.
    Child(const Launch& launch, const Guard& guard, const sigset_t& mask);
    Child(Child&&) = default;
    Child& operator=(Child&&) = default;

    Descriptor& out() { return out_; }
    Descriptor& err() { return err_; }
    const Descriptor& out() const { return out_; }
    const Descriptor& err() const { return err_; }

    /// Sends a signal to its whole group.
    void send(int number) const { kill(-pid_, number); }
    /// Asks the kernel. An ended process is not reaped, so that its pid, by which its group goes, is nobody
    /// else's as long as the launcher lives.
    bool has_ended();
    /// How it ended, as from waitpid(); once it has.
    const std::optional<int>& status() const { return status_; }

  private:
    pid_t pid_ = -1;
    Descriptor out_;
    Descriptor err_;
    std::optional<int> status_;
};

/// "exited with 3", "was killed by signal 11 (Segmentation fault)".
std::string how_it_ended(int status);

}  // namespace isoplane::run
