// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <atomic>
#include <mutex>
#include <thread>

namespace isoplane::compat {

/// The lock of the send channel, which a program may hold from call to call.
class SendLock {
  public:
    void lock() {
        mutex_.lock();
        owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
        ++depth_;
    }
    void unlock() {
        if (--depth_ == 0) owner_.store({}, std::memory_order_relaxed);
        mutex_.unlock();
    }
    bool is_mine() const noexcept {
        return owner_.load(std::memory_order_relaxed) == std::this_thread::get_id();
    }

  private:
    std::recursive_mutex mutex_;
    std::atomic<std::thread::id> owner_;
    unsigned depth_ = 0;  ///< only its owner's
};

}  // namespace isoplane::compat
