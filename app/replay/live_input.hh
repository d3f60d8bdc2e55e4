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

/// A trace that another program may still write, as a stream for libpcap. Before a read waits for more, its
/// reader is told, and can send what it has.
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

    /// Calls it before a read waits. What it throws fails the read.
    void before_waiting(std::function<void()> call) { before_waiting_ = std::move(call); }

    /// After a read has failed: throws what made it fail.
    void rethrow();

  private:
    static ssize_t read(void* self, char* to, std::size_t room) noexcept;
    bool await() noexcept;

    int fd_ = -1;
    std::function<void()> before_waiting_{};
    std::exception_ptr thrown_{};  ///< on its way around libpcap, which knows no exceptions
};

}  // namespace isoplane::replay
