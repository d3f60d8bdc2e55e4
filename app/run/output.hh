// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace isoplane::run {

/// What the launcher has to write, to standard output and standard error, in one order for both: so lines
/// stay whole even where both are the same terminal or file. It never blocks, and never makes the descriptors
/// non-blocking, since those are shared with whoever started us.
class Output {
  public:
    /// More than this is not read from ranks before some of it is written.
    static constexpr std::size_t kEnough = std::size_t{4} << 20;

    /// Appends whole lines for the descriptor `fd`.
    void put(int fd, std::string_view lines);

    bool empty() const { return chunks_.empty(); }
    bool full() const { return size_ >= kEnough; }
    /// The descriptor that is written to next; poll it for POLLOUT when not empty().
    int fd() const { return chunks_.front().fd; }

    /// Writes a piece, after poll() said that fd() takes one. Returns 0, or the errno of the failure: then
    /// nobody reads that descriptor, and all for it is dropped from now on.
    int write_some();

  private:
    struct Chunk {
        int fd;
        std::string bytes;
        std::size_t written = 0;
    };
    void drop(int fd);

    std::deque<Chunk> chunks_;
    std::size_t size_ = 0;
    bool gone_[3] = {};  ///< by descriptor
};

}  // namespace isoplane::run
