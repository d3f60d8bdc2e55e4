// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace isoplane::auth {

/// Which of the newest numbers of a sender have been here: a ring of bits that moves with the greatest. The
/// numbers are those of frames to all nodes, of which a receiver sees few, so it is wide.
class ReplayWindow {
  public:
    static constexpr std::uint64_t kNumbers = 8192;  ///< behind the greatest; those before count as seen

    enum class Place : std::uint8_t { kNew, kSeen, kBefore };

    Place place(std::uint64_t number) const noexcept {
        if (number >= end_) return Place::kNew;
        if (end_ - number > kNumbers) return Place::kBefore;
        return (words_[word(number)] & bit(number)) != 0 ? Place::kSeen : Place::kNew;
    }

    /// Only a number that is new, and has been proven.
    void mark(std::uint64_t number) noexcept {
        if (number >= end_) advance(number);
        words_[word(number)] |= bit(number);
    }

    void reset() noexcept {
        words_.fill(0);
        end_ = 0;
    }

  private:
    // One word more than numbers need: that of the greatest number is never also that of the least.
    static constexpr std::size_t kWords = kNumbers / 64 + 1;

    static std::size_t word(std::uint64_t number) noexcept { return number / 64 % kWords; }
    static std::uint64_t bit(std::uint64_t number) noexcept { return std::uint64_t{1} << number % 64; }

    void advance(std::uint64_t number) noexcept {
        const std::uint64_t last = end_ == 0 ? 0 : (end_ - 1) / 64;
        const std::uint64_t fresh = std::min<std::uint64_t>(number / 64 - last, kWords);
        for (std::uint64_t i = 0; i < fresh; ++i)
            words_[(number / 64 - i) % kWords] = 0;
        end_ = number + 1;
    }

    std::array<std::uint64_t, kWords> words_{};
    std::uint64_t end_ = 0;  ///< behind the greatest number that was here
};

}  // namespace isoplane::auth
