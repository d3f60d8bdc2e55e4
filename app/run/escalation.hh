// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <chrono>
#include <optional>

namespace isoplane::run {

using Clock = std::chrono::steady_clock;

/// How a job is brought to its end: the ranks have a while to end by themselves, then they get SIGTERM, and
/// after as long again SIGKILL. It only ever goes on, and says when what is due.
class Escalation {
  public:
    enum class Step { kNone, kTerminate, kKill };

    explicit Escalation(Clock::duration grace) : grace_(grace) {}

    /// The ranks may end by themselves, for a while.
    void wait(Clock::time_point now) {
        if (step_ == Step::kNone) plan(Step::kTerminate, now + grace_);
    }
    /// SIGTERM is due at once.
    void terminate(Clock::time_point now) {
        if (step_ != Step::kKill) plan(Step::kTerminate, now);
    }
    /// SIGKILL is due at once.
    void kill(Clock::time_point now) {
        if (step_ != Step::kKill || next_) plan(Step::kKill, now);
    }

    /// When something is due next.
    std::optional<Clock::time_point> next() const { return next_; }

    /// What is due now; each step is told once.
    Step due(Clock::time_point now) {
        if (!next_ || now < *next_) return Step::kNone;
        const Step step = step_;
        next_.reset();
        if (step == Step::kTerminate) plan(Step::kKill, now + grace_);
        return step;
    }

  private:
    void plan(Step step, Clock::time_point when) {
        step_ = step;
        next_ = when;
    }

    Clock::duration grace_;
    Step step_ = Step::kNone;  ///< the next, or when there is none, the last
    std::optional<Clock::time_point> next_;
};

}  // namespace isoplane::run
