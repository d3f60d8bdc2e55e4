// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <poll.h>

#include <cstring>

#include "world.hh"

namespace isoplane::fi_test {
namespace {

using Data = std::vector<std::uint8_t>;

void echo_all(World& world, bool late) {
    for (const unsigned size :
         {0U, 1U, 256U, 257U, 1024U, 16384U, 16385U, 32768U, 32769U, 100000U, 3000000U}) {
        const Data said = content(size, 3);
        Data got(size);
        const auto receive = [&] {
            ASSERT_EQ(fi_recv(world.b.endpoint.get(), got.data(), size, nullptr, FI_ADDR_UNSPEC, context(2)),
                      0);
        };
        if (!late) receive();
        ASSERT_EQ(fi_send(world.a.endpoint.get(), said.data(), size, nullptr, world.b.address, context(1)),
                  0);
        if (late) {
            fi_cq_read(world.b.queue.get(), nullptr, 0);
            receive();
        }
        const fi_cq_tagged_entry sent = world.a.next();
        EXPECT_EQ(sent.op_context, context(1));
        EXPECT_EQ(sent.flags, FI_SEND | FI_MSG);
        fi_addr_t from = FI_ADDR_NOTAVAIL;
        const fi_cq_tagged_entry received = world.b.next(&from);
        EXPECT_EQ(received.op_context, context(2));
        EXPECT_EQ(received.flags, FI_RECV | FI_MSG);
        EXPECT_EQ(received.len, size);
        EXPECT_EQ(from, world.a.address);
        EXPECT_EQ(got, said) << size;
    }
    EXPECT_TRUE(world.a.is_quiet());
    EXPECT_TRUE(world.b.is_quiet());
}

TEST(FiMessages, of_all_lengths_arrive_whether_they_are_waited_for_or_not) {
    for (const fi_av_type vector : {FI_AV_MAP, FI_AV_TABLE}) {
        World world({.vector = vector});
        echo_all(world, false);
        echo_all(world, true);
    }
}

TEST(FiMessages, a_thread_makes_progress_for_who_does_not) {
    World world({.progress = FI_PROGRESS_AUTO});
    echo_all(world, false);
}

TEST(FiMessages, in_several_pieces_are_one) {
    World world;
    for (const unsigned part : {10U, 5000U, 50000U}) {
        const Data said = content(3 * part);
        Data got(3 * part);
        iovec out[3];
        iovec in[2]{{got.data(), part / 2}, {got.data() + part / 2, 3 * part - part / 2}};
        for (std::size_t i = 0; i < 3; ++i)
            out[i] = {const_cast<std::uint8_t*>(said.data()) + i * part, part};
        for (int late = 0; late < 2; ++late) {
            std::fill(got.begin(), got.end(), std::uint8_t{0});
            if (late == 0) {
                ASSERT_EQ(fi_recvv(world.b.endpoint.get(), in, nullptr, 2, FI_ADDR_UNSPEC, nullptr), 0);
            }
            ASSERT_EQ(fi_sendv(world.a.endpoint.get(), out, nullptr, 3, world.b.address, nullptr), 0);
            if (late == 1) {
                ASSERT_EQ(fi_recvv(world.b.endpoint.get(), in, nullptr, 2, FI_ADDR_UNSPEC, nullptr), 0);
            }
            world.a.next();
            world.b.next();
            EXPECT_EQ(got, said) << part << " " << late;
        }
    }
}

TEST(FiMessages, injected_data_may_change_at_once) {
    World world;
    Data said = content(1024);
    Data got(1024);
    ASSERT_EQ(fi_inject(world.a.endpoint.get(), said.data(), said.size(), world.b.address), 0);
    std::fill(said.begin(), said.end(), std::uint8_t{0});
    ASSERT_EQ(fi_recv(world.b.endpoint.get(), got.data(), got.size(), nullptr, FI_ADDR_UNSPEC, nullptr), 0);
    world.b.next();
    EXPECT_EQ(got, content(1024));
    EXPECT_TRUE(world.a.is_quiet());
    EXPECT_EQ(fi_inject(world.a.endpoint.get(), got.data(), 1025, world.b.address), -FI_EMSGSIZE);
}

TEST(FiMessages, remote_data_comes_along) {
    World world;
    char byte = 0;
    ASSERT_EQ(fi_recv(world.b.endpoint.get(), &byte, 1, nullptr, FI_ADDR_UNSPEC, nullptr), 0);
    ASSERT_EQ(fi_injectdata(world.a.endpoint.get(), "x", 1, 0xcafef00d, world.b.address), 0);
    fi_cq_tagged_entry entry = world.b.next();
    EXPECT_EQ(entry.flags, FI_RECV | FI_MSG | FI_REMOTE_CQ_DATA);
    EXPECT_EQ(entry.data, 0xcafef00dU);
    const Data said = content(70000);
    Data got(70000);
    ASSERT_EQ(fi_tsenddata(world.a.endpoint.get(), said.data(), said.size(), nullptr, 7, world.b.address, 5,
                           nullptr),
              0);
    fi_cq_read(world.b.queue.get(), nullptr, 0);
    ASSERT_EQ(
        fi_trecv(world.b.endpoint.get(), got.data(), got.size(), nullptr, FI_ADDR_UNSPEC, 5, 0, nullptr), 0);
    entry = world.b.next();
    EXPECT_EQ(entry.flags, FI_RECV | FI_TAGGED | FI_REMOTE_CQ_DATA);
    EXPECT_EQ(entry.data, 7U);
    EXPECT_EQ(entry.tag, 5U);
    EXPECT_EQ(got, said);
}

TEST(FiMessages, too_long_for_their_buffer_are_cut_off_and_it_is_said) {
    World world;
    for (const unsigned size : {200U, 100000U}) {
        for (const unsigned room : {0U, size / 2}) {
            for (int late = 0; late < 2; ++late) {
                const Data said = content(size);
                Data got(size);
                const auto receive = [&] {
                    return fi_recv(world.b.endpoint.get(), got.data(), room, nullptr, FI_ADDR_UNSPEC,
                                   context(4));
                };
                if (late == 0) {
                    ASSERT_EQ(receive(), 0);
                }
                ASSERT_EQ(
                    fi_send(world.a.endpoint.get(), said.data(), size, nullptr, world.b.address, nullptr), 0);
                if (late == 1) {
                    fi_cq_read(world.b.queue.get(), nullptr, 0);
                    ASSERT_EQ(receive(), 0);
                }
                const fi_cq_err_entry error = world.b.next_error();
                EXPECT_EQ(error.err, FI_ETRUNC);
                EXPECT_EQ(error.op_context, context(4));
                EXPECT_EQ(error.len, room);
                EXPECT_EQ(error.olen, size - room);
                EXPECT_EQ(std::memcmp(got.data(), said.data(), room), 0);
                world.a.next();  // whoever sends learns nothing of it, but waits for nothing either
            }
        }
    }
}

TEST(FiMessages, go_one_behind_the_other_into_a_buffer_for_several) {
    World world;
    Data buffer(1000);
    const std::size_t least = 101;
    ASSERT_EQ(fi_setopt(&world.b.endpoint->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least, sizeof least),
              0);
    const Data said = content(300);
    for (int i = 0; i < 2; ++i)  // before it is there
        ASSERT_EQ(fi_inject(world.a.endpoint.get(), said.data(), 150, world.b.address), 0);
    fi_cq_read(world.b.queue.get(), nullptr, 0);
    const iovec memory{buffer.data(), buffer.size()};
    const fi_msg msg{&memory, nullptr, 1, FI_ADDR_UNSPEC, context(9), 0};
    ASSERT_EQ(fi_recvmsg(world.b.endpoint.get(), &msg, FI_MULTI_RECV), 0);
    for (int i = 0; i < 2; ++i)
        ASSERT_EQ(fi_inject(world.a.endpoint.get(), said.data(), 300, world.b.address), 0);
    std::size_t at = 0;
    for (const unsigned size : {150U, 150U, 300U, 300U}) {
        const fi_cq_tagged_entry entry = world.b.next();
        EXPECT_EQ(entry.op_context, context(9));
        EXPECT_EQ(entry.len, size);
        EXPECT_EQ(entry.buf, buffer.data() + at);
        EXPECT_EQ(std::memcmp(entry.buf, said.data(), size), 0);
        EXPECT_EQ(entry.flags, FI_RECV | FI_MSG);
        at += size;
    }
    const fi_cq_tagged_entry last = world.b.next();
    EXPECT_EQ(last.flags, FI_MULTI_RECV);
    EXPECT_EQ(last.op_context, context(9));
}

TEST(FiMessages, a_receive_that_is_cancelled_takes_nothing) {
    World world;
    char first = 0;
    char second = 0;
    ASSERT_EQ(fi_recv(world.b.endpoint.get(), &first, 1, nullptr, FI_ADDR_UNSPEC, context(1)), 0);
    ASSERT_EQ(fi_recv(world.b.endpoint.get(), &second, 1, nullptr, FI_ADDR_UNSPEC, context(2)), 0);
    ASSERT_EQ(fi_cancel(&world.b.endpoint->fid, context(1)), 0);
    const fi_cq_err_entry error = world.b.next_error();
    EXPECT_EQ(error.err, FI_ECANCELED);
    EXPECT_EQ(error.op_context, context(1));
    ASSERT_EQ(fi_inject(world.a.endpoint.get(), "x", 1, world.b.address), 0);
    EXPECT_EQ(world.b.next().op_context, context(2));
    EXPECT_EQ(first, 0);
    EXPECT_EQ(second, 'x');
    EXPECT_EQ(fi_cancel(&world.b.endpoint->fid, context(1)), -FI_ENOENT);
}

TEST(FiMessages, completions_are_only_written_where_they_are_wanted) {
    World world({.bind = FI_SELECTIVE_COMPLETION});
    char byte = 0;
    ASSERT_EQ(fi_recv(world.b.endpoint.get(), &byte, 1, nullptr, FI_ADDR_UNSPEC, nullptr), 0);
    ASSERT_EQ(fi_send(world.a.endpoint.get(), "x", 1, nullptr, world.b.address, nullptr), 0);
    world.until([&byte] { return byte == 'x'; });
    EXPECT_TRUE(world.a.is_quiet());
    EXPECT_TRUE(world.b.is_quiet());
    const iovec memory{&byte, 1};
    const fi_msg msg{&memory, nullptr, 1, world.b.address, context(3), 0};
    const fi_msg in{&memory, nullptr, 1, FI_ADDR_UNSPEC, context(4), 0};
    ASSERT_EQ(fi_recvmsg(world.b.endpoint.get(), &in, FI_COMPLETION), 0);
    ASSERT_EQ(fi_sendmsg(world.a.endpoint.get(), &msg, FI_COMPLETION | FI_DELIVERY_COMPLETE), 0);
    EXPECT_EQ(world.a.next().op_context, context(3));
    EXPECT_EQ(world.b.next().op_context, context(4));
}

TEST(FiMessages, a_descriptor_becomes_readable_when_something_completes) {
    World world({.wait = FI_WAIT_FD});
    int descriptor = -1;
    ASSERT_EQ(fi_control(&world.b.queue->fid, FI_GETWAIT, &descriptor), 0);
    fid* id = &world.b.queue->fid;
    ASSERT_EQ(fi_trywait(world.fabric.get(), &id, 1), 0);
    char byte = 0;
    ASSERT_EQ(fi_recv(world.b.endpoint.get(), &byte, 1, nullptr, FI_ADDR_UNSPEC, nullptr), 0);
    ASSERT_EQ(fi_inject(world.a.endpoint.get(), "x", 1, world.b.address), 0);
    pollfd ready{descriptor, POLLIN, 0};
    ASSERT_EQ(poll(&ready, 1, 20000), 1);
    EXPECT_EQ(fi_trywait(world.fabric.get(), &id, 1), -FI_EAGAIN);
    world.b.next();
    EXPECT_EQ(poll(&ready, 1, 0), 0);
}

TEST(FiMessages, are_counted) {
    World world;
    const Owned<fid_cntr> counter = world.counter();
    EXPECT_EQ(fi_cntr_wait(counter.get(), 1, 1), -FI_ETIMEDOUT);
    ASSERT_EQ(fi_cntr_add(counter.get(), 5), 0);
    EXPECT_EQ(fi_cntr_read(counter.get()), 5U);
    ASSERT_EQ(fi_cntr_set(counter.get(), 2), 0);
    EXPECT_EQ(fi_cntr_wait(counter.get(), 2, -1), 0);
    EXPECT_EQ(fi_ep_bind(world.a.endpoint.get(), &counter->fid, FI_SEND), -FI_EOPBADSTATE);
}

}  // namespace
}  // namespace isoplane::fi_test
