// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "between_bursts.hh"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "device.hh"

namespace isoplane::link {
namespace {

/// From another thread than the one that holds it, perhaps.
bool is_free(BetweenBursts& link) {
    bool free = false;
    std::thread([&] {
        free = link.burst().try_lock();
        if (free) link.burst().unlock();
    }).join();
    return free;
}

void until_free(BetweenBursts& link) {
    const std::lock_guard burst(link.burst());
}

TEST(BetweenBursts, no_link_has_a_burst_while_the_interrupt_thread_handles_an_event) {
    BetweenBursts one;
    BetweenBursts other;
    for (int event = 0; event < 100; ++event) {
        on_interrupt_thread([&] {
            EXPECT_FALSE(is_free(one));
            EXPECT_FALSE(is_free(other));
        });
        until_free(one);
        until_free(other);
    }
}

TEST(BetweenBursts, an_event_waits_for_the_burst_that_is_under_way) {
    BetweenBursts link;
    std::atomic<bool> in_burst{true};
    std::unique_lock burst(link.burst());
    std::thread event([&] { on_interrupt_thread([&] { EXPECT_FALSE(in_burst.load()); }); });
    for (int turns = 0; turns < 1000; ++turns)
        std::this_thread::yield();
    in_burst.store(false);
    burst.unlock();
    event.join();
}

TEST(BetweenBursts, links_come_and_go_between_events) {
    for (int round = 0; round < 100; ++round) {
        BetweenBursts link;
        bool handled = false;
        std::thread event([&] { on_interrupt_thread([&] { handled = true; }); });
        BetweenBursts another;
        event.join();
        EXPECT_TRUE(handled);
    }
}

}  // namespace
}  // namespace isoplane::link
