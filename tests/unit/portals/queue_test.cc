// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Event queues, and waiting at them.
#include <isoplane/portals/waiting.hh>
#include <thread>

#include "desk.hh"

namespace isoplane::portals {

namespace {

using namespace std::chrono_literals;

/// Posts so many events, two for each.
void puts(Desk& desk, int count) {
    for (int i = 0; i < count; ++i)
        EXPECT_TRUE(desk.put("x"));
}

struct Waited {
    Status status = Status::kOk;
    Event event{};
    std::size_t which = 99;
};

Waited wait(Desk& desk, std::vector<Handle> queues,
            std::optional<std::chrono::steady_clock::time_point> until = {}) {
    Waited waited;
    EventHandler handler = nullptr;
    waited.status = wait(desk.ni, queues, until, waited.event, waited.which, handler);
    return waited;
}

}  // namespace

TEST(Queue, has_room_for_a_power_of_two) {
    for (const auto& [count, room] : {std::pair{1, 2}, {2, 2}, {5, 8}, {10, 16}, {16, 16}}) {
        Desk desk;
        MdSpec spec = desk.spec(kOpPut | kManageRemote | kStartDisable);
        spec.eq = desk.queue(static_cast<Size>(count));
        desk.attach(spec);
        puts(desk, room);
        Event event{};
        EXPECT_EQ(desk.take(spec.eq, event), Status::kOk);
        puts(desk, 1);
        EXPECT_EQ(desk.take(spec.eq, event), Status::kOk);
        puts(desk, 2);
        EXPECT_EQ(desk.take(spec.eq, event), Status::kEqDropped) << count;
    }
}

TEST(Queue, shows_events_where_they_stand_and_those_that_come_meanwhile) {
    Desk desk;
    MdSpec spec = desk.spec(kOpPut | kManageRemote | kStartDisable);
    spec.eq = desk.queue(4);
    desk.attach(spec);
    puts(desk, 2);
    std::vector<Sequence> seen;
    const auto note = [&](const Event& event) {
        if (seen.empty()) puts(desk, 1);
        seen.push_back(event.sequence);
    };
    EXPECT_EQ(desk.ni.visit_events(spec.eq, note), Status::kOk);
    ASSERT_EQ(seen.size(), 3U);
    EXPECT_EQ(seen[1], seen[0] + 1);
    EXPECT_EQ(seen[2], seen[0] + 2);
    Event event{};
    EXPECT_EQ(desk.take(spec.eq, event), Status::kEqEmpty);

    puts(desk, 6);
    EXPECT_EQ(desk.ni.visit_events(spec.eq, note), Status::kEqDropped);
    EXPECT_EQ(seen.size(), 7U);
    EXPECT_EQ(seen.back(), seen.front() + 8);
    EXPECT_EQ(desk.ni.visit_events(spec.eq, note), Status::kOk);
    EXPECT_EQ(desk.ni.visit_events(kNoQueue, note), Status::kEqInvalid);
}

TEST(Queue, is_empty_for_who_handles_its_last_event) {
    Desk desk;
    MdSpec spec = desk.spec(kOpPut | kManageRemote | kStartDisable);
    spec.eq = desk.queue(4);
    const Handle md = desk.attach(spec);
    puts(desk, 2);
    std::vector<Status> updates;
    const auto update = [&](const Event&) { updates.push_back(desk.ni.update(md, nullptr, &spec, spec.eq)); };
    EXPECT_EQ(desk.ni.visit_events(spec.eq, update), Status::kOk);
    EXPECT_EQ(updates, (std::vector{Status::kMdNoUpdate, Status::kOk}));
}

TEST(Queue, without_room_is_none) {
    Desk desk;
    EXPECT_EQ(desk.queue(0), kNoQueue);
    Event event{};
    EXPECT_EQ(desk.take(kNoQueue, event), Status::kEqInvalid);
    EXPECT_EQ(desk.ni.free_queue(kNoQueue), Status::kEqInvalid);
    Handle queue = kInvalid;
    EXPECT_EQ(desk.ni.open_queue(Size{1} << 32, nullptr, queue), Status::kNoSpace);
    EXPECT_EQ(desk.ni.open_queue(~Size{0}, nullptr, queue), Status::kNoSpace);
    EXPECT_EQ(desk.value(Register::kQueues), 1U);
}

TEST(Queue, overwrites_the_oldest_and_says_so_once) {
    Desk desk;
    MdSpec spec = desk.spec(kOpPut | kManageRemote | kStartDisable);
    spec.eq = desk.queue(4);
    desk.attach(spec);
    puts(desk, 2);
    Event event{};
    ASSERT_EQ(desk.take(spec.eq, event), Status::kOk);
    const Sequence first = event.sequence;
    puts(desk, 7);
    // 9 in all; the last 4 have survived.
    ASSERT_EQ(desk.take(spec.eq, event), Status::kEqDropped);
    EXPECT_EQ(event.sequence, first + 5);
    for (Sequence i = 6; i < 9; ++i) {
        ASSERT_EQ(desk.take(spec.eq, event), Status::kOk);
        EXPECT_EQ(event.sequence, first + i);
    }
    EXPECT_EQ(desk.take(spec.eq, event), Status::kEqEmpty);
    EXPECT_EQ(desk.drops(), 0U);
}

TEST(Queue, numbers_wrap) {
    Desk desk;
    MdSpec spec = desk.spec(kOpPut | kManageRemote);
    spec.eq = desk.queue(2);
    desk.attach(spec);
    Sequence expected = -Sequence{2};
    Event event{};
    for (int i = 0; i < 6; ++i) {
        puts(desk, 1);
        for (int j = 0; j < 2; ++j) {
            ASSERT_EQ(desk.take(spec.eq, event), Status::kOk);
            EXPECT_EQ(event.sequence, expected++);
        }
    }
}

TEST(Queue, may_be_freed_under_an_md_which_is_silent_then) {
    Desk desk;
    const Handle md = desk.attach(desk.spec(kOpPut));
    const Landing landing = desk.begin(Desk::header(MessageType::kPut, 1));
    EXPECT_EQ(desk.ni.free_queue(desk.eq), Status::kOk);
    EXPECT_EQ(desk.ni.free_queue(desk.eq), Status::kEqInvalid);
    const Handle next = desk.queue();  // in the same place, perhaps
    desk.land(landing, "x");
    EXPECT_TRUE(desk.put("y"));
    EXPECT_EQ(desk.events(next), "");
    MdSpec old{};
    EXPECT_EQ(desk.ni.update(md, &old, nullptr, next), Status::kOk);
    EXPECT_EQ(old.eq, kNoQueue);
    EXPECT_EQ(desk.ni.update(md, nullptr, &old, next), Status::kOk);
    EXPECT_EQ(desk.text(0, 2), "xy");
}

TEST(Queue, a_poll_takes_from_the_first_that_has_one) {
    Desk desk;
    const Handle first = desk.queue();
    const Handle second = desk.queue();
    MdSpec spec = desk.spec(kOpPut | kManageRemote);
    spec.eq = second;
    desk.attach(spec);
    const auto now = std::chrono::steady_clock::now();
    EXPECT_EQ(wait(desk, {first, second}, now).status, Status::kEqEmpty);
    puts(desk, 1);
    EXPECT_EQ(wait(desk, {first, second}, now).which, 1U);
    EXPECT_EQ(wait(desk, {second, first}, now).which, 0U);
    puts(desk, 2);
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(wait(desk, {first, second, second}, now).which, 1U);
    const Waited bad = wait(desk, {first, second, kNoQueue, kInvalid}, now);
    EXPECT_EQ(bad.status, Status::kEqInvalid);
    EXPECT_EQ(bad.which, 2U);
}

TEST(Queue, who_waits_wakes_when_an_event_comes) {
    Desk desk;
    desk.attach(desk.spec(kOpPut | kManageRemote | kStartDisable));
    Waited waited;
    std::thread waiter([&] { waited = wait(desk, {desk.eq}); });
    puts(desk, 1);
    waiter.join();
    EXPECT_EQ(waited.status, Status::kOk);
    EXPECT_EQ(waited.event.kind, EventKind::kPutEnd);
}

TEST(Queue, an_event_goes_to_one_who_waits) {
    Desk desk;
    desk.attach(desk.spec(kOpPut | kManageRemote | kStartDisable));
    std::array<Sequence, 4> seen{};
    std::vector<std::thread> waiters;
    for (Sequence& sequence : seen)
        waiters.emplace_back([&desk, &sequence] { sequence = wait(desk, {desk.eq}).event.sequence; });
    puts(desk, 4);
    for (std::thread& waiter : waiters)
        waiter.join();
    std::sort(seen.begin(), seen.end());
    for (std::size_t i = 1; i < seen.size(); ++i)
        EXPECT_EQ(seen[i], seen[i - 1] + 1);
    EXPECT_EQ(desk.events(), "");
}

TEST(Queue, who_waits_wakes_when_it_is_freed_or_the_interface_closed) {
    for (const bool close : {false, true}) {
        Desk desk;
        Waited waited;
        std::thread waiter([&] { waited = wait(desk, {desk.eq}); });
        if (close)
            desk.ni.close();
        else
            EXPECT_EQ(desk.ni.free_queue(desk.eq), Status::kOk);
        waiter.join();
        EXPECT_EQ(waited.status, Status::kEqInvalid);
    }
}

TEST(Queue, waiting_ends_with_its_time) {
    Desk desk;
    EXPECT_EQ(wait(desk, {desk.eq}, std::chrono::steady_clock::now() + 1ms).status, Status::kEqEmpty);
}

TEST(Queue, counts_its_events) {
    Desk desk;
    desk.attach(desk.spec(kOpPut | kManageRemote));
    puts(desk, 3);
    Size count = 0;
    EXPECT_EQ(desk.ni.count_events(desk.eq, count), Status::kOk);
    EXPECT_EQ(count, 6U);
    EXPECT_EQ(desk.ni.count_events(kNoQueue, count), Status::kEqInvalid);
}

}  // namespace isoplane::portals
