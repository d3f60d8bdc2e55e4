// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/fabric/random.hh>
#include <isoplane/runtime/time.hh>
#include <optional>

namespace isoplane::sim {

/// What is wrong with the clocks of nodes, and with what lets them run; nothing by default.
struct ClockFaults {
    runtime::Duration leap{0};                               ///< a clock goes ahead by up to so much at once
    runtime::Duration nap{0};                                ///< a node is not polled for up to so long
    runtime::Duration every = std::chrono::milliseconds{5};  ///< between two of them, on the average
};

/// The clock of a node, which may leap as that of a virtual machine does that was stopped; and whether the
/// node runs at all.
class Clock {
  public:
    using Time = runtime::Time;
    using Duration = runtime::Duration;

    /// One that is always right.
    Clock() : Clock(0, 0, {}) {}
    Clock(std::uint64_t seed, std::uint64_t node, const ClockFaults& faults)
        : random_(seed, kStream + node), faults_(faults) {}

    /// What it shows; nothing while the node does not run.
    std::optional<Time> read(Time now) {
        if (now < awake_at_) return std::nullopt;
        if (now >= next_) go_wrong(now);
        return now + ahead_;
    }
    Duration ahead() const noexcept { return ahead_; }
    std::uint64_t naps() const noexcept { return naps_; }

  private:
    static constexpr std::uint64_t kStream = 1000;

    Duration some(Duration most) {
        return Duration{
            static_cast<Duration::rep>(random_.below(static_cast<std::uint64_t>(most.count()) + 1))};
    }
    /// Not before it has been polled for a while, so that others may hear it between two naps.
    void go_wrong(Time now) {
        const bool is_first = next_ == Time{};
        if (!is_first && faults_.leap != Duration{0})
            ahead_ += some(random_.below(2) == 0 ? faults_.leap / 20 : faults_.leap);
        if (!is_first && faults_.nap != Duration{0}) {
            awake_at_ = now + some(faults_.nap);
            ++naps_;
        }
        next_ = std::max(now, awake_at_) + faults_.every / 2 + some(faults_.every);
        if (faults_.leap == Duration{0} && faults_.nap == Duration{0}) next_ = Time::max();
    }

    fabric::Random random_;
    ClockFaults faults_;
    Time next_{};
    Time awake_at_{};
    Duration ahead_{};
    std::uint64_t naps_ = 0;
};

}  // namespace isoplane::sim
