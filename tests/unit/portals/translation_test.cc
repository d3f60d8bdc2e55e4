// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// How a request finds its MD, and who is let in.
#include "desk.hh"

namespace isoplane::portals {

TEST(Translation, a_message_for_another_process_is_dropped) {
    Desk desk;
    desk.attach(desk.spec(kOpPut));
    Header header = Desk::header(MessageType::kPut, 3);
    header.target.pid = 5;
    EXPECT_FALSE(desk.arrive(header, "abc"));
    EXPECT_EQ(desk.drops(), 1U);
    EXPECT_EQ(desk.value(Register::kDropLength), 3U);
}

TEST(Translation, indexes_are_inclusive) {
    Desk desk({.limits = {.max_ac_index = 2, .max_pt_index = 5}, .uid = kUid});
    desk.attach(desk.entry({}, Position::kAfter, 5), desk.spec(kOpPut));
    Handle none = kInvalid;
    EXPECT_EQ(desk.ni.attach_entry(6, {}, Position::kAfter, none), Status::kPtIndexInvalid);
    Header header = Desk::header(MessageType::kPut, 0);
    header.portal = 5;
    header.cookie = 2;
    EXPECT_TRUE(desk.arrive(header, ""));
    header.cookie = 3;
    EXPECT_FALSE(desk.arrive(header, ""));
    header.cookie = 0;
    header.portal = 6;
    EXPECT_FALSE(desk.arrive(header, ""));
    header.portal = kAny;
    EXPECT_FALSE(desk.arrive(header, ""));
    EXPECT_EQ(desk.drops(), 3U);
}

TEST(Translation, entries_are_tried_in_the_order_of_the_list) {
    Desk desk;
    const Handle first = desk.entry();
    desk.attach(first, desk.spec(kOpPut, 1));
    MdSpec second = desk.spec(kOpPut, 1);
    second.start = desk.memory.data() + 16;
    Handle before = kInvalid;
    ASSERT_EQ(desk.ni.insert_entry(first, {}, Position::kBefore, before), Status::kOk);
    desk.attach(before, second);
    MdSpec third = desk.spec(kOpPut, 1);
    third.start = desk.memory.data() + 32;
    Handle after = kInvalid;
    ASSERT_EQ(desk.ni.insert_entry(before, {}, Position::kAfter, after), Status::kOk);
    desk.attach(after, third);
    MdSpec head = desk.spec(kOpPut, 1);
    head.start = desk.memory.data() + 48;
    desk.attach(desk.entry({}, Position::kBefore), head);
    for (const char* text : {"head", "2nd", "3rd", "1st"})
        EXPECT_TRUE(desk.put(text));
    EXPECT_FALSE(desk.put("none"));
    EXPECT_EQ(desk.text(0, 3) + desk.text(16, 3) + desk.text(32, 3) + desk.text(48, 4), "1st2nd3rdhead");
}

TEST(Translation, ids_match_or_are_wildcards) {
    for (const auto& [id, matches] : {std::pair{kThere, true},
                                      {ProcessId{kAny, kThere.pid}, true},
                                      {ProcessId{kThere.nid, kAny}, true},
                                      {ProcessId{kAny, 3}, false},
                                      {ProcessId{9, kAny}, false},
                                      {kAnyone, true}}) {
        Desk desk;
        desk.attach(desk.entry({.id = id}), desk.spec(kOpPut));
        EXPECT_EQ(desk.put("x"), matches) << id.nid << ',' << id.pid;
    }
}

TEST(Translation, ignored_bits_may_be_anything_in_both) {
    Desk desk;
    desk.attach(desk.entry({.bits = 0xff0f, .ignore = 0xff00}), desk.spec(kOpPut | kManageRemote));
    EXPECT_TRUE(desk.put("x", 0x120f));
    EXPECT_TRUE(desk.put("x", 0xff0f));
    EXPECT_FALSE(desk.put("x", 0xff0e));
    EXPECT_FALSE(desk.put("x", Bits{1} << 63 | 0xff0f));
}

TEST(Translation, entries_without_an_active_md_are_passed) {
    Desk desk;
    desk.entry();
    desk.attach(desk.spec(kOpPut, 0));
    desk.attach(desk.spec(kOpPut, -7));  // as good as 0
    EXPECT_FALSE(desk.put("x"));
    desk.attach(desk.spec(kOpPut));
    EXPECT_TRUE(desk.put("x"));
}

TEST(Translation, each_operation_is_enabled_by_itself) {
    for (const unsigned options : {0U, unsigned{kOpPut}, unsigned{kOpGet}, kOpPut | kOpGet}) {
        Desk desk;
        desk.attach(desk.spec(options | kManageRemote));
        EXPECT_EQ(desk.put("x"), (options & kOpPut) != 0);
        EXPECT_EQ(desk.get(1), (options & kOpGet) != 0);
        EXPECT_EQ(desk.arrive(Desk::header(MessageType::kGetPut, 1), "y"), options == (kOpPut | kOpGet));
    }
}

TEST(Translation, the_offset_is_the_mds_or_the_requests) {
    Desk desk;
    desk.attach(desk.entry({.bits = 1}), desk.spec(kOpPut));
    MdSpec remote = desk.spec(kOpPut | kManageRemote);
    remote.start = desk.memory.data() + 32;
    desk.attach(desk.entry({.bits = 2}), remote);
    Header header = Desk::header(MessageType::kPut, 2, 1);
    header.remote_offset = 9;
    EXPECT_TRUE(desk.arrive(header, "ab"));
    EXPECT_TRUE(desk.arrive(header, "cd"));
    header.match_bits = 2;
    EXPECT_TRUE(desk.arrive(header, "ef"));
    EXPECT_TRUE(desk.arrive(header, "gh"));
    EXPECT_EQ(desk.text(0, 6), "abcd..");
    EXPECT_EQ(desk.text(32, 16), ".........gh.....");
}

TEST(Translation, what_does_not_fit_goes_to_the_next_that_matches) {
    Desk desk;
    desk.attach(desk.spec(kOpPut, kInfinite, 2));
    MdSpec second = desk.spec(kOpPut);
    second.start = desk.memory.data() + 16;
    desk.attach(second);
    EXPECT_TRUE(desk.put("abc"));
    EXPECT_EQ(desk.text(0, 3) + desk.text(16, 3), "...abc");
}

TEST(Translation, what_may_be_truncated_is) {
    Desk desk;
    desk.attach(desk.spec(kOpPut | kTruncate, kInfinite, 4));
    EXPECT_TRUE(desk.put("abcdef"));
    EXPECT_EQ(desk.text(0, 6), "abcd..");
    Event event = desk.event();
    EXPECT_EQ(event.rlength, 6U);
    EXPECT_EQ(event.mlength, 4U);
    desk.event();
    // It is full, and still tells of what comes.
    EXPECT_TRUE(desk.put("gh"));
    event = desk.event();
    EXPECT_EQ(event.rlength, 2U);
    EXPECT_EQ(event.mlength, 0U);
    EXPECT_EQ(event.offset, 4U);
}

TEST(Translation, a_request_of_no_length_fits_what_is_full) {
    Desk desk;
    desk.attach(desk.spec(kOpPut, kInfinite, 4));
    EXPECT_TRUE(desk.put("abcd"));
    EXPECT_TRUE(desk.put(""));
    EXPECT_FALSE(desk.put("e"));
}

TEST(Translation, offsets_do_not_wrap) {
    Desk desk;
    desk.attach(desk.spec(kOpPut | kManageRemote | kTruncate));
    Header header = Desk::header(MessageType::kPut, 4);
    for (const Size offset : {Size{17}, ~Size{0}, ~Size{0} - 3}) {
        header.remote_offset = offset;
        EXPECT_FALSE(desk.arrive(header, "abcd")) << offset;
    }
    header.remote_offset = 16;
    EXPECT_TRUE(desk.arrive(header, "abcd"));
    header.remote_offset = 14;
    EXPECT_TRUE(desk.arrive(header, "abcd"));
    EXPECT_EQ(desk.text(0, 18), "..............ab..");
    header.remote_offset = 1;
    header.length = ~Size{0};
    EXPECT_EQ(desk.begin(header).where.length, 15U);
}

TEST(Translation, drops_are_counted_and_leave_no_trace) {
    Desk desk;
    desk.attach(desk.entry({.bits = 3}), desk.spec(kOpPut));
    EXPECT_FALSE(desk.put("abcde", 4));
    EXPECT_FALSE(desk.get(9, 4));
    EXPECT_EQ(desk.drops(), 2U);
    EXPECT_EQ(desk.value(Register::kDropLength), 5U);
    EXPECT_EQ(desk.events(), "");
    EXPECT_TRUE(desk.nal.submitted.empty());
    EXPECT_EQ(desk.memory, std::string(256, '.'));
}

TEST(Translation, drops_tell_why) {
    Desk desk;
    desk.attach(desk.entry({.bits = 3}), desk.spec(kOpPut));
    const auto dropped = [&desk](Drop reason, MessageType type, auto&& change) {
        Header header = Desk::header(type, 1);
        change(header);
        const std::uint64_t before = desk.ni.dropped(reason);
        EXPECT_FALSE(desk.arrive(header, "x")) << name_of(reason);
        EXPECT_EQ(desk.ni.dropped(reason), before + 1) << name_of(reason);
    };
    dropped(Drop::kProcess, MessageType::kPut, [](Header& header) { ++header.target.pid; });
    dropped(Drop::kPortal, MessageType::kPut, [](Header& header) { header.portal = 64; });
    dropped(Drop::kAccess, MessageType::kPut, [](Header& header) { header.cookie = 64; });
    dropped(Drop::kAccess, MessageType::kPut, [](Header& header) { ++header.uid; });
    dropped(Drop::kMatch, MessageType::kPut, [](Header& header) { header.match_bits = 4; });
    dropped(Drop::kTooLong, MessageType::kGetPut, [](Header& header) { header.length = 65; });
    dropped(Drop::kAnswer, MessageType::kReply, [](Header& header) { header.md = kInvalid; });
    EXPECT_EQ(desk.drops(), 7U);
}

TEST(Translation, a_bound_md_is_never_found) {
    Desk desk;
    desk.bind(desk.spec(kOpPut));
    EXPECT_FALSE(desk.put("x"));
}

TEST(Access, every_entry_admits_the_own_user_at_first) {
    Desk desk;
    desk.attach(desk.spec(kOpPut | kManageRemote));
    Header header = Desk::header(MessageType::kPut, 1);
    for (const Index cookie : {0U, 7U, 63U}) {
        header.cookie = cookie;
        header.uid = kUid;
        EXPECT_TRUE(desk.arrive(header, "x"));
        header.uid = kUid + 1;
        EXPECT_FALSE(desk.arrive(header, "x"));
    }
    EXPECT_EQ(desk.drops(), 3U);
    EXPECT_TRUE(desk.nal.submitted.empty());
}

TEST(Access, every_component_of_an_entry_must_fit) {
    const AccessEntry open;
    const auto admitted = [](const AccessEntry& entry) {
        Desk desk;
        desk.attach(desk.spec(kOpPut));
        EXPECT_EQ(desk.ni.set_access(0, entry), Status::kOk);
        return desk.put("x");
    };
    EXPECT_TRUE(admitted(open));
    EXPECT_TRUE(admitted({.id = kThere, .uid = kUid, .jid = 5, .portal = 4}));
    EXPECT_FALSE(admitted({.id = {kThere.nid, 9}}));
    EXPECT_FALSE(admitted({.id = {9, kThere.pid}}));
    EXPECT_FALSE(admitted({.uid = 9}));
    EXPECT_FALSE(admitted({.jid = 9}));
    EXPECT_FALSE(admitted({.portal = 3}));
}

TEST(Access, entries_and_portals_that_are_not_there_are_refused) {
    Desk desk;
    EXPECT_EQ(desk.ni.set_access(64, {}), Status::kAcIndexInvalid);
    EXPECT_EQ(desk.ni.set_access(63, {.portal = 64}), Status::kPtIndexInvalid);
    EXPECT_EQ(desk.ni.set_access(63, {.portal = 63}), Status::kOk);
}

TEST(Access, answers_need_no_admission) {
    Desk desk;
    desk.ni.set_access(0, {.uid = 9});
    const Handle md = desk.bind(desk.spec(0));
    ASSERT_EQ(desk.ni.put(md, {}, AckRequest::kAck, Desk::to(), 0), Status::kOk);
    const Header sent = desk.leave().header;
    desk.begin(Desk::answer(sent, MessageType::kAck, 16));
    EXPECT_EQ(desk.events(), "SEND_START SEND_END ACK");
}

}  // namespace isoplane::portals
