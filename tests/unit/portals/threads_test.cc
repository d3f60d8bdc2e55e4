// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Several threads in one interface, each call of theirs against all others. Whatever they see is counted up
// at the end: nothing may be missing, or there twice.
#include <atomic>
#include <thread>

#include "seat.hh"

namespace isoplane::portals {

using Threads = Pair;

namespace {

/// Runs as many threads, each with its number, and waits for them.
template <typename Run>
void together(unsigned count, Run&& run) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; ++i)
        threads.emplace_back([&run, i] { run(i); });
    for (std::thread& thread : threads)
        thread.join();
}

Event next(Interface& ni, Handle queue) {
    Event event{};
    std::size_t which = 0;
    EventHandler handler = nullptr;
    EXPECT_EQ(wait(ni, {&queue, 1}, {}, event, which, handler), Status::kOk);
    return event;
}

/// Until there is one of that kind.
Event next(Interface& ni, Handle queue, EventKind kind) {
    Event event = next(ni, queue);
    while (event.kind != kind)
        event = next(ni, queue);
    return event;
}

std::uint64_t value(const Interface& ni, Register which) {
    std::uint64_t value = 0;
    EXPECT_EQ(ni.read(which, value), Status::kOk);
    return value;
}

}  // namespace

TEST_F(Threads, what_each_puts_it_gets_back) {
    constexpr unsigned kThreads = 4;
    constexpr int kRounds = 100;
    constexpr Size kSize = 32;
    MdSpec all = b.spec(kOpPut | kOpGet | kManageRemote, kInfinite, kThreads * kSize);
    all.eq = kNoQueue;
    b.attach(all);
    together(kThreads, [this](unsigned number) {
        std::string memory;
        const Handle queue = a.queue(8);
        const Target mine{.process = b.ni.id(), .portal = 4, .remote_offset = number * kSize};
        for (int round = 0; round < kRounds; ++round) {
            memory.assign(2 * kSize, static_cast<char>('a' + round % 26));
            memory.replace(kSize, kSize, kSize, '.');
            const Handle md = a.bind({memory.data(), 2 * kSize, kInfinite, 0, kStartDisable, nullptr, queue});
            ASSERT_EQ(a.ni.put(md, Range{0, kSize}, AckRequest::kAck, mine, 0), Status::kOk);
            nal.progress(a.ni);
            next(a.ni, queue, EventKind::kAck);
            ASSERT_EQ(a.ni.get(md, Range{kSize, kSize}, mine), Status::kOk);
            nal.progress(a.ni);
            next(a.ni, queue, EventKind::kReplyEnd);
            ASSERT_EQ(memory.substr(0, kSize), memory.substr(kSize));
            ASSERT_EQ(a.ni.unlink(md), Status::kOk);
        }
        ASSERT_EQ(a.ni.free_queue(queue), Status::kOk);
    });
    EXPECT_EQ(value(b.ni, Register::kDropCount), 0U);
    EXPECT_EQ(value(a.ni, Register::kDescriptors), 0U);
}

TEST_F(Threads, entries_come_and_go_among_messages) {
    constexpr int kPuts = 400;
    constexpr unsigned kThreads = 3;
    std::atomic<std::uint64_t> told = 0;
    std::atomic<bool> is_over = false;
    std::thread putter([this, &is_over] {
        const Handle md = a.bind(a.spec(kStartDisable | kEndDisable, kInfinite, 8));
        for (int i = 0; i < kPuts; ++i)
            a.put(md, b.ni.id());
        is_over = true;
    });
    together(kThreads, [&](unsigned) {
        char memory[8];
        const Handle queue = b.queue(kPuts);
        while (!is_over) {
            Handle entry = kInvalid;
            Handle md = kInvalid;
            ASSERT_EQ(b.ni.attach_entry(4, {}, Position::kBefore, entry), Status::kOk);
            const MdSpec spec{memory,  8,    kInfinite, 0, kOpPut | kManageRemote | kStartDisable,
                              nullptr, queue};
            ASSERT_EQ(b.ni.attach(entry, spec, Unlink::kRetain, Unlink::kRetain, md), Status::kOk);
            std::this_thread::yield();
            Status status = b.ni.unlink_entry(entry);
            for (; status == Status::kMeInUse; status = b.ni.unlink_entry(entry))
                std::this_thread::yield();
            ASSERT_EQ(status, Status::kOk);
            ASSERT_EQ(b.ni.unlink(md), Status::kMdInvalid);
        }
        Size count = 0;
        ASSERT_EQ(b.ni.count_events(queue, count), Status::kOk);
        told += count;
        ASSERT_EQ(b.ni.free_queue(queue), Status::kOk);
    });
    putter.join();
    EXPECT_EQ(told, value(b.ni, Register::kRecvCount));
    EXPECT_EQ(told + value(b.ni, Register::kDropCount), static_cast<std::uint64_t>(kPuts));
    EXPECT_EQ(value(b.ni, Register::kEntries), 0U);
    EXPECT_EQ(value(b.ni, Register::kDescriptors), 0U);
}

TEST_F(Threads, a_queue_goes_while_others_wait_and_poll_and_events_come) {
    constexpr int kRounds = 60;
    constexpr unsigned kReaders = 3;
    const Handle source = a.bind(a.spec(kStartDisable | kEndDisable, kInfinite, 8));
    for (int round = 0; round < kRounds; ++round) {
        b.eq = b.queue(4);
        const Handle md = b.attach(b.spec(kOpPut | kManageRemote, kInfinite, 8), {});
        together(kReaders + 1, [&](unsigned number) {
            if (number == kReaders) {
                a.put(source, b.ni.id());
                a.put(source, b.ni.id());
                ASSERT_EQ(b.ni.free_queue(b.eq), Status::kOk);
                return;
            }
            Status status = Status::kOk;
            while (status != Status::kEqInvalid) {
                Event event{};
                std::size_t which = 0;
                EventHandler handler = nullptr;
                const bool polls = number == 0;
                status = polls ? b.take(event) : wait(b.ni, {&b.eq, 1}, {}, event, which, handler);
                ASSERT_TRUE(status != Status::kEqEmpty || polls);
            }
        });
        ASSERT_EQ(b.ni.unlink(md), Status::kOk);
        ASSERT_EQ(b.ni.unlink_entry(b.entry), Status::kOk);
    }
    EXPECT_EQ(value(b.ni, Register::kRecvCount), 2U * kRounds);
}

/// As MPI receives: what is not expected yet goes to an MD that takes everything, in front of which a
/// receiver puts an entry of its own, unless its message has come already. Two do so, for messages of their
/// own.
TEST_F(Threads, an_update_lets_no_message_slip_through) {
    constexpr unsigned kReceivers = 2;
    constexpr std::uint64_t kEach = 150;
    const Handle unexpected = b.queue(1024);
    MdSpec takes_all = b.spec(kOpPut | kTruncate | kAckDisable | kManageRemote, kInfinite, 0);
    takes_all.eq = unexpected;
    b.attach(takes_all, {.ignore = ~Bits{0}});
    std::thread putter([this] {
        const Handle md = a.bind(a.spec(kStartDisable | kEndDisable, kInfinite, 8));
        for (std::uint64_t i = 0; i < kReceivers * kEach; ++i)
            a.put(md, b.ni.id(), AckRequest::kNoAck, i);
    });
    std::mutex mutex;  // of what was not expected, and is read by whoever comes
    std::vector<int> ends(kReceivers * kEach);
    const auto read_unexpected = [&] {
        const std::lock_guard lock(mutex);
        Event event{};
        std::size_t which = 0;
        EventHandler handler = nullptr;
        while (b.ni.take({&unexpected, 1}, event, which, handler) == Status::kOk)
            ends[event.match_bits] += event.kind == EventKind::kPutEnd ? 1 : 0;
    };
    std::atomic<std::uint64_t> expected = 0;
    together(kReceivers, [&](unsigned number) {
        char memory[8];
        const Handle queue = b.queue(8);
        for (std::uint64_t i = 0; i < kEach; ++i) {
            const Bits bits = i * kReceivers + number;
            Handle entry = kInvalid;
            Handle md = kInvalid;
            ASSERT_EQ(b.ni.insert_entry(b.entry, {.bits = bits}, Position::kBefore, entry), Status::kOk);
            MdSpec spec{memory, 8, 0, 0, kOpPut, nullptr, queue};
            ASSERT_EQ(b.ni.attach(entry, spec, Unlink::kRetain, Unlink::kRetain, md), Status::kOk);
            spec.threshold = 1;
            Status status = Status::kMdNoUpdate;
            while (status == Status::kMdNoUpdate) {
                read_unexpected();
                const std::lock_guard lock(
                    mutex);  // or another could read that it has come, after this has looked
                if (ends[bits] > 0) break;
                status = b.ni.update(md, nullptr, &spec, unexpected);
            }
            if (status == Status::kOk) {
                ASSERT_EQ(next(b.ni, queue, EventKind::kPutEnd).match_bits, bits);
                ++expected;
            }
            ASSERT_EQ(b.ni.unlink_entry(entry), Status::kOk);
        }
    });
    putter.join();
    read_unexpected();
    std::uint64_t came = 0;
    for (const int count : ends) {
        ASSERT_LE(count, 1);
        came += static_cast<std::uint64_t>(count);
    }
    EXPECT_EQ(came + expected, kReceivers * kEach);
}

}  // namespace isoplane::portals
