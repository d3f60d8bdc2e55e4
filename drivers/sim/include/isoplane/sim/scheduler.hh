// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include <isoplane/fabric/random.hh>
#include <isoplane/runtime/time.hh>

namespace isoplane::sim {

/// How the lcores of a simulated world run, all times being bounds of what is drawn.
struct Pace {
    runtime::Duration gap{200};  ///< from one poll to the next while there is something to do
    double stall = 0.002;        ///< probability that a gap is a stall instead, as when preempted
    runtime::Duration longest_stall = std::chrono::microseconds{20};
    runtime::Duration idle = std::chrono::microseconds{5};  ///< between polls when nothing happens: how late
                                                            ///< a stage may notice its own timers
};

/// The virtual clock, and who is polled when. Time jumps from one poll to the next; who has nothing to do is
/// polled ever more rarely, until a frame arrives for it.
///
/// A unit is what one lcore would poll. All that happens is a function of the seed and of the calls made.
class Scheduler {
  public:
    using Time = runtime::Time;
    using Unit = std::uint32_t;
    static constexpr Unit kNobody = UINT32_MAX;

    Scheduler(std::uint64_t seed, const Pace& pace) : random_(seed, kStream), pace_(pace) {}

    Time now() const noexcept { return now_; }

    /// One more unit, first polled soon.
    Unit add();

    /// Moves the clock to the next poll and returns whose it is; or, when that is after `limit`, to the limit
    /// and returns kNobody.
    Unit next(Time limit) noexcept;

    /// The unit that next() named has been polled. It is polled again soon if it `moved` anything, else when
    /// its next frame, due at `arrival`, is there, or when it has idled long enough.
    void polled(Unit unit, bool moved, Time arrival) noexcept;

    /// Something will be there for the unit at `at`, if nothing is before.
    void wake(Unit unit, Time at) noexcept {
        if (at < states_[unit].next) bring_forward(unit, at);
    }

    fabric::Random& random() noexcept { return random_; }

  private:
    /// Apart from the streams that ports and links number from 0.
    static constexpr std::uint64_t kStream = UINT64_MAX;

    struct State {
        Time next;   ///< when it is polled; entries of the heap with another time are stale
        Time ready;  ///< before that it is still busy with what its last poll did
        unsigned empty_polls = 0;
    };
    struct Entry {
        Time at;
        Unit unit;
    };
    static bool later(const Entry& a, const Entry& b) noexcept {
        return a.at != b.at ? a.at > b.at : a.unit > b.unit;
    }

    void bring_forward(Unit unit, Time at) noexcept;
    void plan(Unit unit, Time at) noexcept;
    runtime::Duration draw_gap() noexcept;
    runtime::Duration draw(runtime::Duration most) noexcept;

    Time now_{};
    fabric::Random random_;
    Pace pace_;
    std::vector<State> states_;
    std::vector<Entry> heap_;
};

}  // namespace isoplane::sim
