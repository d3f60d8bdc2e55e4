// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include <isoplane/runtime/counter.hh>

namespace isoplane::runtime {

/// Counts of values by size, each told to within 1/32 of it: for latencies from a nanosecond to an hour. One
/// writer, any readers. Recording is a few instructions and never allocates.
class Histogram {
  public:
    void record(std::uint64_t value) noexcept { buckets_[index_of(value)].add(); }

    std::uint64_t count() const noexcept {
        std::uint64_t sum = 0;
        for (const Counter& bucket : buckets_)
            sum += bucket.get();
        return sum;
    }

    /// The value below which `fraction` of all lie, 0 to 1, as if those of a bucket were spread evenly over
    /// it. 0 when nothing was recorded.
    std::uint64_t quantile(double fraction) const noexcept {
        const std::uint64_t total = count();
        if (total == 0) return 0;
        const double below = std::ceil((fraction - kRounded) * static_cast<double>(total));
        const std::uint64_t rank = below > 1 ? static_cast<std::uint64_t>(below) : 1;
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i < kBuckets; ++i) {
            const std::uint64_t here = buckets_[i].get();
            if (seen + here >= rank) {
                const double part = (static_cast<double>(rank - seen) - 0.5) / static_cast<double>(here);
                return low_of(i) + static_cast<std::uint64_t>(part * static_cast<double>(width_of(i)));
            }
            seen += here;
        }
        return low_of(kBuckets - 1);
    }

    void clear() noexcept {
        for (Counter& bucket : buckets_)
            bucket.set(0);
    }

  private:
    /// Values below 2^kFineBits have a bucket each; above, every doubling has 2^kFineBits of them.
    static constexpr unsigned kFineBits = 5;
    static constexpr unsigned kFine = 1U << kFineBits;
    static constexpr unsigned kLargestBit = 42;
    /// More than a fraction is rounded by, or the 999th of 1000 would be the last.
    static constexpr double kRounded = 1e-12;
    static constexpr std::size_t kBuckets = std::size_t{kLargestBit - kFineBits + 2} * kFine;

    static std::size_t index_of(std::uint64_t value) noexcept {
        value = std::min(value, (std::uint64_t{2} << kLargestBit) - 1);
        if (value < kFine) return value;
        const auto shift = static_cast<unsigned>(std::bit_width(value)) - 1 - kFineBits;
        return std::size_t{shift + 1} * kFine + ((value >> shift) - kFine);
    }

    static std::uint64_t low_of(std::size_t index) noexcept {
        return index < kFine ? index : (index % kFine + kFine) << (index / kFine - 1);
    }
    static std::uint64_t width_of(std::size_t index) noexcept {
        return index < kFine ? 1 : std::uint64_t{1} << (index / kFine - 1);
    }

    std::array<Counter, kBuckets> buckets_;
};

}  // namespace isoplane::runtime
