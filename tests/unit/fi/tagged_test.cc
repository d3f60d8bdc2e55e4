// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "world.hh"

namespace isoplane::fi_test {
namespace {

struct Peek {
    fi_msg_tagged msg{};

    Peek(std::uint64_t tag, std::uint64_t ignore, void* its) {
        msg.addr = FI_ADDR_UNSPEC;
        msg.tag = tag;
        msg.ignore = ignore;
        msg.context = its;
    }
};

TEST(FiTagged, messages_go_to_the_first_receive_that_their_tag_fits) {
    World world;
    int got[3]{};
    fid_ep* const to = world.b.endpoint.get();
    ASSERT_EQ(fi_trecv(to, &got[0], sizeof(int), nullptr, FI_ADDR_UNSPEC, 0xf0, 0, context(0)), 0);
    ASSERT_EQ(fi_trecv(to, &got[1], sizeof(int), nullptr, FI_ADDR_UNSPEC, 0x10, 0x0f, context(1)), 0);
    ASSERT_EQ(fi_trecv(to, &got[2], sizeof(int), nullptr, FI_ADDR_UNSPEC, 0, ~std::uint64_t{0}, context(2)),
              0);
    const std::uint64_t highest = std::uint64_t{1} << 63 | 0xf0;
    const std::uint64_t tags[] = {0x17, highest, 0xf0};
    const std::uintptr_t receives[] = {1, 2, 0};
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(fi_tinject(world.a.endpoint.get(), &i, sizeof i, world.b.address, tags[i]), 0);
        const fi_cq_tagged_entry entry = world.b.next();
        EXPECT_EQ(entry.op_context, context(receives[i]));
        EXPECT_EQ(entry.tag, tags[i]);
        EXPECT_EQ(got[receives[i]], i);
    }
}

TEST(FiTagged, and_so_do_those_that_were_there_before_in_their_order) {
    World world;
    for (int i = 0; i < 4000; ++i)
        ASSERT_EQ(fi_tinject(world.a.endpoint.get(), &i, sizeof i, world.b.address,
                             static_cast<std::uint64_t>(i % 4)),
                  0);
    for (int tag = 3; tag >= 0; --tag) {
        for (int i = tag; i < 4000; i += 4) {
            int got = -1;
            ASSERT_EQ(fi_trecv(world.b.endpoint.get(), &got, sizeof got, nullptr, FI_ADDR_UNSPEC,
                               static_cast<std::uint64_t>(tag), 0, nullptr),
                      0);
            world.b.next();
            ASSERT_EQ(got, i);
        }
    }
}

TEST(FiTagged, a_receive_from_one_takes_nothing_from_another) {
    World world({.caps = FI_TAGGED | FI_DIRECTED_RECV | FI_SOURCE});
    int first = -1;
    int second = -1;
    fid_ep* const to = world.b.endpoint.get();
    ASSERT_EQ(fi_trecv(to, &first, sizeof first, nullptr, world.b.address, 1, 0, context(1)), 0);
    ASSERT_EQ(fi_trecv(to, &second, sizeof second, nullptr, world.a.address, 1, 0, context(2)), 0);
    const int said[] = {5, 6};
    ASSERT_EQ(fi_tinject(world.a.endpoint.get(), &said[0], sizeof(int), world.b.address, 1), 0);
    EXPECT_EQ(world.b.next().op_context, context(2));
    ASSERT_EQ(fi_tinject(to, &said[1], sizeof(int), world.b.address, 1), 0);
    EXPECT_EQ(world.b.next().op_context, context(1));
    EXPECT_EQ(first, 6);
    EXPECT_EQ(second, 5);
}

TEST(FiTagged, who_peeks_learns_what_is_there) {
    World world;
    const Peek peek(5, 0, context(8));
    ASSERT_EQ(fi_trecvmsg(world.b.endpoint.get(), &peek.msg, FI_PEEK | FI_COMPLETION), 0);
    const fi_cq_err_entry nothing = world.b.next_error();
    EXPECT_EQ(nothing.err, FI_ENOMSG);
    EXPECT_EQ(nothing.op_context, context(8));
    const auto said = content(50000);
    ASSERT_EQ(fi_tsenddata(world.a.endpoint.get(), said.data(), said.size(), nullptr, 77, world.b.address, 5,
                           nullptr),
              0);
    world.until([&] {
        fi_trecvmsg(world.b.endpoint.get(), &peek.msg, FI_PEEK | FI_COMPLETION);
        fi_cq_tagged_entry entry{};
        if (fi_cq_read(world.b.queue.get(), &entry, 1) == 1) {
            EXPECT_EQ(entry.len, 50000U);
            EXPECT_EQ(entry.data, 77U);
            EXPECT_EQ(entry.tag, 5U);
            return true;
        }
        fi_cq_err_entry error{};
        fi_cq_readerr(world.b.queue.get(), &error, 0);
        return false;
    });
    EXPECT_TRUE(world.b.is_quiet());
}

TEST(FiTagged, what_is_claimed_is_nobody_elses) {
    World world;
    for (const unsigned size : {100U, 60000U}) {
        const auto said = content(size);
        const auto other = content(size, 2);
        for (const auto& data : {&said, &other})
            ASSERT_EQ(
                fi_tsend(world.a.endpoint.get(), data->data(), size, nullptr, world.b.address, 5, nullptr),
                0);
        fi_cq_read(world.b.queue.get(), nullptr, 0);
        Peek claim(5, 0, context(1));
        ASSERT_EQ(fi_trecvmsg(world.b.endpoint.get(), &claim.msg, FI_PEEK | FI_CLAIM | FI_COMPLETION), 0);
        EXPECT_EQ(world.b.next().len, size);
        std::vector<std::uint8_t> got(size);
        ASSERT_EQ(
            fi_trecv(world.b.endpoint.get(), got.data(), size, nullptr, FI_ADDR_UNSPEC, 5, 0, context(2)), 0);
        EXPECT_EQ(world.b.next().op_context, context(2));
        EXPECT_EQ(got, other);
        const iovec memory{got.data(), size};
        claim.msg.msg_iov = &memory;
        claim.msg.iov_count = 1;
        ASSERT_EQ(fi_trecvmsg(world.b.endpoint.get(), &claim.msg, FI_CLAIM | FI_COMPLETION), 0);
        EXPECT_EQ(world.b.next().op_context, context(1));
        EXPECT_EQ(got, said);
        world.a.next();
        world.a.next();
    }
}

TEST(FiTagged, what_is_discarded_is_gone_and_its_sender_free) {
    World world;
    for (const unsigned size : {100U, 60000U}) {
        const auto said = content(size);
        ASSERT_EQ(fi_tsend(world.a.endpoint.get(), said.data(), size, nullptr, world.b.address, 5, nullptr),
                  0);
        fi_cq_read(world.b.queue.get(), nullptr, 0);
        const Peek peek(5, 0, context(1));
        ASSERT_EQ(fi_trecvmsg(world.b.endpoint.get(), &peek.msg, FI_PEEK | FI_DISCARD | FI_COMPLETION), 0);
        EXPECT_EQ(world.b.next().len, size);
        world.a.next();
        ASSERT_EQ(fi_trecvmsg(world.b.endpoint.get(), &peek.msg, FI_PEEK | FI_COMPLETION), 0);
        EXPECT_EQ(world.b.next_error().err, FI_ENOMSG);
    }
}

TEST(FiTagged, what_is_claimed_may_be_discarded_and_only_once) {
    World world;
    ASSERT_EQ(fi_tinject(world.a.endpoint.get(), "x", 1, world.b.address, 5), 0);
    fi_cq_read(world.b.queue.get(), nullptr, 0);
    const Peek its(5, 0, context(1));
    ASSERT_EQ(fi_trecvmsg(world.b.endpoint.get(), &its.msg, FI_PEEK | FI_CLAIM | FI_COMPLETION), 0);
    EXPECT_EQ(world.b.next().len, 1U);
    ASSERT_EQ(fi_trecvmsg(world.b.endpoint.get(), &its.msg, FI_CLAIM | FI_DISCARD | FI_COMPLETION), 0);
    EXPECT_EQ(world.b.next().op_context, context(1));
    EXPECT_EQ(fi_trecvmsg(world.b.endpoint.get(), &its.msg, FI_CLAIM | FI_COMPLETION), -FI_EINVAL);
}

TEST(FiTagged, every_way_to_send_says_the_same) {
    World world;
    fid_ep* const from = world.a.endpoint.get();
    char said[] = "abcd";
    const iovec pieces[2]{{said, 1}, {said + 1, 3}};
    fi_msg_tagged msg{};
    msg.msg_iov = pieces;
    msg.iov_count = 2;
    msg.addr = world.b.address;
    msg.tag = 9;
    msg.data = 33;
    const std::function<ssize_t()> ways[] = {
        [&] { return fi_tsendv(from, pieces, nullptr, 2, world.b.address, 9, nullptr); },
        [&] { return fi_tsendmsg(from, &msg, FI_COMPLETION | FI_REMOTE_CQ_DATA); },
        [&] { return fi_tinjectdata(from, said, 4, 33, world.b.address, 9); }};
    for (const auto& way : ways) {
        char got[5]{};
        ASSERT_EQ(fi_trecv(world.b.endpoint.get(), got, 4, nullptr, FI_ADDR_UNSPEC, 9, 0, nullptr), 0);
        ASSERT_EQ(way(), 0);
        const fi_cq_tagged_entry entry = world.b.next();
        EXPECT_STREQ(got, said);
        EXPECT_EQ(entry.tag, 9U);
        EXPECT_EQ(entry.data, (entry.flags & FI_REMOTE_CQ_DATA) != 0 ? 33U : 0U);
    }
}

}  // namespace
}  // namespace isoplane::fi_test
