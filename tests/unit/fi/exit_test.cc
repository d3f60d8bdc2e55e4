// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <chrono>
#include <cstdlib>
#include <thread>

#include "world.hh"

namespace isoplane::fi_test {
namespace {

/// Says things to itself in some threads, for ever.
void talk(World& world) {
    for (;;) {
        std::uint8_t word = 0;
        fi_cq_tagged_entry entry;
        fi_recv(world.b.endpoint.get(), &word, sizeof word, nullptr, FI_ADDR_UNSPEC, context(2));
        fi_inject(world.a.endpoint.get(), &word, sizeof word, world.b.address);
        for (int i = 0; i < 8; ++i) {
            fi_cq_read(world.a.queue.get(), &entry, 1);
            fi_cq_read(world.b.queue.get(), &entry, 1);
        }
    }
}

}  // namespace

TEST(ExitDeathTest, leaves_while_other_threads_are_in_the_provider) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto end = [] {
        auto* const world = new World;
        for (int i = 0; i < 3; ++i)
            std::thread([world] { talk(*world); }).detach();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        std::exit(0);
    };
    for (int i = 0; i < 5; ++i)
        EXPECT_EXIT(end(), testing::ExitedWithCode(0), "");
}

}  // namespace isoplane::fi_test
