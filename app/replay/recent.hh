// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace isoplane::replay {

/// Taps on different lcores write in another order than frames passed, each by as much as it keeps for the
/// writer: what must have come before something may be up to so many frames behind it.
inline constexpr std::uint64_t kReordered = 1 << 16;

/// Whether a number modulo 2^32 comes before another.
constexpr bool before(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a - b) < 0;
}

/// Two numbers as one. What stands for a content that way is never that of an empty slot by its number alone.
constexpr std::uint64_t both(std::uint32_t a, std::uint32_t b) {
    return std::uint64_t{a} << 32 | b;
}

/// What a number that is seen says beside what was seen lately.
enum class Sight : std::uint8_t { kFirst, kAgain, kOther };

/// What was seen lately, by a number that goes up: which content it stood for.
template <std::size_t kSlots>
class RecentOf {
  public:
    /// kOther when the number stood for another content. Numbers that are equal modulo kSlots share a slot;
    /// `slot` is for those of which many would.
    Sight see(std::uint64_t number, std::uint64_t content) { return see(number, content, number); }
    Sight see(std::uint64_t number, std::uint64_t content, std::uint64_t slot) {
        Slot& at = slots_[slot % kSlots];
        if (at.number == number) return at.content == content ? Sight::kAgain : Sight::kOther;
        at = {number, content};
        return Sight::kFirst;
    }
    /// False when the number stood for another content.
    bool add(std::uint64_t number, std::uint64_t content) { return add(number, content, number); }
    bool add(std::uint64_t number, std::uint64_t content, std::uint64_t slot) {
        return see(number, content, slot) != Sight::kOther;
    }
    std::optional<std::uint64_t> find(std::uint64_t number) const {
        const Slot& at = slots_[number % kSlots];
        return at.number == number ? std::optional(at.content) : std::nullopt;
    }

  private:
    struct Slot {
        std::uint64_t number = ~std::uint64_t{0};
        std::uint64_t content = 0;
    };
    std::array<Slot, kSlots> slots_{};
};
using Recent = RecentOf<1024>;

/// Whether a hash was seen lately; now and then it is said of one that was not.
class SeenBefore {
  public:
    bool add(std::uint32_t hash) {
        const std::size_t at = hash % kBits;
        const bool seen = now_[at] || before_[at];
        if (now_[at]) return seen;
        now_[at] = true;
        if (++kept_ == kMost) {
            before_.swap(now_);
            now_.assign(kBits, false);
            kept_ = 0;
        }
        return seen;
    }

  private:
    static constexpr std::size_t kBits = std::size_t{1} << 24;
    static constexpr std::size_t kMost = kBits / 16;

    std::vector<bool> now_ = std::vector<bool>(kBits);     ///< of the last, up to kMost
    std::vector<bool> before_ = std::vector<bool>(kBits);  ///< of the kMost before those
    std::size_t kept_ = 0;
};

}  // namespace isoplane::replay
