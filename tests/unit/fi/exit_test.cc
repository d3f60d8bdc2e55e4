// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <sys/wait.h>
#include <unistd.h>

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

/// Goes when the process ends, after the network: it was there before it.
struct Owner {
    ~Owner() {
        if (!world) return;
        std::uint8_t word = 0;
        const bool is_over =
            fi_inject(world->a.endpoint.get(), &word, sizeof word, world->b.address) == -FI_EOPBADSTATE &&
            fi_cq_read(world->a.queue.get(), nullptr, 0) == -FI_EAGAIN;
        region.reset();
        world.reset();
        if (!is_over || testing::Test::HasFailure()) _exit(1);
    }
    void open() {
        world = std::make_unique<World>();
        region = world->offer(memory, sizeof memory, kKey);
    }

    std::uint8_t memory[64] = {};
    std::unique_ptr<World> world;
    Owned<fid_mr> region;
};

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

TEST(ExitDeathTest, what_outlives_the_network_is_closed_all_the_same) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto end = [] {
        static Owner owner;
        owner.open();
        std::exit(0);
    };
    EXPECT_EXIT(end(), testing::ExitedWithCode(0), "");
}

TEST(ExitDeathTest, what_a_child_closes_when_it_ends_is_open_in_its_parent) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto end = [] {
        static Owner owner;
        owner.open();
        const pid_t child = fork();
        if (child == 0) std::exit(0);
        int status = 1;
        waitpid(child, &status, 0);
        End& b = owner.world->b;
        std::uint8_t word = 0;
        EXPECT_EQ(fi_recv(b.endpoint.get(), &word, sizeof word, nullptr, FI_ADDR_UNSPEC, context(1)), 0);
        EXPECT_EQ(fi_inject(owner.world->a.endpoint.get(), &word, sizeof word, b.address), 0);
        b.next();
        _exit(status != 0 || testing::Test::HasFailure() ? 1 : 0);
    };
    EXPECT_EXIT(end(), testing::ExitedWithCode(0), "");
}

}  // namespace isoplane::fi_test
