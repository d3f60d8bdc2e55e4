// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_launch.h>
#include <rte_lcore.h>
#include <sched.h>

#include <isoplane/runtime/handover.hh>
#include <isoplane/runtime/lcore.hh>
#include <stdexcept>
#include <string>

namespace isoplane::runtime {

Lcore::Lcore(unsigned lcore_id, IdlePolicy idle) : lcore_id_(lcore_id), idle_(idle) {}

Lcore::~Lcore() {
    stop();
}

void Lcore::start() {
    const std::lock_guard lock(control_);
    if (running_) return;
    stop_.store(false, std::memory_order_relaxed);
    hand_over(this);
    if (rte_eal_remote_launch(&Lcore::entry, this, lcore_id_) != 0) {
        throw std::runtime_error("worker " + std::to_string(lcore_id_) +
                                 " cannot be started: there is no such lcore, or it is busy");
    }
    running_ = true;
}

void Lcore::stop() {
    const std::lock_guard lock(control_);
    if (!running_) return;
    stop_.store(true, std::memory_order_relaxed);
    rte_eal_wait_lcore(lcore_id_);
    take_over(this);
    running_ = false;
}

void Lcore::call(const std::function<void()>& what) {
    const std::lock_guard lock(control_);
    if (!running_) {
        what();
        return;
    }
    mail_.store(&what, std::memory_order_release);
    while (mail_.load(std::memory_order_acquire) != nullptr)
        sched_yield();
}

int Lcore::entry(void* self) {
    take_over(self);
    static_cast<Lcore*>(self)->loop();
    hand_over(self);
    return 0;
}

void Lcore::loop() {
    Idler idler(idle_);
    while (!stop_.load(std::memory_order_relaxed)) {
        idler.step(pipeline_.poll(clock_.now()) != 0);
        if (const auto* what = mail_.load(std::memory_order_acquire); what != nullptr) [[unlikely]] {
            (*what)();
            mail_.store(nullptr, std::memory_order_release);
        }
    }
}

}  // namespace isoplane::runtime
