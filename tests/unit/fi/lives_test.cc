// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Endpoints come and go, and others have their places and their names.
#include "world.hh"

namespace isoplane::fi_test {
namespace {

using Data = std::vector<std::uint8_t>;

/// Of one that has sent so many short ones before.
void send_after(unsigned short_ones) {
    World world;
    const Data first = content(kLong, 1);
    const Data second = content(kLong, 2);
    fi_addr_t before = FI_ADDR_UNSPEC;
    {
        const End closed = world.open_end();
        before = closed.address;
        for (unsigned i = 0; i < short_ones; ++i) {
            ASSERT_EQ(fi_inject(closed.endpoint.get(), "x", 1, world.b.address), 0);
            std::uint8_t got = 0;
            ASSERT_EQ(fi_recv(world.b.endpoint.get(), &got, 1, nullptr, FI_ADDR_UNSPEC, context(5)), 0);
            EXPECT_EQ(world.b.next().op_context, context(5));
        }
        ASSERT_EQ(fi_send(closed.endpoint.get(), first.data(), kLong, nullptr, world.b.address, context(1)),
                  0);
    }
    End next = world.open_end();
    ASSERT_EQ(next.address, before);
    ASSERT_EQ(fi_send(next.endpoint.get(), second.data(), kLong, nullptr, world.b.address, context(2)), 0);
    Data got[2]{Data(kLong), Data(kLong)};
    for (unsigned i = 0; i < 2; ++i)
        ASSERT_EQ(
            fi_recv(world.b.endpoint.get(), got[i].data(), kLong, nullptr, FI_ADDR_UNSPEC, context(3 + i)),
            0);
    const fi_cq_err_entry error = world.b.next_error();
    EXPECT_EQ(error.op_context, context(3));
    EXPECT_EQ(error.err, FI_EHOSTDOWN);
    EXPECT_EQ(error.len, 0U);
    EXPECT_EQ(got[0], Data(kLong));
    EXPECT_EQ(world.b.next().op_context, context(4));
    EXPECT_EQ(got[1], second);
    EXPECT_EQ(next.next().op_context, context(2));
}

TEST(FiLives, a_long_message_of_one_that_is_closed_is_not_taken_for_one_of_the_next) {
    for (const unsigned short_ones : {0U, 63U, 64U, 65U})
        send_after(short_ones);
}

TEST(FiLives, who_offers_a_long_message_to_one_that_is_closed_does_not_wait_for_it) {
    World world;
    const Data said = content(kLong);
    {
        End closed = world.open_end();
        ASSERT_EQ(fi_send(world.a.endpoint.get(), said.data(), kLong, nullptr, closed.address, context(1)),
                  0);
        EXPECT_TRUE(closed.is_quiet());
    }
    EXPECT_EQ(world.a.next().op_context, context(1));
}

TEST(FiLives, a_long_message_that_is_to_be_delivered_to_one_that_is_closed_is_not) {
    World world;
    const Data said = content(kLong);
    {
        End closed = world.open_end();
        const iovec memory{const_cast<std::uint8_t*>(said.data()), kLong};
        const fi_msg msg{&memory, nullptr, 1, closed.address, context(1), 0};
        ASSERT_EQ(fi_sendmsg(world.a.endpoint.get(), &msg, FI_COMPLETION | FI_DELIVERY_COMPLETE), 0);
        EXPECT_TRUE(closed.is_quiet());
    }
    const fi_cq_err_entry error = world.a.next_error();
    EXPECT_EQ(error.op_context, context(1));
    EXPECT_EQ(error.err, FI_EHOSTDOWN);
}

TEST(FiLives, who_asks_one_that_is_closed_hears_that_it_is) {
    World world;
    Data memory(kLong);
    const Data said = content(kLong);
    fi_addr_t gone = FI_ADDR_UNSPEC;
    {
        const End closed = world.open_end();
        gone = closed.address;
        ASSERT_EQ(fi_send(closed.endpoint.get(), said.data(), kLong, nullptr, world.b.address, nullptr), 0);
    }
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(fi_read(world.a.endpoint.get(), memory.data(), 8, nullptr, gone, 0, kKey, context(1)), 0);
        const fi_cq_err_entry error = world.a.next_error();
        EXPECT_EQ(error.op_context, context(1));
        EXPECT_EQ(error.err, FI_EHOSTDOWN);
    }
    ASSERT_EQ(fi_recv(world.b.endpoint.get(), memory.data(), kLong, nullptr, FI_ADDR_UNSPEC, context(2)), 0);
    const fi_cq_err_entry error = world.b.next_error();
    EXPECT_EQ(error.op_context, context(2));
    EXPECT_EQ(error.err, FI_EHOSTDOWN);
    EXPECT_EQ(error.len, 0U);
    EXPECT_TRUE(world.a.is_quiet());
    EXPECT_TRUE(world.b.is_quiet());
}

TEST(FiLives, what_is_used_is_not_closed) {
    World world;
    const Owned<fid_cntr> counter = world.counter();
    {
        std::uint8_t memory[8]{};
        const Owned<fid_mr> region = world.offer(memory, sizeof memory, kKey);
        ASSERT_EQ(fi_mr_bind(region.get(), &counter->fid, FI_REMOTE_WRITE), 0);
        EXPECT_EQ(fi_close(&counter->fid), -FI_EBUSY);
    }
    {
        const Owned<fid_ep> endpoint = world.endpoint();
        for (const std::uint64_t flags : {FI_SEND, FI_RECV, FI_SEND})
            ASSERT_EQ(fi_ep_bind(endpoint.get(), &counter->fid, flags), 0);
        EXPECT_EQ(fi_close(&counter->fid), -FI_EBUSY);
    }
    EXPECT_EQ(fi_close(&world.a.queue->fid), -FI_EBUSY);
    EXPECT_EQ(fi_close(&world.vector->fid), -FI_EBUSY);
    EXPECT_EQ(fi_close(&world.fabric->fid), -FI_EBUSY);
    const Info info = get_info([](fi_info&) {});
    fid_fabric* fabric = nullptr;
    ASSERT_EQ(fi_fabric(info->fabric_attr, &fabric, nullptr), 0);
    {
        fid_eq* queue = nullptr;
        ASSERT_EQ(fi_eq_open(fabric, nullptr, &queue, nullptr), 0);
        const Owned<fid_eq> closed(queue);
        EXPECT_EQ(fi_close(&fabric->fid), -FI_EBUSY);
    }
    EXPECT_EQ(fi_close(&fabric->fid), 0);
}

}  // namespace
}  // namespace isoplane::fi_test
