// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace isoplane::runtime {

/// Memory that another process can have too, by a file descriptor: anonymous, gone with its last user, and
/// sealed, so that nobody takes any of it away while another reads it. Ordinary pages, also where there are
/// huge ones.
class SharedMemory {
  public:
    /// Throws std::runtime_error when the system has not got it.
    SharedMemory(const std::string& name, std::size_t size);

    /// Takes over a descriptor that came from another process. Throws std::runtime_error with a sentence
    /// unless it is memory of this kind, of `most` bytes at the most, and all there. It is sealed, so that it
    /// stays there: nobody makes holes in it any more, or maps it to write.
    SharedMemory(int descriptor, std::size_t most);

    ~SharedMemory();
    SharedMemory(SharedMemory&& other) noexcept;
    SharedMemory& operator=(SharedMemory&&) = delete;

    std::span<std::byte> bytes() const noexcept { return bytes_; }
    /// To give to another process; -1 for what came from one.
    int descriptor() const noexcept { return descriptor_; }

  private:
    bool map(std::size_t size, int flags) noexcept;
    void release() noexcept;

    int descriptor_ = -1;
    std::span<std::byte> bytes_;
};

}  // namespace isoplane::runtime
