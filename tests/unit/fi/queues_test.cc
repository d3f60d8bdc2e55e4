// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cstring>

#include "world.hh"

namespace isoplane::fi_test {
namespace {

/// An endpoint of its own beside the two, with what a test binds to it.
struct Third {
    World& world;
    Owned<fid_cq> queue;
    Owned<fid_ep> endpoint;
    fi_addr_t address = FI_ADDR_UNSPEC;

    Third(World& its, fi_cq_format format) : world(its), endpoint(its.endpoint()) {
        fi_cq_attr attributes{};
        attributes.format = format;
        fid_cq* made = nullptr;
        EXPECT_EQ(fi_cq_open(world.domain.get(), &attributes, &made, nullptr), 0);
        queue.reset(made);
        EXPECT_EQ(fi_ep_bind(endpoint.get(), &world.vector->fid, 0), 0);
        EXPECT_EQ(fi_ep_bind(endpoint.get(), &made->fid, FI_TRANSMIT | FI_RECV), 0);
    }
    ~Third() {
        endpoint.reset();  // before what is bound to it
    }
    void enable() {
        EXPECT_EQ(fi_enable(endpoint.get()), 0);
        std::uint8_t name[8];
        std::size_t size = sizeof name;
        EXPECT_EQ(fi_getname(&endpoint->fid, name, &size), 0);
        EXPECT_EQ(fi_av_insert(world.vector.get(), name, 1, &address, 0, nullptr), 1);
    }
};

/// What is read of a message whose receive has this context, where entries are of that format.
template <typename Entry>
Entry read_one(fi_cq_format format) {
    World world;
    Third third(world, format);
    third.enable();
    char got[4]{};
    // An entry that were written longer than its format says would end in the second.
    Entry entries[2]{};
    std::memset(&entries[1], 0x55, sizeof(Entry));
    const Entry untouched = entries[1];
    EXPECT_EQ(fi_recv(third.endpoint.get(), got, sizeof got, nullptr, FI_ADDR_UNSPEC, context(4)), 0);
    EXPECT_EQ(fi_injectdata(world.a.endpoint.get(), "abc", 3, 42, third.address), 0);
    world.until([&] { return fi_cq_read(third.queue.get(), entries, 1) == 1; });
    EXPECT_STREQ(got, "abc");
    EXPECT_EQ(std::memcmp(&entries[1], &untouched, sizeof(Entry)), 0);
    return entries[0];
}

TEST(FiQueues, entries_say_as_much_as_their_format_has_room_for) {
    EXPECT_EQ(read_one<fi_cq_entry>(FI_CQ_FORMAT_CONTEXT).op_context, context(4));
    EXPECT_EQ(read_one<fi_cq_entry>(FI_CQ_FORMAT_UNSPEC).op_context, context(4));
    EXPECT_EQ(read_one<fi_cq_msg_entry>(FI_CQ_FORMAT_MSG).len, 3U);
    EXPECT_EQ(read_one<fi_cq_data_entry>(FI_CQ_FORMAT_DATA).data, 42U);
}

/// Who has had the last is told so without another look at the network, but not when more has come since.
TEST(FiQueues, what_has_come_since_the_last_was_read_is_read_at_once) {
    World world;
    Third third(world, FI_CQ_FORMAT_CONTEXT);
    third.enable();
    char got[4]{};
    fi_cq_entry entry{};
    fid* queue = &third.queue->fid;
    for (std::uintptr_t i = 0; i < 3; ++i) {
        EXPECT_EQ(fi_recv(third.endpoint.get(), got, sizeof got, nullptr, FI_ADDR_UNSPEC, context(i)), 0);
        EXPECT_EQ(fi_inject(world.a.endpoint.get(), "abc", 3, third.address), 0);
        world.until([&] { return fi_trywait(world.fabric.get(), &queue, 1) != 0; });
        EXPECT_EQ(fi_cq_read(third.queue.get(), &entry, 1), 1) << i;
        EXPECT_EQ(entry.op_context, context(i));
    }
    EXPECT_EQ(fi_cq_read(third.queue.get(), &entry, 1), -FI_EAGAIN);
}

TEST(FiQueues, who_waits_is_woken_by_a_signal) {
    World world;
    fi_cq_tagged_entry entry{};
    ASSERT_EQ(fi_cq_signal(world.a.queue.get()), 0);
    EXPECT_EQ(fi_cq_sread(world.a.queue.get(), &entry, 1, nullptr, -1), -FI_EAGAIN);
    EXPECT_EQ(fi_cq_sread(world.a.queue.get(), &entry, 1, nullptr, 1), -FI_EAGAIN);
}

TEST(FiQueues, an_error_has_a_text_and_is_read_as_an_error_only) {
    World world;
    fi_cq_err_entry error{};
    EXPECT_EQ(fi_cq_readerr(world.a.queue.get(), &error, 0), -FI_EAGAIN);
    char words[8];
    fi_cq_strerror(world.a.queue.get(), FI_ETRUNC, nullptr, words, sizeof words);
    EXPECT_EQ(std::string(words), std::string(fi_strerror(FI_ETRUNC)).substr(0, 7));
    EXPECT_STREQ(fi_cq_strerror(world.a.queue.get(), FI_ETRUNC, nullptr, nullptr, 0), fi_strerror(FI_ETRUNC));
}

TEST(FiQueues, what_cannot_be_waited_for_is_refused) {
    World world;
    fi_cq_attr attributes{};
    attributes.wait_obj = FI_WAIT_MUTEX_COND;
    fid_cq* queue = nullptr;
    EXPECT_EQ(fi_cq_open(world.domain.get(), &attributes, &queue, nullptr), -FI_ENOSYS);
    int descriptor = -1;
    EXPECT_EQ(fi_control(&world.a.queue->fid, FI_GETWAIT, &descriptor), -FI_ENOSYS);
    fi_cntr_attr counts{};
    counts.wait_obj = FI_WAIT_FD;
    fid_cntr* counter = nullptr;
    EXPECT_EQ(fi_cntr_open(world.domain.get(), &counts, &counter, nullptr), -FI_ENOSYS);
    fi_eq_attr events{};
    events.wait_obj = FI_WAIT_FD;
    fid_eq* notes = nullptr;
    EXPECT_EQ(fi_eq_open(world.fabric.get(), &events, &notes, nullptr), -FI_ENOSYS);
}

TEST(FiQueues, an_event_queue_has_what_its_user_writes) {
    World world;
    fi_eq_attr attributes{};
    fid_eq* made = nullptr;
    ASSERT_EQ(fi_eq_open(world.fabric.get(), &attributes, &made, nullptr), 0);
    const Owned<fid_eq> queue(made);
    std::uint32_t event = 0;
    char got[8]{};
    fi_eq_err_entry error{};
    EXPECT_EQ(fi_eq_read(made, &event, got, sizeof got, 0), -FI_EAGAIN);
    EXPECT_EQ(fi_eq_sread(made, &event, got, sizeof got, 2, 0), -FI_EAGAIN);
    EXPECT_EQ(fi_eq_readerr(made, &error, 0), -FI_EAGAIN);
    ASSERT_EQ(fi_eq_write(made, FI_NOTIFY, "abc", 4, 0), 4);
    ASSERT_EQ(fi_eq_write(made, FI_SHUTDOWN, "d", 2, 0), 2);
    EXPECT_EQ(fi_eq_read(made, &event, got, 3, 0), -FI_ETOOSMALL);
    for (const std::uint64_t flags : {std::uint64_t{FI_PEEK}, std::uint64_t{0}}) {
        EXPECT_EQ(fi_eq_sread(made, &event, got, sizeof got, -1, flags), 4);
        EXPECT_EQ(event, static_cast<std::uint32_t>(FI_NOTIFY));
        EXPECT_STREQ(got, "abc");
    }
    EXPECT_EQ(fi_eq_read(made, &event, got, sizeof got, 0), 2);
    EXPECT_EQ(event, static_cast<std::uint32_t>(FI_SHUTDOWN));
    EXPECT_EQ(fi_eq_read(made, &event, got, sizeof got, 0), -FI_EAGAIN);
    char words[8];
    fi_eq_strerror(made, FI_EAVAIL, nullptr, words, sizeof words);
    EXPECT_EQ(std::string(words), std::string(fi_strerror(FI_EAVAIL)).substr(0, 7));
}

TEST(FiCounters, count_what_they_are_bound_for) {
    World world;
    const Owned<fid_cntr> sent = world.counter();
    const Owned<fid_cntr> received = world.counter();
    const Owned<fid_cntr> read = world.counter();
    const Owned<fid_cntr> written = world.counter();
    const Owned<fid_cntr> read_by_others = world.counter();
    const Owned<fid_cntr> written_by_others = world.counter();
    const Owned<fid_cntr> changed = world.counter();
    std::uint64_t memory[2]{};
    const Owned<fid_mr> region = world.offer(memory, sizeof memory, 7);
    Third third(world, FI_CQ_FORMAT_TAGGED);
    const std::pair<fid_cntr*, std::uint64_t> bound[] = {{sent.get(), FI_SEND},
                                                         {received.get(), FI_RECV},
                                                         {read.get(), FI_READ},
                                                         {written.get(), FI_WRITE},
                                                         {read_by_others.get(), FI_REMOTE_READ},
                                                         {written_by_others.get(), FI_REMOTE_WRITE}};
    for (const auto& [counter, flags] : bound)
        ASSERT_EQ(fi_ep_bind(third.endpoint.get(), &counter->fid, flags), 0);
    third.enable();
    fid_ep* const its = third.endpoint.get();
    fid_ep* const other = world.a.endpoint.get();
    char byte = 0;
    char theirs = 0;
    ASSERT_EQ(fi_recv(other, &theirs, 1, nullptr, FI_ADDR_UNSPEC, nullptr), 0);
    ASSERT_EQ(fi_send(its, "x", 1, nullptr, world.a.address, nullptr), 0);
    ASSERT_EQ(fi_recv(its, &byte, 1, nullptr, FI_ADDR_UNSPEC, nullptr), 0);
    ASSERT_EQ(fi_inject(other, "x", 1, third.address), 0);
    ASSERT_EQ(fi_read(its, &byte, 1, nullptr, world.b.address, 0, 7, nullptr), 0);
    ASSERT_EQ(fi_write(its, "y", 1, nullptr, world.b.address, 1, 7, nullptr), 0);
    ASSERT_EQ(fi_read(other, &theirs, 1, nullptr, third.address, 0, 7, nullptr), 0);
    ASSERT_EQ(fi_write(other, "z", 1, nullptr, third.address, 2, 7, nullptr), 0);
    for (const auto& [counter, flags] : bound) {
        EXPECT_EQ(fi_cntr_wait(counter, 1, 20000), 0) << flags;
        EXPECT_EQ(fi_cntr_read(counter), 1U) << flags;
        EXPECT_EQ(fi_cntr_readerr(counter), 0U) << flags;
    }
    // Atomic operations are writes, unless they give back what was there.
    ASSERT_EQ(fi_mr_bind(region.get(), &changed->fid, FI_REMOTE_WRITE), 0);
    const std::uint64_t one = 1;
    std::uint64_t before = 0;
    ASSERT_EQ(fi_atomic(other, &one, 1, nullptr, third.address, 8, 7, FI_UINT64, FI_SUM, nullptr), 0);
    EXPECT_EQ(fi_cntr_wait(written_by_others.get(), 2, 20000), 0);
    ASSERT_EQ(fi_fetch_atomic(other, &one, 1, nullptr, &before, nullptr, third.address, 8, 7, FI_UINT64,
                              FI_SUM, nullptr),
              0);
    EXPECT_EQ(fi_cntr_wait(read_by_others.get(), 2, 20000), 0);
    EXPECT_EQ(fi_cntr_read(written_by_others.get()), 2U);
    EXPECT_EQ(fi_cntr_wait(changed.get(), 2, 20000), 0);
    EXPECT_EQ(memory[1], 2U);
}

TEST(FiCounters, an_error_is_counted_apart_and_ends_a_wait) {
    World world;
    const Owned<fid_cntr> written = world.counter();
    Third third(world, FI_CQ_FORMAT_TAGGED);
    ASSERT_EQ(fi_ep_bind(third.endpoint.get(), &written->fid, FI_WRITE), 0);
    third.enable();
    ASSERT_EQ(fi_write(third.endpoint.get(), "x", 1, nullptr, world.b.address, 0, 99, nullptr), 0);
    EXPECT_EQ(fi_cntr_wait(written.get(), 1, 20000), -FI_EAVAIL);
    EXPECT_EQ(fi_cntr_readerr(written.get()), 1U);
    EXPECT_EQ(fi_cntr_read(written.get()), 0U);
    ASSERT_EQ(fi_cntr_adderr(written.get(), 2), 0);
    EXPECT_EQ(fi_cntr_readerr(written.get()), 3U);
    ASSERT_EQ(fi_cntr_seterr(written.get(), 0), 0);
    EXPECT_EQ(fi_cntr_readerr(written.get()), 0U);
}

}  // namespace
}  // namespace isoplane::fi_test
