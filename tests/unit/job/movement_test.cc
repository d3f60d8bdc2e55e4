// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "movement.hh"

namespace isoplane::job {
namespace {

/// Nothing ever comes.
class Nothing final : public Driver {
  public:
    void start() override {}
    bool poll() override { return false; }
    void call(const std::function<void()>& what) override { what(); }
    noniso::Endpoint& endpoint(wire::Protocol) override { throw std::logic_error("there is none"); }
    isotach::Endpoint* isotach() override { return nullptr; }
    noniso::DirectEndpoint* answers() override { return nullptr; }
    void filter(isotach::Filter*) override {}
    bool settled() override { return true; }
};

/// This thread, and those that it starts, run on one of its CPUs.
class OneCpu {
  public:
    OneCpu() {
        sched_getaffinity(0, sizeof before_, &before_);
        cpu_set_t one;
        CPU_ZERO(&one);
        for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
            if (CPU_ISSET(cpu, &before_)) CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
    }
    ~OneCpu() { sched_setaffinity(0, sizeof before_, &before_); }
    OneCpu(const OneCpu&) = delete;
    OneCpu& operator=(const OneCpu&) = delete;

  private:
    cpu_set_t before_;
};

}  // namespace

TEST(Movement, who_waits_for_what_comes_does_not_keep_others_out) {
    const OneCpu one_cpu;
    Nothing nothing;
    Movement movement(Progress::kInline, false);
    movement.drive(nothing);
    std::atomic<bool> over{false};
    std::atomic<int> looked{0};
    std::vector<std::thread> waiting;
    for (int i = 0; i < 3; ++i)
        waiting.emplace_back([&] {
            for (; !over; ++looked)
                movement.poll();
        });
    while (looked < 1000)
        std::this_thread::yield();
    int calls = 0;
    while (calls < 100)
        movement.call([&calls] { ++calls; });
    over = true;
    for (std::thread& thread : waiting)
        thread.join();
    EXPECT_EQ(calls, 100);
}

}  // namespace isoplane::job
