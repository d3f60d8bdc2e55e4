// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "movement.hh"

#include <rte_lcore.h>
#include <sched.h>

#include <isoplane/runtime/idle.hh>

namespace isoplane::job {

bool Movement::poll() {
    if (alone_) return false;
    if (!enter()) {
        sched_yield();
        return false;
    }
    const bool moved = driver_->poll();
    leave();
    // Not before: the CPU would go to others that want the lock, and on one CPU they would never find it
    // free.
    thread_local constinit runtime::Idler idler(runtime::IdlePolicy::kYield);
    idler.step(moved);
    return moved;
}

bool Movement::progress() {
    if (alone_) return false;
    while (!enter())
        sched_yield();
    const bool moved = driver_->poll();
    leave();
    return moved;
}

void Movement::call(const std::function<void()>& what) {
    if (alone_) return driver_->call(what);
    while (!enter())
        sched_yield();
    what();
    leave();
}

bool Movement::enter() noexcept {
    if (alone_) return rte_lcore_id() == Driver::kWorker;
    const std::thread::id self = std::this_thread::get_id();
    if (inside_.load(std::memory_order_relaxed) != self) {
        if (!lock_.try_lock()) return false;
        inside_.store(self, std::memory_order_relaxed);
    }
    ++depth_;
    return true;
}

void Movement::leave() noexcept {
    if (alone_ || --depth_ != 0) return;
    inside_.store({}, std::memory_order_relaxed);
    lock_.unlock();
}

}  // namespace isoplane::job
