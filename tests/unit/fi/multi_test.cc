// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Buffers for several messages, which come in the order in which they were sent.
#include <cstring>

#include "world.hh"

namespace isoplane::fi_test {
namespace {

using Data = std::vector<std::uint8_t>;
constexpr std::size_t kRoom = 1000;

struct Talk {
    World world;
    Data said = content(100000);
    Data first = Data(kRoom);
    Data second = Data(kRoom);
    Data third = Data(kRoom);

    void send(std::size_t size) {
        ASSERT_EQ(fi_send(world.a.endpoint.get(), said.data(), size, nullptr, world.b.address, context(size)),
                  0);
    }
    void post(Data& buffer) {
        const iovec memory{buffer.data(), buffer.size()};
        const fi_msg msg{&memory, nullptr, 1, FI_ADDR_UNSPEC, buffer.data(), 0};
        ASSERT_EQ(fi_recvmsg(world.b.endpoint.get(), &msg, FI_MULTI_RECV), 0);
    }
    void expect(Data& buffer, std::size_t at, std::size_t size) {
        const fi_cq_tagged_entry entry = world.b.next();
        EXPECT_EQ(entry.op_context, buffer.data());
        EXPECT_EQ(entry.flags, FI_RECV | FI_MSG);
        EXPECT_EQ(entry.buf, buffer.data() + at);
        EXPECT_EQ(entry.len, size);
        EXPECT_EQ(std::memcmp(buffer.data() + at, said.data(), size), 0);
    }
    void expect_end(Data& buffer) {
        const fi_cq_tagged_entry entry = world.b.next();
        EXPECT_EQ(entry.op_context, buffer.data());
        EXPECT_EQ(entry.flags, FI_MULTI_RECV);
    }
};

TEST(FiMulti, a_message_does_not_overtake_one_that_the_buffer_has_no_room_for) {
    Talk talk;
    talk.post(talk.first);
    for (const std::size_t size : {600U, 601U, 100U})
        talk.send(size);
    talk.expect(talk.first, 0, 600);
    talk.expect_end(talk.first);
    talk.post(talk.second);
    talk.expect(talk.second, 0, 601);
    talk.expect(talk.second, 601, 100);
    EXPECT_TRUE(talk.world.b.is_quiet());
}

TEST(FiMulti, nor_when_they_were_there_before_the_buffer) {
    Talk talk;
    for (const std::size_t size : {600U, 601U, 100U})
        talk.send(size);
    talk.post(talk.first);
    talk.expect(talk.first, 0, 600);
    talk.expect_end(talk.first);
    talk.post(talk.second);
    talk.expect(talk.second, 0, 601);
    talk.expect(talk.second, 601, 100);
    EXPECT_TRUE(talk.world.b.is_quiet());
}

TEST(FiMulti, one_that_no_buffer_has_room_for_is_cut_off_in_its_turn) {
    for (const std::size_t size : {5000U, 100000U}) {
        Talk talk;
        talk.post(talk.first);
        talk.send(size);
        talk.send(100);
        talk.expect_end(talk.first);
        talk.post(talk.second);
        const fi_cq_err_entry error = talk.world.b.next_error();
        EXPECT_EQ(error.err, FI_ETRUNC);
        EXPECT_EQ(error.op_context, talk.second.data());
        EXPECT_EQ(error.len, kRoom);
        EXPECT_EQ(error.olen, size - kRoom);
        EXPECT_EQ(std::memcmp(talk.second.data(), talk.said.data(), kRoom), 0);
        talk.expect_end(talk.second);
        talk.post(talk.third);
        talk.expect(talk.third, 0, 100);
        EXPECT_TRUE(talk.world.b.is_quiet());
    }
}

TEST(FiMulti, a_buffer_that_is_cancelled_is_given_back_when_what_has_begun_to_come_is_there) {
    for (const bool was_there : {true, false}) {
        for (const std::size_t size : {100U, 20000U, 100000U}) {
            Talk talk;
            Data buffer(200000);
            if (was_there) {
                talk.send(size);
                EXPECT_TRUE(talk.world.b.is_quiet());
            }
            talk.post(buffer);
            if (!was_there) talk.send(size);
            ASSERT_EQ(fi_cancel(&talk.world.b.endpoint->fid, buffer.data()), 0);
            talk.expect(buffer, 0, size);
            const fi_cq_err_entry error = talk.world.b.next_error();
            EXPECT_EQ(error.op_context, buffer.data());
            EXPECT_EQ(error.err, FI_ECANCELED);
            std::fill(buffer.begin(), buffer.end(), std::uint8_t{0});
            talk.send(100);
            EXPECT_TRUE(talk.world.b.is_quiet());
            EXPECT_EQ(buffer, Data(buffer.size()));
        }
    }
}

}  // namespace
}  // namespace isoplane::fi_test
