// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <atomic>
#include <cassert>
#include <isoplane/job/settings.hh>
#include <isoplane/nal/over_niu.hh>
#include <isoplane/portals/spin_lock.hh>
#include <thread>

#include "driver.hh"

namespace isoplane::job {

/// Progress for the threads of a program that speaks Portals: where there is no lcore, whoever calls makes it
/// for all of them, one at a time.
class Movement final : public nal::Mover {
  public:
    /// `is_locked`: by the program, around all its calls; an lcore does not ask for such a lock.
    Movement(Progress progress, bool is_locked) : alone_(progress == Progress::kLcore), lock_(!is_locked) {
        assert(!alone_ || !is_locked);
    }

    /// Before anything else is called.
    void drive(Driver& driver) noexcept { driver_ = &driver; }

    bool poll() override;
    /// The same where nothing moves alone, without a rest when nothing has moved.
    bool progress();
    bool moves_alone() const noexcept override { return alone_; }
    void call(const std::function<void()>& what) override;
    bool enter() noexcept override;
    void leave() noexcept override;

  private:
    const bool alone_;
    Driver* driver_ = nullptr;
    portals::OptionalSpinLock lock_;
    std::atomic<std::thread::id> inside_{};  ///< who has it
    unsigned depth_ = 0;                     ///< of how many enter() that have not left
};

}  // namespace isoplane::job
