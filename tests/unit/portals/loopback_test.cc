// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Whole exchanges between interfaces of one process.
#include <latch>
#include <thread>

#include "seat.hh"

namespace isoplane::portals {

using Loopback = Pair;

TEST_F(Loopback, gives_pids_and_refuses_those_that_are_taken) {
    EXPECT_EQ(a.ni.id(), (ProcessId{3, 10}));
    Interface again(2, nal, {});
    EXPECT_EQ(again.open(10), Status::kPidInvalid);
    Seat any(nal, 3, kAny);
    Seat next(nal, 4, kAny);
    EXPECT_NE(any.ni.id(), next.ni.id());
    unsigned long distance = 99;
    EXPECT_TRUE(nal.distance(a.ni.id(), a.ni.id(), distance));
    EXPECT_EQ(distance, 0U);
    EXPECT_TRUE(nal.distance(a.ni.id(), b.ni.id(), distance));
    EXPECT_EQ(distance, 1U);
    EXPECT_FALSE(nal.distance(a.ni.id(), {4, 10}, distance));
}

TEST_F(Loopback, a_put_is_acknowledged) {
    b.attach(b.spec(kOpPut, 1), {.unlink = Unlink::kUnlink}, Unlink::kUnlink);
    a.memory.replace(0, 5, "hello");
    a.put(a.bind(a.spec(0, 2), Unlink::kUnlink), b.ni.id(), AckRequest::kAck);
    EXPECT_EQ(a.events(), "SEND_START SEND_END ACK UNLINK");
    EXPECT_EQ(b.events(), "PUT_START PUT_END UNLINK");
    EXPECT_EQ(b.memory.substr(0, 6), "hello.");
}

TEST_F(Loopback, a_get_and_a_get_put_are_answered) {
    b.attach(b.spec(kOpPut | kOpGet | kManageRemote));
    b.memory.replace(0, 3, "old");
    const Handle md = a.attach(a.spec(kOpPut | kOpGet, kInfinite, 3));
    const Target target{.process = b.ni.id(), .portal = 4};
    ASSERT_EQ(a.ni.get(md, {}, target), Status::kOk);
    nal.progress(a.ni);
    EXPECT_EQ(a.events(), "REPLY_START REPLY_END");
    EXPECT_EQ(a.memory.substr(0, 3), "old");
    a.memory.replace(0, 3, "new");
    ASSERT_EQ(a.ni.get_put(md, md, target, 0), Status::kOk);
    nal.progress(a.ni);
    EXPECT_EQ(a.events(), "SEND_START SEND_END REPLY_START REPLY_END");
    EXPECT_EQ(a.memory.substr(0, 3) + b.memory.substr(0, 3), "oldnew");
    EXPECT_EQ(b.events(), "GET_START GET_END GETPUT_START GETPUT_END");
    EXPECT_EQ(a.ni.unlink(md), Status::kOk);
}

TEST_F(Loopback, a_put_to_itself_from_the_md_that_takes_it) {
    const Handle md = a.attach(a.spec(kOpPut), {.id = a.ni.id()});
    a.put(md, a.ni.id());
    EXPECT_EQ(a.events(), "SEND_START PUT_START SEND_END PUT_END");
    EXPECT_EQ(a.ni.unlink(md), Status::kOk);
    EXPECT_EQ(a.ni.unlink_entry(a.entry), Status::kOk);
}

TEST_F(Loopback, memory_may_overlap) {
    a.memory.replace(0, 10, "0123456789");
    MdSpec target = a.spec(kOpPut, kInfinite, 10);
    target.start = a.memory.data() + 2;
    a.attach(target);
    a.put(a.bind(a.spec(0, kInfinite, 10)), a.ni.id());
    EXPECT_EQ(a.memory.substr(0, 13), "010123456789.");
    // In pieces, each of which lies on the next.
    Segment segments[] = {{a.memory.data() + 3, 3}, {a.memory.data(), 3}};
    MdSpec pieces = a.spec(kOpPut | kIovec);
    pieces.start = segments;
    pieces.length = 2;
    a.memory.replace(0, 6, "abcdef");
    a.attach(pieces, {.bits = 5});
    a.put(a.bind(a.spec(0, kInfinite, 6)), a.ni.id(), AckRequest::kNoAck, 5);
    EXPECT_EQ(a.memory.substr(0, 6), "defabc");
}

TEST_F(Loopback, who_has_not_come_yet_is_waited_for) {
    const Handle md = a.bind(a.spec(0, kInfinite, 4));
    a.put(md, {3, 30}, AckRequest::kAck);
    a.put(md, b.ni.id());
    EXPECT_EQ(a.events(), "SEND_START SEND_START SEND_END");
    EXPECT_EQ(a.ni.unlink(md), Status::kMdInUse);
    Seat late(nal, 2, 30);
    late.attach(late.spec(kOpPut));
    nal.progress(late.ni);
    EXPECT_EQ(a.events(), "SEND_END ACK");
    EXPECT_EQ(late.events(), "PUT_START PUT_END");
}

TEST_F(Loopback, what_is_for_one_who_has_left_fails) {
    const Handle md = a.bind(a.spec(0, kInfinite, 4));
    b.ni.close();
    a.put(md, b.ni.id(), AckRequest::kAck);
    Event event{};
    ASSERT_EQ(a.take(event), Status::kOk);
    ASSERT_EQ(a.take(event), Status::kOk);
    EXPECT_EQ(event.kind, EventKind::kSendEnd);
    EXPECT_NE(event.failure, kSuccess);
    EXPECT_EQ(a.events(), "");
    EXPECT_EQ(a.ni.unlink(md), Status::kOk);
    Seat successor(nal, 2, 20);
    successor.attach(successor.spec(kOpPut));
    a.put(a.bind(a.spec(0, kInfinite, 4)), successor.ni.id(), AckRequest::kAck);
    EXPECT_EQ(a.events(), "SEND_START SEND_END ACK");
}

TEST_F(Loopback, what_is_got_from_one_who_has_left_fails) {
    const Handle md = a.bind(a.spec(0, kInfinite, 4));
    const Target target{.process = b.ni.id(), .portal = 4};
    b.ni.close();
    ASSERT_EQ(a.ni.get(md, {}, target), Status::kOk);
    nal.progress(a.ni);
    Event event{};
    ASSERT_EQ(a.take(event), Status::kOk);
    EXPECT_EQ(event.kind, EventKind::kReplyStart);
    ASSERT_EQ(a.take(event), Status::kOk);
    EXPECT_EQ(event.kind, EventKind::kReplyEnd);
    EXPECT_NE(event.failure, kSuccess);
    ASSERT_EQ(a.ni.get_put(md, md, target, 0), Status::kOk);
    nal.progress(a.ni);
    EXPECT_EQ(a.events(), "SEND_START SEND_END REPLY_START REPLY_END");
    EXPECT_EQ(a.ni.unlink(md), Status::kOk);
}

TEST_F(Loopback, an_answer_that_nobody_waits_for_when_it_is_given_up_has_not_been_dropped) {
    const Handle md = a.bind(a.spec(0, kInfinite, 4));
    EXPECT_EQ(a.ni.unlink(md), Status::kOk);
    for (const MessageType type : {MessageType::kReply, MessageType::kAck})
        a.ni.give_up({.type = type, .target = a.ni.id(), .initiator = b.ni.id(), .md = md});
    EXPECT_EQ(a.events(), "");
    std::uint64_t drops = 99;
    EXPECT_EQ(a.ni.read(Register::kDropCount, drops), Status::kOk);
    EXPECT_EQ(drops, 0U);
}

TEST_F(Loopback, leaving_takes_along_what_was_to_be_sent) {
    a.put(a.bind(a.spec(0)), {3, 30});
    ASSERT_EQ(a.ni.put(a.bind(a.spec(0)), {}, AckRequest::kAck, {.process = b.ni.id()}, 0), Status::kOk);
    a.ni.close();
    Seat late(nal, 2, 30);
    late.attach(late.spec(kOpPut));
    nal.progress(late.ni);
    EXPECT_EQ(late.events(), "");
    std::uint64_t drops = 99;
    EXPECT_EQ(b.ni.read(Register::kDropCount, drops), Status::kOk);
    EXPECT_EQ(drops, 0U);
}

TEST_F(Loopback, a_message_of_100_megabytes_is_one) {
    std::vector<char> from(100 << 20, 'x');
    std::vector<char> to(from.size());
    MdSpec source = a.spec(0);
    source.start = from.data();
    source.length = from.size();
    MdSpec sink = b.spec(kOpPut);
    sink.start = to.data();
    sink.length = to.size();
    b.attach(sink);
    a.put(a.bind(source), b.ni.id());
    EXPECT_EQ(b.events(), "PUT_START PUT_END");
    EXPECT_EQ(from, to);
}

TEST_F(Loopback, nobody_reads_and_everything_arrives) {
    b.eq = b.queue(8);
    b.attach(b.spec(kOpPut | kOpGet | kManageRemote));
    const Handle md = a.bind(a.spec(0, kInfinite, 8));
    for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(a.ni.get_put(md, md, {.process = b.ni.id(), .portal = 4}, 0), Status::kOk);
        nal.progress(a.ni);
        ASSERT_EQ(a.events(), "SEND_START SEND_END REPLY_START REPLY_END");
    }
    std::uint64_t drops = 99;
    EXPECT_EQ(b.ni.read(Register::kDropCount, drops), Status::kOk);
    EXPECT_EQ(drops, 0U);
    Event event{};
    EXPECT_EQ(b.take(event), Status::kEqDropped);
    EXPECT_EQ(b.take(event), Status::kOk);
}

/// A long message of MPI: one MD of threshold 2 that either an ACK or a GET uses up.
TEST_F(Loopback, a_long_message_ends_with_its_ack_or_with_its_get) {
    for (const bool expected : {true, false}) {
        const MdSpec source = a.spec(kOpGet, 2, 8);
        const Handle md = a.attach(source, {.unlink = Unlink::kUnlink}, Unlink::kUnlink);
        MdSpec sink = b.spec(kOpPut | (expected ? 0U : kTruncate | kAckDisable), 1, expected ? 8 : 0);
        b.attach(sink, {.unlink = Unlink::kUnlink}, Unlink::kUnlink);
        a.put(md, b.ni.id(), AckRequest::kAck);
        if (expected) {
            EXPECT_EQ(a.events(), "SEND_START SEND_END ACK UNLINK");
            EXPECT_EQ(b.events(), "PUT_START PUT_END UNLINK");
            continue;
        }
        EXPECT_EQ(a.events(), "SEND_START SEND_END");
        EXPECT_EQ(b.events(), "PUT_START PUT_END UNLINK");
        ASSERT_EQ(b.ni.get(b.bind(b.spec(0, 2, 8)), {}, {.process = a.ni.id(), .portal = 4}), Status::kOk);
        nal.progress(b.ni);
        EXPECT_EQ(a.events(), "GET_START GET_END UNLINK");
        EXPECT_EQ(b.events(), "REPLY_START REPLY_END");
    }
}

/// Each of three threads at each end has match bits, a queue and MDs of its own.
TEST_F(Loopback, threads_play_ping_pong_beside_each_other) {
    constexpr int kRounds = 300;
    struct Player {
        Handle eq = kInvalid;
        char ball = 0;
    };
    std::latch standing{6};  // the first ball needs somebody to take it
    const auto play = [&standing](Seat& seat, ProcessId other, Bits bits, bool serves) {
        Player player;
        player.eq = seat.queue(5);
        Handle entry = kInvalid;
        Handle sink = kInvalid;
        MdSpec spec{&player.ball, 1, kInfinite, 0, kOpPut | kManageRemote, nullptr, player.eq};
        ASSERT_EQ(seat.ni.attach_entry(4, {.bits = bits}, Position::kAfter, entry), Status::kOk);
        ASSERT_EQ(seat.ni.attach(entry, spec, Unlink::kRetain, Unlink::kRetain, sink), Status::kOk);
        standing.arrive_and_wait();
        const auto next = [&](EventKind wanted) {
            Event event{};
            do {
                std::size_t which = 0;
                EventHandler handler = nullptr;
                ASSERT_EQ(wait(seat.ni, {&player.eq, 1}, {}, event, which, handler), Status::kOk);
            } while (event.kind != wanted);
        };
        const auto hit = [&] {
            spec.threshold = 2;
            Handle md = kInvalid;
            ASSERT_EQ(seat.ni.bind(spec, Unlink::kUnlink, md), Status::kOk);
            const Target target{.process = other, .portal = 4, .match_bits = bits};
            ASSERT_EQ(seat.ni.put(md, {}, AckRequest::kAck, target, 0), Status::kOk);
            seat.ni.nal().progress(seat.ni);
            next(EventKind::kUnlink);
        };
        for (int i = 0; i < kRounds; ++i) {
            if (serves) {
                hit();
            } else {
                next(EventKind::kPutEnd);
                hit();
                continue;
            }
            next(EventKind::kPutEnd);
        }
    };
    std::vector<std::thread> threads;
    for (const bool serves : {false, true}) {
        for (Bits bits = 1; bits <= 3; ++bits)
            threads.emplace_back(play, std::ref(serves ? a : b), (serves ? b : a).ni.id(), bits, serves);
    }
    for (std::thread& thread : threads)
        thread.join();
}

/// A lock at one interface, taken by swapping, by threads of three others.
TEST_F(Loopback, get_puts_are_atomic) {
    constexpr int kTurns = 200;
    MdSpec spec = b.spec(kOpPut | kOpGet | kManageRemote, kInfinite, 4);
    spec.eq = kNoQueue;
    b.memory.replace(0, 4, std::string(4, '\0'));
    b.attach(spec);
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    const auto swap = [this](Seat& seat, Handle md, char value) {
        seat.memory.replace(0, 4, std::string(4, value));
        ASSERT_EQ(seat.ni.get_put(md, md, {.process = b.ni.id(), .portal = 4}, 0), Status::kOk);
        seat.ni.nal().progress(seat.ni);
        while (seat.wait().kind != EventKind::kReplyEnd)
            continue;
    };
    std::deque<Seat> seats;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 3; ++i)
        seats.emplace_back(nal, 2 + i, kAny);
    for (Seat& seat : seats) {
        threads.emplace_back([&] {
            const Handle md = seat.bind(seat.spec(0, kInfinite, 4));
            for (int turn = 0; turn < kTurns; ++turn) {
                do {
                    swap(seat, md, '\1');
                } while (seat.memory[0] != '\0');
                const int now = ++inside;
                most = std::max<int>(most, now);
                --inside;
                swap(seat, md, '\0');
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(most, 1);
}

}  // namespace isoplane::portals
