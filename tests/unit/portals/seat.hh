// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/nal/loopback.hh>
#include <isoplane/portals/waiting.hh>

#include "desk.hh"

namespace isoplane::portals {

/// An interface that is joined to others.
struct Seat {
    Seat(Nal& nal, unsigned number, Pid pid) : ni(number, nal, {.uid = kUid}) {
        EXPECT_EQ(ni.open(pid), Status::kOk);
        eq = queue(64);
    }

    Handle queue(Size count) {
        Handle queue = kInvalid;
        EXPECT_EQ(ni.open_queue(count, nullptr, queue), Status::kOk);
        return queue;
    }
    MdSpec spec(unsigned options, int threshold = kInfinite, Size length = 64) {
        return {memory.data(), length, threshold, 0, options, nullptr, eq};
    }
    Handle attach(const MdSpec& spec, const MatchSpec& match = {}, Unlink unlink = Unlink::kRetain) {
        Handle md = kInvalid;
        EXPECT_EQ(ni.attach_entry(4, match, Position::kAfter, entry), Status::kOk);
        EXPECT_EQ(ni.attach(entry, spec, unlink, Unlink::kRetain, md), Status::kOk);
        return md;
    }
    Handle bind(const MdSpec& spec, Unlink unlink = Unlink::kRetain) {
        Handle md = kInvalid;
        EXPECT_EQ(ni.bind(spec, unlink, md), Status::kOk);
        return md;
    }
    void put(Handle md, ProcessId to, AckRequest ack = AckRequest::kNoAck, Bits bits = 0) {
        EXPECT_EQ(ni.put(md, {}, ack, {.process = to, .portal = 4, .match_bits = bits}, 0), Status::kOk);
        ni.nal().progress(ni);
    }
    Status take(Event& event) {
        std::size_t which = 0;
        EventHandler handler = nullptr;
        return ni.take({&eq, 1}, event, which, handler);
    }
    Event wait() {
        Event event{};
        std::size_t which = 0;
        EventHandler handler = nullptr;
        EXPECT_EQ(portals::wait(ni, {&eq, 1}, {}, event, which, handler), Status::kOk);
        return event;
    }
    std::string events() {
        std::string names;
        Event event{};
        while (take(event) == Status::kOk)
            names += std::string(name_of(event.kind)).substr(10) + ' ';
        if (!names.empty()) names.pop_back();
        return names;
    }

    std::string memory = std::string(256, '.');
    Interface ni;
    Handle eq = kNoQueue;
    Handle entry = kInvalid;
};

struct Pair : testing::Test {
    nal::Loopback nal{3};
    Seat a{nal, 0, 10};
    Seat b{nal, 1, 20};
};

}  // namespace isoplane::portals
