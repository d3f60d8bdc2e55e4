// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <atomic>
#include <thread>

namespace isoplane::portals {

/// A lock for what is short: a call of Portals takes it several times, and nearly always finds it free, when
/// it costs one atomic instruction. Who holds it may have lost its CPU: so who waits gives his away.
class SpinLock {
  public:
    void lock() noexcept {
        while (taken_.exchange(true, std::memory_order_acquire)) {
            for (unsigned looks = 0; taken_.load(std::memory_order_relaxed); ++looks)
                if (looks >= kPatience) std::this_thread::yield();
        }
    }
    bool try_lock() noexcept { return !taken_.exchange(true, std::memory_order_acquire); }
    void unlock() noexcept { taken_.store(false, std::memory_order_release); }

  private:
    static constexpr unsigned kPatience = 100;

    std::atomic<bool> taken_{false};
};

/// None where its users have one of their own around all that they do with what it is for.
class OptionalSpinLock {
  public:
    explicit OptionalSpinLock(bool is_wanted) noexcept : is_wanted_(is_wanted) {}

    void lock() noexcept {
        if (is_wanted_) lock_.lock();
    }
    bool try_lock() noexcept { return !is_wanted_ || lock_.try_lock(); }
    void unlock() noexcept {
        if (is_wanted_) lock_.unlock();
    }

  private:
    const bool is_wanted_;
    SpinLock lock_;
};

}  // namespace isoplane::portals
