// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <cstdint>

namespace isoplane::niu {

/// How many frames may be under way to a peer at once, by what the network has lost of them: credit says what
/// its receiver has room for, this what the network has.
///
/// Each frame lost takes half a frame off it, each round trip adds one. So where every hundredth is lost by
/// chance it stays at 200, and where a port drops what its queue cannot hold it comes down to what fits.
class RoomEstimator {
  public:
    /// `most` frames are the window.
    explicit RoomEstimator(unsigned most) noexcept
        : most_(most * kFrame),
          least_(std::min(most_, kLeast * kFrame)),
          room_(std::min(most_, kFirst * kFrame)),
          steep_below_(most_) {}

    unsigned frames() const noexcept { return room_ / kFrame; }

    /// So many frames have arrived. Up to where it is known to be narrow, each lets one more follow.
    void arrived(unsigned frames) noexcept {
        if (room_ == most_) [[likely]]
            return;
        room_ += frames * (room_ < steep_below_ ? kFrame : std::clamp(kFrame * kFrame / room_, 1U, kGrowth));
        room_ = std::min(room_, most_);
    }

    void lost() noexcept {
        room_ = std::max(room_ - kFrame / 2, least_);
        steep_below_ = std::min(steep_below_, room_);
    }

    /// Nothing was heard for too long; `again` if nothing has been heard since the last time.
    void timed_out(bool again) noexcept {
        if (!again) {
            before_ = room_;
            steep_before_ = steep_below_;
        }
        room_ = std::max(room_ / 2, least_);
        steep_below_ = before_ / 2;
    }
    /// It would have been heard, had one waited.
    void was_hasty() noexcept {
        room_ = std::max(room_, before_);
        steep_below_ = std::max(steep_below_, steep_before_);
    }

  private:
    static constexpr std::uint32_t kFrame = 1 << 12;
    static constexpr std::uint32_t kFirst = 32;
    static constexpr std::uint32_t kLeast = 4;             ///< with fewer, only a timeout tells what is lost
    static constexpr std::uint32_t kGrowth = kFrame / 16;  ///< for each that arrives, at the most

    std::uint32_t most_;
    std::uint32_t least_;
    std::uint32_t room_;
    std::uint32_t steep_below_;
    std::uint32_t before_ = 0;        ///< the last timeouts in a row, this was room_,
    std::uint32_t steep_before_ = 0;  ///< and this steep_below_
};

}  // namespace isoplane::niu
