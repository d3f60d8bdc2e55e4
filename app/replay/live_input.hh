// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <utility>

namespace isoplane::replay {

/// A trace that another program may still write, as a stream for libpcap. Before a read waits for more, and
/// now and then while it does, its reader is asked whether it is to go on, and can send what it has.
class LiveInput {
  public:
    /// Whether a read of that file may wait: it is a pipe or the like. "-" is standard input.
    static bool is(const std::string& file);

    LiveInput() = default;
    ~LiveInput();
    LiveInput(const LiveInput&) = delete;
    LiveInput& operator=(const LiveInput&) = delete;

    /// A stream over the file, which its caller closes; nullptr, with errno, when there is none. One that was
    /// opened before is not read any more.
    std::FILE* open(const std::string& file);

    /// Asks it while a read waits. The read fails when it says no, and when it throws.
    void while_waiting(std::function<bool()> goes_on) { goes_on_ = std::move(goes_on); }

    /// Whether a read has failed because it was not to go on.
    bool given_up() const noexcept { return given_up_; }

    /// After a read has failed: throws what made it fail.
    void rethrow();

  private:
    static ssize_t read(void* self, char* to, std::size_t room) noexcept;
    bool await() noexcept;

    int fd_ = -1;
    bool given_up_ = false;
    std::function<bool()> goes_on_{};
    std::exception_ptr thrown_{};  ///< on its way around libpcap, which knows no exceptions
};

}  // namespace isoplane::replay
