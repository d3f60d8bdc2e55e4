// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <chrono>
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
    /// The same, where nobody asks for how long.
    void note(Time now) noexcept { polled_at_ = now; }
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

/// How long somebody waits who looks again and again. Of the time between two looks no more than an eighth of
/// the limit counts: whoever is waited for may have been stopped with him.
class Patience {
  public:
    explicit Patience(Duration limit) noexcept : Patience(limit, clock()) {}
    Patience(Duration limit, Time now) noexcept : watch_(limit / 8), until_(now + limit) {
        watch_.excess(now);
    }

    /// With every look.
    bool is_over(Time now) noexcept {
        until_ += watch_.excess(now);
        return now >= until_;
    }
    bool is_over() noexcept { return is_over(clock()); }

  private:
    static Time clock() noexcept { return Time{std::chrono::steady_clock::now().time_since_epoch()}; }

    PollWatch watch_;
    Time until_;
};

}  // namespace isoplane::runtime
