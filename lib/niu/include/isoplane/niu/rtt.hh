// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <chrono>

#include <isoplane/runtime/time.hh>

namespace isoplane::niu {

struct TimeoutLimits {
    runtime::Duration initial = std::chrono::milliseconds{5};  ///< before the first sample
    runtime::Duration least = std::chrono::microseconds{500};  ///< well above what a scheduler takes away
    runtime::Duration most = std::chrono::milliseconds{100};  ///< so long after a cut has healed, at the most
};

/// How long a frame and its acknowledgement take, and so when to stop waiting: RFC 6298 in nanoseconds.
///
/// Samples must be of frames sent once only (Karn): the acknowledgement of one sent twice does not say which
/// it was.
class RttEstimator {
  public:
    using Duration = runtime::Duration;

    explicit RttEstimator(const TimeoutLimits& limits) noexcept : limits_(limits) { find_timeout(); }

    void sample(Duration rtt) noexcept {
        if (smoothed_ == Duration::zero()) {
            smoothed_ = std::max(rtt, Duration{1});
            variation_ = rtt / 2;
        } else {
            const Duration error = rtt > smoothed_ ? rtt - smoothed_ : smoothed_ - rtt;
            variation_ += shifted(error - variation_, 2);
            smoothed_ = std::max(smoothed_ + shifted(rtt - smoothed_, 3), Duration{1});
        }
        find_timeout();
    }

    /// A wait was in vain: the next is twice as long.
    void back_off() noexcept {
        doublings_ = std::min(doublings_ + 1, kMostDoublings);
        find_timeout();
    }
    /// How often in a row.
    unsigned backed_off() const noexcept { return static_cast<unsigned>(doublings_); }
    /// The other end has answered.
    void answered() noexcept {
        if (doublings_ == 0) [[likely]]
            return;
        doublings_ = 0;
        find_timeout();
    }

    Duration timeout() const noexcept { return timeout_; }

    /// A frame that others have overtaken is lost when this has passed since it was sent: a quarter of the
    /// round trip is left to reordering.
    Duration loss_delay() const noexcept {
        return smoothed_ == Duration::zero() ? limits_.initial : smoothed_ + smoothed_ / 4;
    }

    Duration smoothed() const noexcept { return smoothed_; }  ///< zero before the first sample
    Duration variation() const noexcept { return variation_; }

  private:
    static constexpr int kMostDoublings = 16;

    /// A power of two of it. Where a compiler takes this to be rare it divides.
    static constexpr Duration shifted(Duration all, int by) noexcept { return Duration{all.count() >> by}; }

    void find_timeout() noexcept {
        const Duration once = smoothed_ == Duration::zero()
                                  ? limits_.initial
                                  : std::max(smoothed_ + 4 * variation_, limits_.least);
        timeout_ = std::min(once * (1 << doublings_), limits_.most);
    }

    TimeoutLimits limits_;
    Duration smoothed_{0};
    Duration variation_{0};
    Duration timeout_{};
    int doublings_ = 0;
};

}  // namespace isoplane::niu
