// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cstring>

#include "world.hh"

namespace isoplane::fi_test {
namespace {

constexpr std::uint64_t kKey = 0x1234;

void write_and_read(World& world, bool is_basic) {
    std::vector<std::uint8_t> memory(300000);
    const Owned<fid_mr> region = world.offer(memory.data(), memory.size(), kKey);
    const std::uint64_t key = fi_mr_key(region.get());
    EXPECT_TRUE(is_basic || key == kKey);
    const std::uint64_t base = is_basic ? reinterpret_cast<std::uintptr_t>(memory.data()) : 0;
    for (const unsigned size : {1U, 1000U, 5000U, 200000U}) {
        const auto said = content(size);
        std::vector<std::uint8_t> got(size);
        const std::size_t at = 99;
        ASSERT_EQ(fi_write(world.a.endpoint.get(), said.data(), size, nullptr, world.b.address, base + at,
                           key, context(1)),
                  0);
        EXPECT_EQ(world.a.next().flags, FI_RMA | FI_WRITE);
        EXPECT_EQ(std::memcmp(memory.data() + at, said.data(), size), 0);
        iovec halves[2]{{got.data(), size / 2}, {got.data() + size / 2, size - size / 2}};
        ASSERT_EQ(
            fi_readv(world.a.endpoint.get(), halves, nullptr, 2, world.b.address, base + at, key, context(2)),
            0);
        EXPECT_EQ(world.a.next().flags, FI_RMA | FI_READ);
        EXPECT_EQ(got, said);
    }
    EXPECT_TRUE(world.b.is_quiet());
}

TEST(FiRemote, memory_is_written_and_read) {
    World world;
    write_and_read(world, false);
}

TEST(FiRemote, memory_is_reached_by_address_where_it_is_registered_so) {
    World world({.mr_mode = FI_MR_BASIC});
    EXPECT_EQ(world.info->domain_attr->mr_mode, FI_MR_BASIC);
    write_and_read(world, true);
}

TEST(FiRemote, what_may_not_be_is_an_error_and_changes_nothing) {
    World world;
    std::vector<std::uint8_t> memory(100);
    const Owned<fid_mr> region = world.offer(memory.data(), memory.size(), kKey, FI_REMOTE_READ);
    std::uint8_t byte = 7;
    const auto write = [&](std::uint64_t address, std::uint64_t key) {
        EXPECT_EQ(
            fi_write(world.a.endpoint.get(), &byte, 1, nullptr, world.b.address, address, key, context(5)),
            0);
    };
    write(0, kKey);      // is only read
    write(0, kKey + 1);  // is not there
    for (int i = 0; i < 2; ++i) {
        const fi_cq_err_entry error = world.a.next_error();
        EXPECT_EQ(error.err, FI_EACCES);
        EXPECT_EQ(error.op_context, context(5));
    }
    ASSERT_EQ(fi_read(world.a.endpoint.get(), &byte, 1, nullptr, world.b.address, 100, kKey, context(6)), 0);
    EXPECT_EQ(world.a.next_error().err, FI_EACCES);
    EXPECT_EQ(byte, 7);
    EXPECT_EQ(memory[0], 0);
    fid_mr* second = nullptr;
    EXPECT_EQ(fi_mr_reg(world.domain.get(), memory.data(), 1, FI_REMOTE_READ, 0, kKey, 0, &second, nullptr),
              -FI_ENOKEY);
}

TEST(FiRemote, a_write_with_data_is_told_of_and_others_are_counted) {
    World world;
    std::vector<std::uint8_t> memory(100);
    const Owned<fid_cntr> writes = world.counter();
    const Owned<fid_mr> region = world.offer(memory.data(), memory.size(), kKey);
    ASSERT_EQ(fi_mr_bind(region.get(), &writes->fid, FI_REMOTE_WRITE), 0);
    ASSERT_EQ(fi_inject_writedata(world.a.endpoint.get(), "abc", 3, 42, world.b.address, 10, kKey), 0);
    const fi_cq_tagged_entry entry = world.b.next();
    EXPECT_EQ(entry.flags, FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA);
    EXPECT_EQ(entry.data, 42U);
    EXPECT_EQ(entry.len, 3U);
    EXPECT_EQ(std::memcmp(memory.data() + 10, "abc", 3), 0);
    ASSERT_EQ(fi_inject_write(world.a.endpoint.get(), "de", 2, world.b.address, 20, kKey), 0);
    EXPECT_EQ(fi_cntr_wait(writes.get(), 2, 20000), 0);
    EXPECT_EQ(std::memcmp(memory.data() + 20, "de", 2), 0);
}

TEST(FiAtomic, operations_are_executed_there) {
    World world;
    std::vector<std::int64_t> memory{10, 20, 30};
    const Owned<fid_mr> region = world.offer(memory.data(), memory.size() * 8, kKey);
    fid_ep* const from = world.a.endpoint.get();
    const std::int64_t operand[] = {1, -2};
    std::int64_t before[2]{};
    ASSERT_EQ(fi_atomic(from, operand, 2, nullptr, world.b.address, 8, kKey, FI_INT64, FI_SUM, context(1)),
              0);
    EXPECT_EQ(world.a.next().flags, FI_ATOMIC | FI_WRITE);
    EXPECT_EQ(memory, (std::vector<std::int64_t>{10, 21, 28}));
    ASSERT_EQ(fi_fetch_atomic(from, operand, 2, nullptr, before, nullptr, world.b.address, 0, kKey, FI_INT64,
                              FI_MAX, context(2)),
              0);
    EXPECT_EQ(world.a.next().flags, FI_ATOMIC | FI_READ);
    EXPECT_EQ(before[0], 10);
    EXPECT_EQ(before[1], 21);
    EXPECT_EQ(memory, (std::vector<std::int64_t>{10, 21, 28}));
    const std::int64_t compare[] = {10, 99};
    ASSERT_EQ(fi_compare_atomic(from, operand, 2, nullptr, compare, nullptr, before, nullptr, world.b.address,
                                0, kKey, FI_INT64, FI_CSWAP, context(3)),
              0);
    world.a.next();
    EXPECT_EQ(memory, (std::vector<std::int64_t>{1, 21, 28}));
    ASSERT_EQ(fi_fetch_atomic(from, nullptr, 1, nullptr, before, nullptr, world.b.address, 16, kKey, FI_INT64,
                              FI_ATOMIC_READ, context(4)),
              0);
    world.a.next();
    EXPECT_EQ(before[0], 28);
    ASSERT_EQ(fi_inject_atomic(from, operand, 1, world.b.address, 16, kKey, FI_INT64, FI_BXOR), 0);
    world.until([&] { return memory[2] == (28 ^ 1); });
    EXPECT_TRUE(world.a.is_quiet());
    ASSERT_EQ(fi_atomic(from, operand, 2, nullptr, world.b.address, 16, kKey, FI_INT64, FI_SUM, nullptr), 0);
    EXPECT_EQ(world.a.next_error().err, FI_EACCES);
}

TEST(FiAtomic, what_there_is_can_be_asked_for) {
    World world;
    fi_atomic_attr attributes{};
    EXPECT_EQ(fi_query_atomic(world.domain.get(), FI_DOUBLE, FI_SUM, &attributes, 0), 0);
    EXPECT_EQ(attributes.size, 8U);
    EXPECT_EQ(attributes.count, 64U);
    std::size_t count = 0;
    fid_ep* const endpoint = world.a.endpoint.get();
    EXPECT_EQ(fi_atomicvalid(endpoint, FI_UINT8, FI_BAND, &count), 0);
    EXPECT_EQ(count, 512U);
    EXPECT_EQ(fi_atomicvalid(endpoint, FI_FLOAT, FI_BAND, &count), -FI_EOPNOTSUPP);
    EXPECT_EQ(fi_atomicvalid(endpoint, FI_INT32, FI_CSWAP, &count), -FI_EOPNOTSUPP);
    EXPECT_EQ(fi_compare_atomicvalid(endpoint, FI_INT32, FI_MSWAP, &count), 0);
    EXPECT_EQ(fi_fetch_atomicvalid(endpoint, FI_DOUBLE_COMPLEX, FI_MIN, &count), -FI_EOPNOTSUPP);
}

}  // namespace
}  // namespace isoplane::fi_test
