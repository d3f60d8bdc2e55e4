// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <sanitizer/allocator_interface.h>

#include <cstddef>
#include <cstdlib>

namespace isoplane::fuzz {

/// Memory that has been taken since this was made. What others say must not make it grow without end: they
/// can say it again.
class Heap {
  public:
    void check() const {
        if (__sanitizer_get_current_allocated_bytes() > before_ + kMost) std::abort();
    }

  private:
    static constexpr std::size_t kMost = 1U << 18;  ///< more than any of the machines takes

    std::size_t before_ = __sanitizer_get_current_allocated_bytes();
};

/// How often a frame is said again to see that.
constexpr unsigned kAgain = 4096;

}  // namespace isoplane::fuzz
