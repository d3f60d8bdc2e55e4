// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Updates on condition, and posting an entry with its MD: what a receive of MPI is made of.
#include "desk.hh"

namespace isoplane::portals {

TEST(Update, of_nothing_does_nothing) {
    Desk desk;
    const Handle md = desk.attach(desk.spec(kOpPut));
    EXPECT_TRUE(desk.put("ab"));
    EXPECT_EQ(desk.ni.update(md, nullptr, nullptr, kNoQueue), Status::kOk);
    EXPECT_EQ(desk.ni.update(md, nullptr, nullptr, desk.eq), Status::kOk);  // though there are events
    EXPECT_TRUE(desk.put("c"));
    EXPECT_EQ(desk.text(0, 3), "abc");
}

TEST(Update, refuses_what_is_wrong) {
    Desk desk;
    const Handle md = desk.attach(desk.spec(kOpPut, 5));
    MdSpec old{};
    MdSpec fresh = desk.spec(0);
    EXPECT_EQ(desk.ni.update(kInvalid, &old, &fresh, kNoQueue), Status::kMdInvalid);
    EXPECT_EQ(desk.ni.update(md, &old, &fresh, kInvalid), Status::kEqInvalid);
    fresh.start = nullptr;
    EXPECT_EQ(desk.ni.update(md, &old, &fresh, kNoQueue), Status::kMdIllegal);
    EXPECT_EQ(old.threshold, 5);
    fresh = desk.spec(0);
    fresh.eq = kInvalid;
    EXPECT_EQ(desk.ni.update(md, &old, &fresh, kNoQueue), Status::kEqInvalid);
    EXPECT_TRUE(desk.put("x"));
}

TEST(Update, to_the_same_rewinds_it) {
    Desk desk;
    const Handle md = desk.attach(desk.spec(kOpPut, 1));
    EXPECT_TRUE(desk.put("ab"));
    desk.events();
    const MdSpec same = desk.spec(kOpPut, 1);
    EXPECT_EQ(desk.ni.update(md, nullptr, &same, desk.eq), Status::kOk);
    EXPECT_TRUE(desk.put("c"));
    EXPECT_EQ(desk.text(0, 3), "cb.");
}

TEST(Update, to_a_threshold_of_0_makes_it_inactive) {
    Desk desk;
    const Handle md = desk.attach(desk.spec(kOpPut));
    const MdSpec inactive = desk.spec(kOpPut, 0);
    EXPECT_EQ(desk.ni.update(md, nullptr, &inactive, kNoQueue), Status::kOk);
    EXPECT_FALSE(desk.put("x"));
}

TEST(Update, changes_everything_but_its_place) {
    Desk desk;
    const Handle md = desk.attach(desk.entry({.bits = 1}), desk.spec(kOpPut, 1), Unlink::kUnlink);
    Segment segments[] = {{desk.memory.data() + 8, 2}, {desk.memory.data() + 4, 2}};
    MdSpec fresh = desk.spec(kOpGet | kOpPut | kIovec | kManageRemote, 1);
    fresh.start = segments;
    fresh.length = 2;
    fresh.eq = desk.queue();
    fresh.user_ptr = &desk;
    ASSERT_EQ(desk.ni.update(md, nullptr, &fresh, kNoQueue), Status::kOk);
    EXPECT_TRUE(desk.put("abcd", 1));
    EXPECT_EQ(desk.text(4, 6), "cd..ab");
    Event event{};
    EXPECT_EQ(desk.take(fresh.eq, event), Status::kOk);
    EXPECT_EQ(event.spec.user_ptr, &desk);
    EXPECT_EQ(desk.events(fresh.eq), "PUT_END UNLINK");
    EXPECT_EQ(desk.events(), "");
}

TEST(Update, is_refused_while_the_queue_has_events) {
    Desk desk;
    const Handle md = desk.attach(desk.entry({.bits = 9}), desk.spec(kOpPut, 0));
    const Handle other = desk.queue();
    MdSpec unexpected = desk.spec(kOpPut | kManageRemote);
    unexpected.eq = other;
    desk.attach(unexpected);
    EXPECT_TRUE(desk.put("x"));
    const MdSpec active = desk.spec(kOpPut, 1);
    MdSpec old{};
    Event event{};
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(desk.ni.update(md, &old, &active, other), Status::kMdNoUpdate);
        EXPECT_EQ(old.options, unsigned{kOpPut});
        EXPECT_EQ(desk.take(other, event), Status::kOk);
    }
    EXPECT_EQ(desk.ni.update(md, &old, &active, other), Status::kOk);
}

TEST(Update, is_refused_while_an_event_is_sure_to_come) {
    for (const unsigned start : {0U, unsigned{kStartDisable}}) {
        Desk desk;
        const Handle md = desk.attach(desk.entry({.bits = 9}), desk.spec(kOpPut, 0));
        const Handle other = desk.queue();
        MdSpec unexpected = desk.spec(kOpPut | start);
        unexpected.eq = other;
        desk.attach(unexpected);
        const Landing landing = desk.begin(Desk::header(MessageType::kPut, 1));
        EXPECT_EQ(desk.events(other), start != 0 ? "" : "PUT_START");
        const MdSpec active = desk.spec(kOpPut, 1);
        EXPECT_EQ(desk.ni.update(md, nullptr, &active, other), Status::kMdNoUpdate);
        desk.land(landing, "x");
        EXPECT_EQ(desk.ni.update(md, nullptr, &active, other), Status::kMdNoUpdate);
        EXPECT_EQ(desk.events(other), "PUT_END");
        EXPECT_EQ(desk.ni.update(md, nullptr, &active, other), Status::kOk);
    }
}

TEST(Update, waits_for_an_unlink_and_not_for_silent_operations) {
    Desk desk;
    const Handle md = desk.attach(desk.entry({.bits = 9}), desk.spec(kOpPut, 0));
    const MdSpec active = desk.spec(kOpPut, 1);
    const Handle other = desk.queue();
    MdSpec spec = desk.spec(kOpPut | kEndDisable, 1);
    spec.eq = other;
    desk.attach(spec, Unlink::kUnlink);
    const Landing first = desk.begin(Desk::header(MessageType::kPut, 1));
    EXPECT_EQ(desk.events(other), "PUT_START");
    EXPECT_EQ(desk.ni.update(md, nullptr, &active, other), Status::kMdNoUpdate);
    desk.land(first, "x");
    EXPECT_EQ(desk.events(other), "UNLINK");
    EXPECT_EQ(desk.ni.update(md, nullptr, &active, other), Status::kOk);

    spec.options = kOpPut | kStartDisable | kEndDisable;
    desk.attach(spec, Unlink::kUnlink);
    const Landing second = desk.begin(Desk::header(MessageType::kPut, 1));
    EXPECT_EQ(desk.ni.update(md, nullptr, &active, other), Status::kOk);
    desk.land(second, "x");
}

TEST(Update, is_refused_while_the_md_is_in_use) {
    Desk desk;
    MdSpec spec = desk.spec(kOpPut);
    spec.eq = kNoQueue;
    const Handle md = desk.attach(spec);
    const Landing landing = desk.begin(Desk::header(MessageType::kPut, 1));
    EXPECT_EQ(desk.ni.update(md, nullptr, &spec, kNoQueue), Status::kMdNoUpdate);
    EXPECT_EQ(desk.ni.update(md, nullptr, &spec, desk.eq), Status::kMdNoUpdate);
    desk.land(landing, "x");
    EXPECT_EQ(desk.ni.update(md, nullptr, &spec, kNoQueue), Status::kOk);
}

TEST(Update, gives_old_segments_as_far_as_there_is_room) {
    Desk desk;
    Segment segments[] = {{desk.memory.data(), 1}, {desk.memory.data() + 1, 2}, {desk.memory.data() + 3, 3}};
    MdSpec spec = desk.spec(kIovec);
    spec.start = segments;
    spec.length = 3;
    const Handle md = desk.bind(spec);
    MdSpec old{};
    ASSERT_EQ(desk.ni.update(md, &old, nullptr, kNoQueue), Status::kOk);
    EXPECT_EQ(old.length, 3U);
    EXPECT_EQ(old.start, segments);
    Segment room[3] = {{nullptr, 7}, {nullptr, 8}, {nullptr, 9}};
    old = {.start = room,
           .length = 2,
           .threshold = 0,
           .max_size = 0,
           .options = kIovec,
           .user_ptr = nullptr,
           .eq = 0};
    ASSERT_EQ(desk.ni.update(md, &old, nullptr, kNoQueue), Status::kOk);
    EXPECT_EQ(room[0].length, 1U);
    EXPECT_EQ(room[1].base, desk.memory.data() + 1);
    EXPECT_EQ(room[2].length, 9U);
    EXPECT_EQ(old.length, 3U);
}

TEST(Post, inserts_an_entry_with_its_md) {
    Desk desk;
    const Handle base = desk.entry();
    MdSpec unexpected = desk.spec(kOpPut | kManageRemote);
    unexpected.start = desk.memory.data() + 16;
    desk.attach(base, unexpected);
    Handle entry = kInvalid;
    Handle md = kInvalid;
    ASSERT_EQ(desk.ni.post(base, {.unlink = Unlink::kUnlink}, Position::kBefore, desk.spec(kOpPut, 1),
                           Unlink::kUnlink, kNoQueue, entry, md),
              Status::kOk);
    EXPECT_TRUE(desk.put("a"));
    EXPECT_TRUE(desk.put("b"));
    EXPECT_EQ(desk.text(0, 1) + desk.text(16, 1), "ab");
    EXPECT_EQ(desk.ni.unlink_entry(entry), Status::kMeInvalid);
    EXPECT_EQ(desk.ni.unlink(md), Status::kMdInvalid);
}

TEST(Post, is_refused_whole_while_the_queue_has_events_or_some_are_sure_to_come) {
    Desk desk;
    const Handle base = desk.entry();
    desk.attach(base, desk.spec(kOpPut | kManageRemote | kStartDisable));
    Handle entry = 123;
    Handle md = 456;
    const auto post = [&] {
        return desk.ni.post(base, {}, Position::kBefore, desk.spec(kOpPut, 1), Unlink::kUnlink, desk.eq,
                            entry, md);
    };
    const Landing landing = desk.begin(Desk::header(MessageType::kPut, 1));
    EXPECT_EQ(post(), Status::kMdNoUpdate);
    desk.land(landing, "x");
    EXPECT_EQ(post(), Status::kMdNoUpdate);
    EXPECT_EQ(entry, 123U);
    EXPECT_EQ(md, 456U);
    EXPECT_EQ(desk.value(Register::kEntries), 1U);
    EXPECT_EQ(desk.value(Register::kDescriptors), 1U);
    EXPECT_EQ(desk.events(), "PUT_END");
    EXPECT_EQ(post(), Status::kOk);
}

TEST(Post, leaves_nothing_behind_when_it_cannot_be) {
    Desk desk({.limits = {.descriptors = 1, .list = 2}, .uid = kUid});
    const Handle base = desk.entry();
    Handle entry = kInvalid;
    Handle md = kInvalid;
    MdSpec spec = desk.spec(kOpPut);
    const auto post = [&](Handle beside, Handle test) {
        return desk.ni.post(beside, {}, Position::kBefore, spec, Unlink::kRetain, test, entry, md);
    };
    EXPECT_EQ(post(md, kNoQueue), Status::kMeInvalid);
    EXPECT_EQ(post(base, kInvalid), Status::kEqInvalid);
    spec.eq = kInvalid;
    EXPECT_EQ(post(base, kNoQueue), Status::kEqInvalid);
    spec = desk.spec(kOpPut);
    spec.start = nullptr;
    EXPECT_EQ(post(base, kNoQueue), Status::kMdIllegal);
    spec = desk.spec(kOpPut);
    const Handle bound = desk.bind(spec);
    EXPECT_EQ(post(base, kNoQueue), Status::kNoSpace);
    EXPECT_EQ(desk.value(Register::kEntries), 1U);
    ASSERT_EQ(desk.ni.unlink(bound), Status::kOk);
    EXPECT_EQ(post(base, kNoQueue), Status::kOk);
    EXPECT_EQ(post(base, kNoQueue), Status::kMeListTooLong);
}

}  // namespace isoplane::portals
