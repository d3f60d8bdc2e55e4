// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <sanitizer/allocator_interface.h>

#include <cstddef>
#include <cstdlib>

namespace isoplane::fuzz {

/// Says something again and again, and then as often once more. What others say must not make memory grow
/// without end, as they can say it again: the second time it takes none.
template <typename Say>
void repeat(Say&& say) {
    constexpr unsigned kAgain = 512;
    constexpr std::size_t kMost = kAgain * 8;  ///< less than anything that is kept of each
    std::size_t before = 0;
    for (int time = 0; time < 2; ++time) {
        before = __sanitizer_get_current_allocated_bytes();
        for (unsigned i = 0; i < kAgain; ++i)
            say();
    }
    if (__sanitizer_get_current_allocated_bytes() > before + kMost) std::abort();
}

}  // namespace isoplane::fuzz
