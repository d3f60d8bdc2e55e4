// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_cycles.h>

#include <chrono>
#include <cstdint>

namespace isoplane::runtime {

/// The clock of every stage: nanoseconds, never read by a stage but passed to it. On lcores it is the time
/// stamp counter, the same for all processes of a machine; in the simulator it is virtual.
struct Clock {
    using rep = std::int64_t;
    using period = std::nano;
    using duration = std::chrono::nanoseconds;
    using time_point = std::chrono::time_point<Clock>;
    static constexpr bool is_steady = true;
};

using Duration = Clock::duration;
using Time = Clock::time_point;

/// Turns time stamp counter readings into Time, by one multiplication. Needs the EAL, which measures the
/// counter.
class TscClock {
  public:
    TscClock() : ns_per_tick_((std::uint64_t{1'000'000'000} << kShift) / rte_get_tsc_hz()) {}

    Time at(std::uint64_t tsc) const {
        __extension__ using Wide = unsigned __int128;
        const auto ns = static_cast<Wide>(tsc) * ns_per_tick_ >> kShift;
        return Time{Duration{static_cast<std::int64_t>(ns)}};
    }
    Time now() const { return at(rte_rdtsc()); }

  private:
    static constexpr int kShift = 32;
    std::uint64_t ns_per_tick_;  ///< scaled by 2^kShift
};

}  // namespace isoplane::runtime
