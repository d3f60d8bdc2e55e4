// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <isoplane/active/memory_map.hh>

namespace isoplane::active {
namespace {

constexpr std::size_t kPage = 4096;

/// Four pages of which the third may only be read, and the last is not there.
class MemoryMapTest : public testing::Test {
  protected:
    MemoryMapTest() {
        EXPECT_TRUE(map.is_readable(reinterpret_cast<std::uintptr_t>(&map), 1));
        char* const pages = static_cast<char*>(
            mmap(nullptr, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        begin = reinterpret_cast<std::uintptr_t>(pages);
        mprotect(pages + 2 * kPage, kPage, PROT_READ);
        mprotect(pages + 3 * kPage, kPage, PROT_NONE);
    }
    ~MemoryMapTest() override { munmap(reinterpret_cast<void*>(begin), 4 * kPage); }

    MemoryMap map;  ///< that was read before
    std::uintptr_t begin;
};

TEST_F(MemoryMapTest, knows_what_may_be_written) {
    EXPECT_TRUE(map.is_writable(begin, 2 * kPage));
    EXPECT_FALSE(map.is_writable(begin, 2 * kPage + 1));
    EXPECT_FALSE(map.is_writable(begin + 2 * kPage, 1));
}

TEST_F(MemoryMapTest, knows_what_may_be_read) {
    EXPECT_TRUE(map.is_readable(begin, 3 * kPage));
    EXPECT_TRUE(map.is_readable(begin + 3 * kPage - 1, 1));
    EXPECT_FALSE(map.is_readable(begin, 3 * kPage + 1));
    EXPECT_FALSE(map.is_readable(begin + 3 * kPage, 1));
}

TEST_F(MemoryMapTest, takes_nothing_for_everywhere_and_no_overflow) {
    EXPECT_TRUE(map.is_writable(16, 0));
    EXPECT_FALSE(map.is_writable(begin, SIZE_MAX));
    EXPECT_FALSE(map.is_readable(16, 1));
}

}  // namespace
}  // namespace isoplane::active
