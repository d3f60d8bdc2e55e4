// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <utility>

#include <isoplane/runtime/time.hh>

namespace isoplane::runtime {

/// Tells whoever is polled when it was not for long: then it was stopped, or its machine was, and perhaps the
/// others with it. That it has heard nobody meanwhile says nothing of them.
class PollWatch {
  public:
    explicit PollWatch(Duration pause) noexcept : pause_(pause) {}

    /// To be called with every poll, this or the next: for how much longer than the pause there was none.
    Duration excess(Time now) noexcept {
        return std::max(now - std::exchange(polled_at_, now) - pause_, Duration{0});
    }
    /// All of the time without a poll, if it was longer than the pause.
    Duration missed(Time now) noexcept {
        const Duration more = excess(now);
        return more != Duration{0} ? more + pause_ : more;
    }

  private:
    Duration pause_;
    Time polled_at_{};
};

/// What is counted from `then` on is so much less, if it has begun. What came with this poll came now.
inline void put_off(Time& then, Duration by, Time now) noexcept {
    if (then != Time::max()) then = std::min(now, then + by);
}

}  // namespace isoplane::runtime
