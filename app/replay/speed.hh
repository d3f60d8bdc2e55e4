// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <string_view>

#include "replay/trace.hh"
#include "traffic/rate.hh"

namespace isoplane::replay {

/// How fast a trace is played: a multiple of its own timing, or at a rate.
struct Speed {
    double times = 0;      ///< 1 as it was captured; 0 when the rate says it
    traffic::Rate rate{};  ///< without limits: as fast as it goes
};

/// "original", "max", "2x", "0.5x", "1000pps", "1Gbit". Throws std::invalid_argument with a sentence.
Speed parse_speed(std::string_view text);

/// When each frame is due, since the beginning.
class Schedule {
  public:
    explicit Schedule(const Speed& speed) : speed_(speed) {}

    /// Call once a frame, in order. Nothing is due before what came before it.
    Time due(const TraceFrame& frame);

    /// The trace begins anew, as far behind its last frame as its frames are apart on the average.
    void again(std::uint64_t frames);

    /// Whether there is a time for each frame.
    bool timed() const noexcept { return speed_.times > 0 || paced(); }

  private:
    bool paced() const noexcept {
        return speed_.rate.frames_per_second > 0 || speed_.rate.bits_per_second > 0;
    }

    Speed speed_;
    Time base_{0};     ///< where this pass begins
    Time last_{0};     ///< when the last frame is due
    double owed_ = 0;  ///< nanoseconds behind base_ until the wire is free for the next, when paced
};

}  // namespace isoplane::replay
