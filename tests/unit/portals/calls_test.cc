// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// What calls refuse, and what remains of objects that are gone.
#include "desk.hh"

namespace isoplane::portals {

TEST(Handles, are_never_one_of_those_of_nothing) {
    for (const Kind kind : {Kind::kInterface, Kind::kEntry, Kind::kDescriptor, Kind::kQueue}) {
        for (std::uint32_t generation = 0; generation < 3 * HandleParts::kGenerations; ++generation) {
            const Handle handle = HandleParts{kind, 7, 0xffff, generation}.pack();
            EXPECT_EQ(handle >> 31, 0U);
            ASSERT_NE(handle, kNone);
            const HandleParts parts = HandleParts::unpack(handle);
            EXPECT_EQ(parts.kind, kind);
            EXPECT_EQ(parts.interface, 7U);
            EXPECT_EQ(parts.index, 0xffffU);
            EXPECT_EQ(parts.generation, generation % HandleParts::kGenerations);
        }
    }
}

TEST(Handles, of_what_is_gone_find_nothing_even_when_the_place_is_taken) {
    Desk desk;
    std::vector<Handle> old;
    for (int i = 0; i < 1000; ++i) {
        const Handle md = desk.bind(desk.spec(0));
        for (const Handle gone : old)
            ASSERT_NE(gone, md);
        old.push_back(md);
        ASSERT_EQ(desk.ni.unlink(md), Status::kOk);
        ASSERT_EQ(desk.ni.unlink(md), Status::kMdInvalid);
    }
}

TEST(Handles, of_one_kind_are_none_of_another) {
    Desk desk;
    const Handle entry = desk.entry();
    const Handle md = desk.bind(desk.spec(0));
    EXPECT_EQ(desk.ni.unlink(entry), Status::kMdInvalid);
    EXPECT_EQ(desk.ni.unlink_entry(md), Status::kMeInvalid);
    EXPECT_EQ(desk.ni.free_queue(md), Status::kEqInvalid);
    for (const Handle nothing : {kInvalid, kNone, kNoQueue}) {
        EXPECT_EQ(desk.ni.unlink(nothing), Status::kMdInvalid);
        EXPECT_EQ(desk.ni.unlink_entry(nothing), Status::kMeInvalid);
        EXPECT_EQ(desk.ni.free_queue(nothing), Status::kEqInvalid);
    }
}

TEST(Calls, entries_are_attached_to_the_first_empty_portal) {
    Desk desk({.limits = {.max_pt_index = 2}, .uid = kUid});
    desk.entry({}, Position::kAfter, 0);
    Index portal = 99;
    Handle entry = kInvalid;
    ASSERT_EQ(desk.ni.attach_any_entry(portal, {}, entry), Status::kOk);
    EXPECT_EQ(portal, 1U);
    Handle another = kInvalid;
    ASSERT_EQ(desk.ni.attach_any_entry(portal, {}, another), Status::kOk);
    EXPECT_EQ(portal, 2U);
    EXPECT_EQ(desk.ni.attach_any_entry(portal, {}, another), Status::kPtFull);
    ASSERT_EQ(desk.ni.unlink_entry(entry), Status::kOk);
    ASSERT_EQ(desk.ni.attach_any_entry(portal, {}, another), Status::kOk);
    EXPECT_EQ(portal, 1U);
}

TEST(Calls, limits_hold) {
    Desk desk({.limits = {.entries = 3, .descriptors = 2, .queues = 2, .iovecs = 2, .list = 2}, .uid = kUid});
    Handle handle = kInvalid;
    desk.queue();
    EXPECT_EQ(desk.ni.open_queue(1, nullptr, handle), Status::kNoSpace);
    const Handle base = desk.entry();
    desk.entry();
    EXPECT_EQ(desk.ni.attach_entry(4, {}, Position::kAfter, handle), Status::kMeListTooLong);
    EXPECT_EQ(desk.ni.insert_entry(base, {}, Position::kAfter, handle), Status::kMeListTooLong);
    desk.entry({}, Position::kAfter, 5);
    EXPECT_EQ(desk.ni.attach_entry(6, {}, Position::kAfter, handle), Status::kNoSpace);
    desk.bind(desk.spec(0));
    desk.attach(base, desk.spec(0));
    EXPECT_EQ(desk.ni.bind(desk.spec(0), Unlink::kRetain, handle), Status::kNoSpace);
}

TEST(Calls, an_entry_has_one_md) {
    Desk desk;
    const Handle entry = desk.entry();
    desk.attach(entry, desk.spec(0));
    Handle md = kInvalid;
    EXPECT_EQ(desk.ni.attach(entry, desk.spec(0), Unlink::kRetain, Unlink::kRetain, md), Status::kMeInUse);
    EXPECT_EQ(desk.ni.attach(md, desk.spec(0), Unlink::kRetain, Unlink::kRetain, md), Status::kMeInvalid);
}

TEST(Calls, an_entry_goes_with_its_md_whatever_they_were_made_with) {
    Desk desk;
    const Handle entry = desk.entry();
    const Handle md = desk.attach(entry, desk.spec(kOpPut));
    EXPECT_EQ(desk.ni.unlink_entry(entry), Status::kOk);
    EXPECT_EQ(desk.ni.unlink(md), Status::kMdInvalid);
    EXPECT_FALSE(desk.put("x"));
    EXPECT_EQ(desk.value(Register::kDescriptors), 0U);
    Handle next = kInvalid;
    EXPECT_EQ(desk.ni.insert_entry(entry, {}, Position::kAfter, next), Status::kMeInvalid);
}

TEST(Calls, an_entry_that_went_with_its_md_is_no_base) {
    Desk desk;
    const Handle entry = desk.entry({.unlink = Unlink::kUnlink});
    desk.attach(entry, desk.spec(kOpPut, 1), Unlink::kUnlink);
    EXPECT_TRUE(desk.put("x"));
    Handle next = kInvalid;
    EXPECT_EQ(desk.ni.insert_entry(entry, {}, Position::kAfter, next), Status::kMeInvalid);
}

TEST(Calls, illegal_mds_are_refused) {
    Desk desk;
    const auto status = [&desk](const MdSpec& spec) {
        Handle md = kInvalid;
        const Handle entry = desk.entry();
        const Status bound = desk.ni.bind(spec, Unlink::kRetain, md);
        EXPECT_EQ(desk.ni.attach(entry, spec, Unlink::kRetain, Unlink::kRetain, md), bound);
        EXPECT_EQ(desk.ni.unlink_entry(entry), Status::kOk);
        return bound;
    };
    MdSpec spec = desk.spec(0);
    EXPECT_EQ(status(spec), Status::kOk);
    spec.start = nullptr;
    EXPECT_EQ(status(spec), Status::kMdIllegal);
    spec.length = 0;
    EXPECT_EQ(status(spec), Status::kOk);
    spec = desk.spec(0);
    spec.length = ~Size{0};
    EXPECT_EQ(status(spec), Status::kMdIllegal);
    spec = desk.spec(0);
    spec.eq = kInvalid;
    EXPECT_EQ(status(spec), Status::kEqInvalid);
    spec.eq = kNone;
    EXPECT_EQ(status(spec), Status::kEqInvalid);
    const HandleParts parts = HandleParts::unpack(desk.eq);
    spec.eq = HandleParts{Kind::kQueue, 3, parts.index, parts.generation}.pack();
    EXPECT_EQ(status(spec), Status::kMdIllegal);
    const Handle gone = desk.queue();
    EXPECT_EQ(desk.ni.free_queue(gone), Status::kOk);
    spec.eq = gone;
    EXPECT_EQ(status(spec), Status::kEqInvalid);

    std::array<Segment, 17> segments{};
    spec = desk.spec(kIovec);
    spec.start = segments.data();
    spec.length = 16;
    EXPECT_EQ(status(spec), Status::kOk);
    spec.length = 17;
    EXPECT_EQ(status(spec), Status::kMdIllegal);
    spec.length = 2;
    segments[1] = {nullptr, 1};
    EXPECT_EQ(status(spec), Status::kMdIllegal);
    const Size most = ~reinterpret_cast<std::uintptr_t>(desk.memory.data());
    segments = {Segment{desk.memory.data(), most}, Segment{desk.memory.data(), most}};
    spec.length = 16;
    for (Segment& segment : segments)
        segment = segments[0];
    EXPECT_EQ(status(spec), Status::kMdIllegal);
    spec.start = nullptr;
    EXPECT_EQ(status(spec), Status::kMdIllegal);
    spec.length = 0;
    EXPECT_EQ(status(spec), Status::kOk);
}

TEST(Calls, requests_that_cannot_be_are_refused_and_cost_nothing) {
    Desk desk;
    const Handle md = desk.bind(desk.spec(0, 1), Unlink::kUnlink);
    Target target = Desk::to();
    const auto put = [&](std::optional<Range> range) {
        return desk.ni.put(md, range, AckRequest::kNoAck, target, 0);
    };
    EXPECT_EQ(put(Range{9, 8}), Status::kMdIllegal);
    EXPECT_EQ(put(Range{17, 0}), Status::kMdIllegal);
    EXPECT_EQ(put(Range{1, ~Size{0}}), Status::kMdIllegal);
    EXPECT_EQ(desk.ni.get(md, Range{9, 8}, target), Status::kMdIllegal);
    target.process.pid = kAny;
    EXPECT_EQ(put({}), Status::kProcessInvalid);
    EXPECT_EQ(desk.ni.get(md, {}, target), Status::kProcessInvalid);
    target.process = {kAny, 1};
    EXPECT_EQ(put({}), Status::kProcessInvalid);
    target.process = kThere;
    EXPECT_EQ(desk.ni.put(kInvalid, {}, AckRequest::kNoAck, target, 0), Status::kMdInvalid);
    EXPECT_EQ(desk.ni.put(desk.eq, {}, AckRequest::kNoAck, target, 0), Status::kMdInvalid);
    EXPECT_TRUE(desk.nal.submitted.empty());
    EXPECT_EQ(desk.events(), "");
    EXPECT_EQ(put(Range{16, 0}), Status::kOk);
}

TEST(Calls, a_get_put_has_its_own_conditions) {
    Desk desk({.limits = {.max_getput = 8}, .uid = kUid});
    const Handle get = desk.bind(desk.spec(0, 1));
    const Handle put = desk.bind(desk.spec(0, kInfinite, 9));
    EXPECT_EQ(desk.ni.get_put(get, put, Desk::to(), 0), Status::kMdIllegal);
    const MdSpec fits = desk.spec(0, kInfinite, 8);
    ASSERT_EQ(desk.ni.update(put, nullptr, &fits, kNoQueue), Status::kOk);
    EXPECT_EQ(desk.ni.get_put(get, put, Desk::to(), 0), Status::kOk);
    const Handle elsewhere = HandleParts{Kind::kDescriptor, 3, 0, 0}.pack();
    EXPECT_EQ(desk.ni.get_put(elsewhere, put, Desk::to(), 0), Status::kMdIllegal);
    EXPECT_EQ(desk.ni.get_put(get, elsewhere, Desk::to(), 0), Status::kMdIllegal);
    EXPECT_EQ(desk.ni.get_put(get, kInvalid, Desk::to(), 0), Status::kMdIllegal);
}

TEST(Calls, registers_count) {
    Desk desk;
    const Handle entry = desk.entry();
    desk.attach(entry, desk.spec(kOpPut));
    desk.bind(desk.spec(0));
    EXPECT_TRUE(desk.put("abc"));
    EXPECT_EQ(desk.ni.unlink_entry(entry), Status::kOk);
    EXPECT_EQ(desk.value(Register::kRecvCount), 1U);
    EXPECT_EQ(desk.value(Register::kRecvLength), 3U);
    EXPECT_EQ(desk.value(Register::kEntriesAllocated), 1U);
    EXPECT_EQ(desk.value(Register::kEntriesFreed), 1U);
    EXPECT_EQ(desk.value(Register::kEntriesMax), 1U);
    EXPECT_EQ(desk.value(Register::kEntries), 0U);
    EXPECT_EQ(desk.value(Register::kDescriptorsAllocated), 2U);
    EXPECT_EQ(desk.value(Register::kDescriptors), 1U);
    EXPECT_EQ(desk.value(Register::kDescriptorsMax), 2U);
    EXPECT_EQ(desk.value(Register::kQueues), 1U);
    std::uint64_t value = 0;
    for (const std::uint32_t index : {6U, 7U, 8U, 11U, 24U, 29U, ~0U})
        EXPECT_EQ(desk.ni.read(static_cast<Register>(index), value), Status::kSrIndexInvalid) << index;
}

TEST(Calls, a_closed_interface_refuses_everything_and_nothing_reaches_it) {
    Desk desk;
    const Handle entry = desk.entry();
    const Handle md = desk.attach(entry, desk.spec(kOpPut));
    const Landing landing = desk.begin(Desk::header(MessageType::kPut, 3));
    ASSERT_EQ(desk.ni.put(md, {}, AckRequest::kAck, Desk::to(), 0), Status::kOk);
    desk.ni.close();
    desk.ni.close();
    desk.ni.landed(landing.operation);
    EXPECT_EQ(desk.begin(Desk::header(MessageType::kPut, 3)).operation, kNone);
    Handle handle = kInvalid;
    Index portal = 0;
    std::uint64_t value = 0;
    Event event{};
    EXPECT_EQ(desk.ni.attach_entry(4, {}, Position::kAfter, handle), Status::kNiInvalid);
    EXPECT_EQ(desk.ni.attach_any_entry(portal, {}, handle), Status::kNiInvalid);
    EXPECT_EQ(desk.ni.bind(desk.spec(0), Unlink::kRetain, handle), Status::kNiInvalid);
    EXPECT_EQ(desk.ni.open_queue(4, nullptr, handle), Status::kNiInvalid);
    EXPECT_EQ(desk.ni.set_access(0, {}), Status::kNiInvalid);
    EXPECT_EQ(desk.ni.read(Register::kDropCount, value), Status::kNiInvalid);
    EXPECT_EQ(desk.ni.unlink_entry(entry), Status::kMeInvalid);
    EXPECT_EQ(desk.ni.put(md, {}, AckRequest::kAck, Desk::to(), 0), Status::kMdInvalid);
    EXPECT_EQ(desk.take(event), Status::kEqInvalid);
}

TEST(Calls, a_pid_that_is_taken_is_refused) {
    PaperNal nal;
    Interface ni(0, nal, {});
    EXPECT_EQ(ni.open(99), Status::kPidInvalid);
}

TEST(Names, are_those_of_the_headers) {
    EXPECT_STREQ(name_of(Status::kOk), "PTL_OK");
    EXPECT_STREQ(name_of(Status::kSrIndexInvalid), "PTL_SR_INDEX_INVALID");
    EXPECT_STREQ(name_of(static_cast<Status>(-1)), "PTL_UNKNOWN_ERROR");
    EXPECT_STREQ(name_of(static_cast<Status>(24)), "PTL_UNKNOWN_ERROR");
    EXPECT_STREQ(name_of(EventKind::kGetStart), "PTL_EVENT_GET_START");
    EXPECT_STREQ(name_of(EventKind::kUnlink), "PTL_EVENT_UNLINK");
    EXPECT_STREQ(name_of(static_cast<EventKind>(12)), "PTL_UNKNOWN_EVENT_KIND");
}

}  // namespace isoplane::portals
