// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace isoplane::perf {

/// Numbers that go up, from 0, and mostly come in their order: tells those that have come before. One that
/// comes behind kKept later ones counts as if it had.
class SeenNumbers {
  public:
    static constexpr std::uint64_t kKept = 1 << 20;

    /// Whether it is new.
    bool add(std::uint64_t number) {
        if (number >= next_) {
            const std::uint64_t skipped = std::min(number - next_, kKept);
            for (std::uint64_t i = number - skipped; i < number; ++i)
                seen_[i % kKept] = false;
            next_ = number + 1;
        } else if (next_ - number > kKept || seen_[number % kKept]) {
            return false;
        }
        seen_[number % kKept] = true;
        return true;
    }

  private:
    std::vector<bool> seen_ = std::vector<bool>(kKept);
    std::uint64_t next_ = 0;  ///< behind the highest
};

}  // namespace isoplane::perf
