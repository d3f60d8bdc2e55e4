// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>

namespace isoplane::fabric {

/// SplitMix64 (Steele, Lea, Flood 2014) read by position: draw `i` of a stream is a function of the seed, the
/// stream and `i` alone. So one can skip draws for nothing, and what is drawn for one purpose never shifts
/// what is drawn for another.
class Draws {
  public:
    Draws(std::uint64_t seed, std::uint64_t stream) noexcept : base_(mix(mix(seed) + stream * kOdd)) {}

    std::uint64_t at(std::uint64_t i) const noexcept { return mix(base_ + (i + 1) * kGamma); }

    /// A draw as a number in [0, 1): below `p` with probability `p`, exactly so for 0 and 1.
    static double unit(std::uint64_t draw) noexcept { return static_cast<double>(draw >> 11) * 0x1p-53; }

    /// A draw scaled to [0, n).
    static std::uint64_t below(std::uint64_t draw, std::uint64_t n) noexcept {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::uint64_t>(static_cast<Wide>(draw) * n >> 64);
    }

  private:
    static constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15;
    static constexpr std::uint64_t kOdd = 0xd1342543de82ef95;

    static std::uint64_t mix(std::uint64_t z) noexcept {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    std::uint64_t base_;
};

/// The same draws one after the other.
class Random {
  public:
    Random(std::uint64_t seed, std::uint64_t stream) noexcept : draws_(seed, stream) {}

    std::uint64_t next() noexcept { return draws_.at(i_++); }
    std::uint64_t below(std::uint64_t n) noexcept { return Draws::below(next(), n); }
    double unit() noexcept { return Draws::unit(next()); }

  private:
    Draws draws_;
    std::uint64_t i_ = 0;
};

}  // namespace isoplane::fabric
