// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_pause.h>
#include <sched.h>

#include <atomic>

namespace isoplane::shmem {

/// Whose turn it is to touch the memory: the program's, or that of the lcore that executes accesses beside
/// it. The program waits for its turn, as long as a burst takes; the lcore comes again. Costs nothing when
/// there is no such lcore.
class Turn {
  public:
    explicit Turn(bool shared) noexcept : shared_(shared) {}

    void lock() noexcept {
        constexpr unsigned kSpins = 64;  // who has it may not be on a CPU
        for (unsigned spins = 1; !try_lock(); ++spins) {
            rte_pause();
            if (spins % kSpins == 0) sched_yield();
        }
    }
    bool try_lock() noexcept { return !shared_ || !taken_.exchange(true, std::memory_order_acquire); }
    void unlock() noexcept {
        if (shared_) taken_.store(false, std::memory_order_release);
    }

  private:
    const bool shared_;
    std::atomic<bool> taken_{false};
};

}  // namespace isoplane::shmem
