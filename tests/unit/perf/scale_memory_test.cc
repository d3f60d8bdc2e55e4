// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What a simulated host keeps for others that it does not talk to. Every byte from operator new is counted
/// here, which is why these tests have a program of their own.

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <new>

#include "perf/scale_network.hh"

namespace {

std::size_t kept = 0;  ///< bytes

void* counted(void* at) {
    if (at == nullptr) throw std::bad_alloc();
    kept += malloc_usable_size(at);
    return at;
}

void uncounted(void* at) noexcept {
    if (at != nullptr) kept -= malloc_usable_size(at);
    std::free(at);
}

}  // namespace

void* operator new(std::size_t size) {
    return counted(std::malloc(size));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    const auto align = static_cast<std::size_t>(alignment);
    return counted(std::aligned_alloc(align, (size + align - 1) / align * align));
}
void operator delete(void* at) noexcept {
    uncounted(at);
}
void operator delete(void* at, std::size_t /*size*/) noexcept {
    uncounted(at);
}
void operator delete(void* at, std::align_val_t /*alignment*/) noexcept {
    uncounted(at);
}
void operator delete(void* at, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
    uncounted(at);
}

namespace isoplane::test {

namespace {

using namespace std::chrono_literals;

/// In a network where each talks to seven others, at the end of a run in which they did.
struct Kept {
    explicit Kept(unsigned hosts, runtime::Duration duration = 0us) {
        runtime::Pool pool("scale_memory", 16383);
        const std::size_t before = kept;
        perf::ScaleNetwork network({.hosts = hosts,
                                    .tree = true,
                                    .partners = 7,
                                    .latency = 1us,
                                    .every = 20us,
                                    .duration = duration},
                                   pool);
        if (duration > 0us) network.run();
        bytes_of_host = (kept - before) / hosts;
    }

    std::size_t bytes_of_host = 0;
};

}  // namespace

/// A few tables have a number for each node of the network, so that nothing has to be searched for it.
TEST(ScaleMemory, of_a_host_is_a_few_bytes_for_each_host_that_it_does_not_talk_to) {
    constexpr std::size_t kFew = 64;
    const std::size_t small = Kept(64).bytes_of_host;
    const std::size_t large = Kept(512).bytes_of_host;
    EXPECT_LT(large, small + (512 - 64) * kFew) << small << " bytes among 64, " << large << " among 512";
}

TEST(ScaleMemory, is_the_same_by_the_hosts_it_talks_to_when_they_have_talked) {
    constexpr std::size_t kFew = 64;
    const std::size_t small = Kept(16, 100us).bytes_of_host;
    const std::size_t large = Kept(64, 100us).bytes_of_host;
    EXPECT_LT(large, small + (64 - 16) * kFew + small / 4)
        << small << " bytes among 16, " << large << " among 64";
}

}  // namespace isoplane::test
