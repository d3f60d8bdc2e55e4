// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace isoplane::fuzz {

/// What is left of the input; zeros when nothing is.
class Bytes {
  public:
    /// `expected` of 256 numbers are what is expected.
    explicit Bytes(std::span<const std::byte> bytes, unsigned expected = 160)
        : rest_(bytes), expected_(expected) {}

    bool empty() const { return rest_.empty(); }
    template <typename T>
    T take() {
        T value = 0;
        for (std::size_t i = 0; i < sizeof value && !rest_.empty(); ++i, rest_ = rest_.subspan(1))
            value = static_cast<T>(value | static_cast<T>(std::to_integer<T>(rest_[0]) << (8 * i)));
        return value;
    }
    std::span<const std::byte> take(std::size_t n) {
        const auto taken = rest_.first(std::min(n, rest_.size()));
        rest_ = rest_.subspan(taken.size());
        return taken;
    }
    /// Mostly what is expected, else something near it, or anything.
    template <typename T>
    T near(T expected) {
        const auto how = take<std::uint8_t>();
        if (how < expected_) return expected;
        if (how < 240)
            return static_cast<T>(expected + static_cast<T>(static_cast<std::int8_t>(take<std::uint8_t>())));
        return take<T>();
    }

  private:
    std::span<const std::byte> rest_;
    unsigned expected_;
};

}  // namespace isoplane::fuzz
