// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/niu/room.hh>

namespace isoplane::niu {

namespace {

RoomEstimator full(unsigned frames) {
    RoomEstimator room(frames);
    room.arrived(frames);
    return room;
}

void lose(RoomEstimator& room, unsigned frames) {
    for (; frames > 0; --frames)
        room.lost();
}

}  // namespace

TEST(Room, doubles_with_each_round_trip_until_something_is_lost) {
    RoomEstimator room(256);
    EXPECT_EQ(room.frames(), 32U);
    room.arrived(32);
    EXPECT_EQ(room.frames(), 64U);
    room.arrived(1000);
    EXPECT_EQ(room.frames(), 256U);
}

TEST(Room, is_never_more_than_the_window) {
    RoomEstimator room(8);
    EXPECT_EQ(room.frames(), 8U);
    room.arrived(100);
    EXPECT_EQ(room.frames(), 8U);
}

TEST(Room, loses_half_a_frame_with_each_that_is_lost) {
    RoomEstimator room = full(256);
    lose(room, 100);
    EXPECT_EQ(room.frames(), 206U);
}

TEST(Room, grows_by_one_with_each_round_trip_after_a_loss) {
    RoomEstimator room = full(256);
    lose(room, 312);
    EXPECT_EQ(room.frames(), 100U);
    room.arrived(105);
    EXPECT_EQ(room.frames(), 101U);
}

TEST(Room, stays_wide_where_a_hundredth_is_lost) {
    RoomEstimator room = full(256);
    for (int i = 0; i < 10'000; ++i) {
        room.arrived(99);
        room.lost();
    }
    EXPECT_GT(room.frames(), 180U);
}

TEST(Room, always_lets_some_go) {
    RoomEstimator room = full(256);
    lose(room, 10'000);
    EXPECT_EQ(room.frames(), 4U);
    RoomEstimator narrow(2);
    narrow.timed_out(false);
    lose(narrow, 10);
    EXPECT_EQ(narrow.frames(), 2U);
}

TEST(Room, halves_with_each_timeout_and_is_soon_half_of_what_it_was) {
    RoomEstimator room = full(256);
    room.timed_out(false);
    EXPECT_EQ(room.frames(), 128U);
    room.timed_out(true);
    room.timed_out(true);
    EXPECT_EQ(room.frames(), 32U);
    room.arrived(96);
    EXPECT_EQ(room.frames(), 128U);
    room.arrived(128);
    EXPECT_LE(room.frames(), 129U);
}

TEST(Room, is_what_it_was_when_the_timeouts_were_hasty) {
    RoomEstimator room = full(256);
    for (int i = 0; i < 5; ++i)
        room.timed_out(i != 0);
    room.was_hasty();
    EXPECT_EQ(room.frames(), 256U);
}

TEST(Room, grows_as_before_when_the_timeouts_were_hasty) {
    RoomEstimator room(256);
    const unsigned first = room.frames();
    room.timed_out(false);
    room.timed_out(true);
    room.was_hasty();
    room.arrived(first);
    EXPECT_EQ(room.frames(), 2 * first);
}

}  // namespace isoplane::niu
