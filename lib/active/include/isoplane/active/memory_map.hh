// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace isoplane::active {

/// What memory this process has. An address that comes from elsewhere and means nothing here is then an
/// error, and not the end of the program.
///
/// It is read anew when something is not in it; memory that has been given back since is taken for there.
class MemoryMap {
  public:
    bool is_readable(std::uintptr_t at, std::size_t size) noexcept { return has(at, size, false); }
    bool is_writable(std::uintptr_t at, std::size_t size) noexcept { return has(at, size, true); }

  private:
    /// One piece, all of which may be read; none touches the next that may be as much.
    struct Range {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        bool writable = false;
    };

    bool has(std::uintptr_t at, std::size_t size, bool writable) noexcept;
    bool covers(std::uintptr_t at, std::size_t size, bool writable) noexcept;
    void read() noexcept;

    std::vector<Range> ranges_;  ///< by address
    std::size_t last_ = 0;       ///< found: mostly it is that again
};

}  // namespace isoplane::active
