// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Where messages are that nobody waits for, by itself: whose place others take.
#include "shelf.hh"

#include <gtest/gtest.h>

#include <isoplane/nal/loopback.hh>
#include <vector>

#include "operation.hh"

namespace isoplane::fi {
namespace {

using namespace portals;

constexpr int kEntries = 16;

struct Place {
    nal::Loopback nal;
    Interface interface {
        0, nal, {
            .limits = {.entries = kEntries }
        }
    };
    Handle queue = kNoQueue;
    Handle all = kInvalid;
    Shelf shelf;
    std::vector<std::byte> said = std::vector<std::byte>(Shelf::kBuffer);
    std::vector<Handle> others;

    Place() {
        EXPECT_EQ(interface.open(kAny), Status::kOk);
        EXPECT_EQ(interface.open_queue(64, nullptr, queue), Status::kOk);
        const MdSpec spec{.start = said.data(),
                          .length = said.size(),
                          .threshold = kInfinite,
                          .max_size = 0,
                          .options = 0,
                          .user_ptr = nullptr,
                          .eq = kNoQueue};
        EXPECT_EQ(interface.bind(spec, Unlink::kRetain, all), Status::kOk);
        EXPECT_EQ(shelf.open(interface, kMessages, queue, 0, true), Status::kOk);
    }
    void put() {
        EXPECT_EQ(
            interface.put(all, {}, AckRequest::kNoAck, {.process = interface.id(), .portal = kMessages}, 0),
            Status::kOk);
        nal.progress(interface);
    }
    /// All that there is room for.
    void crowd() {
        const MatchSpec any{.id = kAnyone, .bits = 0, .ignore = 0, .unlink = Unlink::kRetain};
        Handle entry = kInvalid;
        while (interface.attach_entry(kTagged, any, Position::kAfter, entry) == Status::kOk)
            others.push_back(entry);
    }
    void make_room() {
        for (; !others.empty(); others.pop_back())
            EXPECT_EQ(interface.unlink_entry(others.back()), Status::kOk);
    }
    /// Tells the shelf what has come. How much of it lies there.
    struct Seen {
        unsigned kept = 0;
        unsigned lost = 0;
        bool is_whole = true;
    };
    Seen look() {
        Seen seen;
        EXPECT_EQ(interface.visit_events(queue,
                                         [&](const Event& event) {
                                             const bool is_kept = owner_of(event) == Owner::kShelf;
                                             if (event.kind == EventKind::kUnlink)
                                                 seen.is_whole &= shelf.unlinked(which_of(event));
                                             if (event.kind != EventKind::kPutEnd) return;
                                             ++(is_kept ? seen.kept : seen.lost);
                                             if (!is_kept) return;
                                             shelf.hold(event);
                                             shelf.release(which_of(event));
                                         }),
                  Status::kOk);
        return seen;
    }
};

TEST(FiShelf, has_as_many_buffers_as_before_when_there_is_room_for_them_again) {
    Place place;
    unsigned buffers = 0;
    for (; buffers < 10; ++buffers) {
        place.put();
        place.crowd();  // before the shelf knows
        const Place::Seen seen = place.look();
        if (seen.lost != 0) break;
        EXPECT_EQ(seen.kept, 1U);
        EXPECT_FALSE(seen.is_whole);
    }
    EXPECT_EQ(buffers, 2U);
    EXPECT_FALSE(place.shelf.refill());
    place.make_room();
    EXPECT_TRUE(place.shelf.refill());
    for (unsigned i = 0; i < buffers; ++i)
        place.put();
    const Place::Seen seen = place.look();
    EXPECT_EQ(seen.kept, buffers);
    EXPECT_EQ(seen.lost, 0U);
    EXPECT_TRUE(seen.is_whole);
}

}  // namespace
}  // namespace isoplane::fi
