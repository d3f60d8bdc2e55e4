// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cstring>

#include "world.hh"

namespace isoplane::fi_test {
namespace {

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

TEST(FiRemote, pieces_of_memory_are_written_and_read_as_one) {
    World world;
    std::vector<std::uint8_t> memory(100);
    const Owned<fid_mr> region = world.offer(memory.data(), memory.size(), kKey);
    fid_ep* const from = world.a.endpoint.get();
    char said[] = "one two";
    iovec pieces[2]{{said, 4}, {said + 4, 3}};
    ASSERT_EQ(fi_writev(from, pieces, nullptr, 2, world.b.address, 10, kKey, context(1)), 0);
    EXPECT_EQ(world.a.next().op_context, context(1));
    EXPECT_EQ(std::memcmp(memory.data() + 10, said, 7), 0);
    ASSERT_EQ(fi_writedata(from, said, 3, nullptr, 9, world.b.address, 30, kKey, context(2)), 0);
    EXPECT_EQ(world.a.next().op_context, context(2));
    EXPECT_EQ(world.b.next().data, 9U);

    fi_rma_iov there{40, 7, kKey};
    fi_msg_rma msg{pieces, nullptr, 2, world.b.address, &there, 1, context(3), 0};
    ASSERT_EQ(fi_writemsg(from, &msg, FI_COMPLETION), 0);
    EXPECT_EQ(world.a.next().op_context, context(3));
    EXPECT_EQ(std::memcmp(memory.data() + 40, said, 7), 0);
    char got[8]{};
    iovec room{got, 7};
    msg.msg_iov = &room;
    msg.iov_count = 1;
    ASSERT_EQ(fi_readmsg(from, &msg, FI_COMPLETION), 0);
    world.a.next();
    EXPECT_STREQ(got, said);
    msg.rma_iov_count = 2;
    EXPECT_EQ(fi_readmsg(from, &msg, 0), -FI_EINVAL);
    EXPECT_EQ(fi_writemsg(from, &msg, 0), -FI_EINVAL);
}

TEST(FiRemote, what_does_not_fit_is_refused_at_once) {
    World world;
    std::vector<std::uint8_t> memory(2000);
    fid_ep* const from = world.a.endpoint.get();
    EXPECT_EQ(
        fi_inject_write(from, memory.data(), world.info->tx_attr->inject_size + 1, world.b.address, 0, kKey),
        -FI_EMSGSIZE);
    const std::size_t most = world.info->tx_attr->iov_limit;
    const std::vector<iovec> pieces(most + 1, iovec{memory.data(), 1});
    EXPECT_EQ(fi_writev(from, pieces.data(), nullptr, most + 1, world.b.address, 0, kKey, nullptr),
              -FI_EINVAL);
    EXPECT_EQ(fi_readv(from, pieces.data(), nullptr, most + 1, world.b.address, 0, kKey, nullptr),
              -FI_EINVAL);
    EXPECT_TRUE(world.a.is_quiet());
}

TEST(FiRemote, memory_is_registered_whole_and_from_its_beginning) {
    World world;
    std::vector<std::uint8_t> memory(100);
    fid_mr* made = nullptr;
    fid_domain* const domain = world.domain.get();
    EXPECT_EQ(fi_mr_reg(domain, memory.data(), 100, FI_REMOTE_READ, 8, kKey, 0, &made, nullptr), -FI_EINVAL);
    const iovec halves[2]{{memory.data(), 50}, {memory.data() + 50, 50}};
    EXPECT_EQ(fi_mr_regv(domain, halves, 2, FI_REMOTE_READ, 0, kKey, 0, &made, nullptr), -FI_EINVAL);
    fi_mr_attr attributes{};
    attributes.mr_iov = halves;
    attributes.iov_count = 1;
    attributes.access = FI_REMOTE_WRITE;
    attributes.requested_key = kKey + 1;
    ASSERT_EQ(fi_mr_regattr(domain, &attributes, 0, &made), 0);
    const Owned<fid_mr> region(made);
    EXPECT_EQ(fi_mr_key(made), kKey + 1);
    EXPECT_EQ(fi_mr_bind(made, &world.a.endpoint->fid, 0), 0);
    EXPECT_EQ(fi_mr_enable(made), 0);
    EXPECT_EQ(fi_mr_bind(made, &world.vector->fid, 0), -FI_EINVAL);
    ASSERT_EQ(fi_inject_write(world.a.endpoint.get(), "x", 1, world.b.address, 49, kKey + 1), 0);
    world.until([&] { return memory[49] == 'x'; });
}

}  // namespace
}  // namespace isoplane::fi_test
