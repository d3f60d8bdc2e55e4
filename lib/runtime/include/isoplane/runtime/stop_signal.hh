// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

namespace isoplane::runtime {

/// SIGINT and SIGTERM as a file descriptor that becomes readable, so that a control loop can wait for them
/// together with anything else. A second signal ends the process at once, for who cannot wait. SIGPIPE is
/// ignored.
///
/// Create it before any thread starts; all threads inherit the handling.
class StopSignal {
  public:
    StopSignal();
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    int fd() const noexcept;
    /// Once it has been. False where there is none: for who waits and has not been told of one.
    static bool raised() noexcept;
};

/// How a terminal is now, for a second signal to put it back so before it ends the process. One at a time;
/// create it before anything else about the terminal is changed, and change that back before it goes.
class KeptTerminal {
  public:
    explicit KeptTerminal(int fd);
    ~KeptTerminal();
    KeptTerminal(const KeptTerminal&) = delete;
    KeptTerminal& operator=(const KeptTerminal&) = delete;
};

}  // namespace isoplane::runtime
