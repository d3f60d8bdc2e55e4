// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include <isoplane/runtime/time.hh>

namespace isoplane::niu {

/// One deadline for each of many numbered things, found without looking at them all: a hashed wheel of
/// intrusive lists.
///
/// A deadline may fire early, never later than one tick after it; who is called looks whether it was meant
/// and sets the next. So a deadline that moves back costs nothing, and one beyond the wheel's round just
/// comes by again.
class TimerWheel {
  public:
    using Time = runtime::Time;

    explicit TimerWheel(unsigned things) : slots_(kSlots, kNone), things_(things) {}

    /// Has `thing` called at `at` at the latest.
    void call(unsigned thing, Time at) noexcept {
        Thing& t = things_[thing];
        if (t.slot != kNone) {
            if (t.at <= at) [[likely]]
                return;
            unlink(thing);
        }
        const std::int64_t tick = std::clamp(tick_of(at), tick_ + 1, tick_ + kSlots - 1);
        t.at = at;
        t.slot = static_cast<std::uint32_t>(tick) % kSlots;
        t.previous = kNone;
        t.next = slots_[t.slot];
        if (t.next != kNone) things_[t.next].previous = thing;
        slots_[t.slot] = thing;
    }

    /// Calls `fire(thing)` for all whose tick has come; it may call call().
    template <typename Fire>
    void advance(Time now, Fire&& fire) noexcept {
        const std::int64_t last = tick_of(now);
        for (std::int64_t n = std::min(last - tick_, std::int64_t{kSlots}); n > 0; --n) {
            tick_ = last - n + 1;
            while (slots_[static_cast<std::uint32_t>(tick_) % kSlots] != kNone) {
                const unsigned thing = slots_[static_cast<std::uint32_t>(tick_) % kSlots];
                unlink(thing);
                fire(thing);
            }
        }
    }

  private:
    static constexpr std::uint32_t kSlots = 4096;
    static constexpr std::uint32_t kNone = UINT32_MAX;
    static constexpr int kTickShift = 12;  ///< a tick is 4.1 us, a round 16.8 ms

    struct Thing {
        Time at{};
        std::uint32_t slot = kNone;
        std::uint32_t next = kNone;
        std::uint32_t previous = kNone;
    };

    static std::int64_t tick_of(Time at) noexcept { return at.time_since_epoch().count() >> kTickShift; }

    void unlink(unsigned thing) noexcept {
        Thing& t = things_[thing];
        (t.previous != kNone ? things_[t.previous].next : slots_[t.slot]) = t.next;
        if (t.next != kNone) things_[t.next].previous = t.previous;
        t.slot = kNone;
    }

    std::vector<std::uint32_t> slots_;
    std::vector<Thing> things_;
    std::int64_t tick_ = 0;  ///< all before it have been called
};

}  // namespace isoplane::niu
