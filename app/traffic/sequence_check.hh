// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <bitset>
#include <cstdint>

namespace isoplane::traffic {

/// Follows the numbers of one sender: which came first, again, late, or not at all.
class SequenceCheck {
  public:
    enum class Verdict : std::uint8_t { kInOrder, kLate, kDuplicate };

    /// Numbers may be this far behind the highest and still be told from duplicates; older ones count as
    /// duplicates.
    static constexpr std::uint32_t kWindow = 1U << 16;

    Verdict note(std::uint32_t number) {
        const std::uint64_t n = widen(number);
        if (n >= next_) {
            if (n - next_ >= kWindow) seen_.reset();
            for (std::uint64_t skipped = next_; skipped < n && n - next_ < kWindow; ++skipped) {
                seen_.reset(skipped % kWindow);
            }
            seen_.set(n % kWindow);
            next_ = n + 1;
            ++different_;
            return Verdict::kInOrder;
        }
        if (next_ - n > kWindow || seen_.test(n % kWindow)) return Verdict::kDuplicate;
        seen_.set(n % kWindow);
        if (n >= first_) ++different_;
        return Verdict::kLate;
    }

    std::uint64_t missing() const { return next_ - first_ - different_; }
    /// From here on only numbers above the highest seen can be missing.
    void forget_missing() {
        first_ = next_;
        different_ = 0;
    }

  private:
    /// The number nearest to the next expected whose low half is `number`.
    std::uint64_t widen(std::uint32_t number) const {
        const auto distance = static_cast<std::int32_t>(number - static_cast<std::uint32_t>(next_));
        const auto wide = static_cast<std::int64_t>(next_) + distance;
        return wide < 0 ? number : static_cast<std::uint64_t>(wide);
    }

    std::bitset<kWindow> seen_;
    std::uint64_t next_ = 0;       ///< one above the highest seen
    std::uint64_t first_ = 0;      ///< the lowest that counts as missing
    std::uint64_t different_ = 0;  ///< different numbers seen from that on
};

}  // namespace isoplane::traffic
