// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// What an MD lives through: threshold, offset, exhaustion, unlinking.
#include "desk.hh"

namespace isoplane::portals {

TEST(Descriptor, a_put_and_its_ack_cost_one_operation_each) {
    Desk desk;
    const Handle md = desk.bind(desk.spec(0, 2), Unlink::kUnlink);
    ASSERT_EQ(desk.ni.put(md, {}, AckRequest::kAck, Desk::to(), 0), Status::kOk);
    EXPECT_EQ(desk.event().spec.threshold, 1);
    desk.begin(Desk::answer(desk.leave().header, MessageType::kAck, 16));
    EXPECT_EQ(desk.events(), "SEND_END ACK UNLINK");
    EXPECT_EQ(desk.ni.unlink(md), Status::kMdInvalid);
}

TEST(Descriptor, a_get_costs_nothing_and_its_reply_one) {
    Desk desk;
    const Handle md = desk.bind(desk.spec(kOpGet | kTruncate, 1), Unlink::kUnlink);
    ASSERT_EQ(desk.ni.get(md, {}, Desk::to()), Status::kOk);
    ASSERT_EQ(desk.ni.get(md, {}, Desk::to()), Status::kOk);
    EXPECT_EQ(desk.events(), "");
    const Header first = desk.leave().header;
    const Header second = desk.leave().header;
    EXPECT_TRUE(desk.arrive(Desk::answer(first, MessageType::kReply, 4), "data"));
    EXPECT_EQ(desk.events(), "REPLY_START REPLY_END UNLINK");
    EXPECT_FALSE(desk.arrive(Desk::answer(second, MessageType::kReply, 4), "more"));
    EXPECT_EQ(desk.drops(), 1U);
    EXPECT_EQ(desk.text(0, 6), "data..");
}

TEST(Descriptor, a_get_put_costs_each_of_its_mds_one) {
    Desk desk;
    const Handle get = desk.bind(desk.spec(0, 5));
    const Handle put = desk.bind(desk.spec(0, 5));
    ASSERT_EQ(desk.ni.get_put(get, put, Desk::to(), 0), Status::kOk);
    Event event = desk.event();
    EXPECT_EQ(event.md, put);
    EXPECT_EQ(event.spec.threshold, 4);
    EXPECT_TRUE(
        desk.arrive(Desk::answer(desk.leave().header, MessageType::kReply, 16), std::string(16, 'x')));
    EXPECT_EQ(desk.event().kind, EventKind::kSendEnd);
    event = desk.event();
    EXPECT_EQ(event.kind, EventKind::kReplyStart);
    EXPECT_EQ(event.md, get);
    EXPECT_EQ(event.spec.threshold, 4);
}

TEST(Descriptor, every_request_costs_one_when_it_begins) {
    Desk desk;
    desk.attach(desk.spec(kOpPut | kOpGet | kManageRemote, 3));
    const Landing put = desk.begin(Desk::header(MessageType::kPut, 1));
    const Landing swap = desk.begin(Desk::header(MessageType::kGetPut, 1));
    EXPECT_EQ(swap.where.length, 1U);
    desk.begin(Desk::header(MessageType::kGet, 1));
    EXPECT_EQ(desk.nal.submitted.size(), 1U);
    // Nothing has ended, and there is no fourth.
    EXPECT_FALSE(desk.put("x"));
    EXPECT_EQ(desk.event().spec.threshold, 2);
    EXPECT_EQ(desk.event().spec.threshold, 1);
    EXPECT_EQ(desk.event().spec.threshold, 0);
    EXPECT_NE(put.operation, kNone);
}

TEST(Descriptor, local_calls_and_unlink_events_cost_nothing) {
    Desk desk;
    const Handle md = desk.attach(desk.spec(kOpPut, 2));
    MdSpec old{};
    ASSERT_EQ(desk.ni.update(md, &old, nullptr, kNoQueue), Status::kOk);
    EXPECT_EQ(old.threshold, 2);
}

TEST(Descriptor, an_endless_threshold_does_not_count_down) {
    Desk desk;
    desk.attach(desk.spec(kOpPut | kManageRemote));
    for (int i = 0; i < 20; ++i)
        EXPECT_TRUE(desk.put("x"));
    EXPECT_EQ(desk.event().spec.threshold, kInfinite);
}

TEST(Descriptor, only_requests_move_its_offset) {
    Desk desk;
    const Handle md = desk.attach(desk.spec(kOpPut | kOpGet));
    EXPECT_TRUE(desk.put("abc"));
    ASSERT_EQ(desk.ni.put(md, Range{0, 16}, AckRequest::kNoAck, Desk::to(), 0), Status::kOk);
    EXPECT_EQ(desk.leave().header.length, 16U);
    ASSERT_EQ(desk.ni.get(md, {}, Desk::to()), Status::kOk);
    EXPECT_TRUE(desk.arrive(Desk::answer(desk.leave().header, MessageType::kReply, 1), "A"));
    EXPECT_TRUE(desk.get(1));
    EXPECT_TRUE(desk.put("e"));
    EXPECT_EQ(desk.text(0, 6), "Abc.e.");
}

TEST(Descriptor, is_exhausted_when_less_than_max_size_is_left) {
    Desk desk;
    MdSpec spec = desk.spec(kOpPut | kMaxSize);
    spec.max_size = 4;
    desk.attach(spec, Unlink::kUnlink);
    EXPECT_TRUE(desk.put("0123456789"));
    EXPECT_TRUE(desk.put("ab"));  // 4 left: just enough
    EXPECT_EQ(desk.events(), "PUT_START PUT_END PUT_START PUT_END");
    EXPECT_TRUE(desk.put("c"));
    EXPECT_EQ(desk.events(), "PUT_START PUT_END UNLINK");
    EXPECT_FALSE(desk.put(""));
}

TEST(Descriptor, max_size_means_nothing_without_its_option_or_with_offsets_from_requests) {
    for (const unsigned options : {unsigned{kOpPut}, kOpPut | kMaxSize | kManageRemote}) {
        Desk desk;
        MdSpec spec = desk.spec(options);
        spec.max_size = 1000;
        desk.attach(spec);
        for (int i = 0; i < 10; ++i)
            EXPECT_TRUE(desk.put("x"));
    }
}

TEST(Descriptor, a_max_size_beyond_its_length_leaves_it_one_operation) {
    Desk desk;
    MdSpec spec = desk.spec(kOpPut | kMaxSize);
    spec.max_size = 17;
    const Handle md = desk.attach(spec);
    ASSERT_EQ(desk.ni.put(md, Range{0, 1}, AckRequest::kNoAck, Desk::to(), 0),
              Status::kOk);  // does not count
    desk.leave();
    EXPECT_TRUE(desk.put("x"));
    EXPECT_FALSE(desk.put("x"));
}

TEST(Descriptor, goes_with_whichever_of_its_operations_ends_last) {
    Desk desk;
    desk.attach(desk.spec(kOpPut | kManageRemote, 2), Unlink::kUnlink);
    const Landing first = desk.begin(Desk::header(MessageType::kPut, 1));
    const Landing second = desk.begin(Desk::header(MessageType::kPut, 1));
    desk.land(second, "b");
    EXPECT_EQ(desk.events(), "PUT_START PUT_START PUT_END");
    desk.land(first, "a");
    EXPECT_EQ(desk.events(), "PUT_END UNLINK");
}

TEST(Descriptor, goes_once_when_an_ack_comes_before_its_put_has_left) {
    Desk desk;
    const Handle md = desk.bind(desk.spec(0, 2), Unlink::kUnlink);
    ASSERT_EQ(desk.ni.put(md, {}, AckRequest::kAck, Desk::to(), 0), Status::kOk);
    desk.begin(Desk::answer(desk.nal.submitted.front().header, MessageType::kAck, 16));
    EXPECT_EQ(desk.events(), "SEND_START ACK");
    desk.leave();
    EXPECT_EQ(desk.events(), "SEND_END UNLINK");
}

TEST(Descriptor, made_inactive_by_its_user_stays) {
    Desk desk;
    const Handle md = desk.attach(desk.spec(kOpPut, 0), Unlink::kUnlink);
    EXPECT_FALSE(desk.put("x"));
    EXPECT_EQ(desk.events(), "");
    const MdSpec active = desk.spec(kOpPut, 1);
    const MdSpec inactive = desk.spec(kOpPut, 0);
    ASSERT_EQ(desk.ni.update(md, nullptr, &active, kNoQueue), Status::kOk);
    ASSERT_EQ(desk.ni.update(md, nullptr, &inactive, kNoQueue), Status::kOk);
    EXPECT_FALSE(desk.put("x"));
    EXPECT_EQ(desk.ni.unlink(md), Status::kOk);
}

TEST(Descriptor, retained_when_used_up_is_inactive_and_can_be_armed_again) {
    Desk desk;
    const Handle md = desk.attach(desk.spec(kOpPut, 1));
    EXPECT_TRUE(desk.put("a"));
    EXPECT_FALSE(desk.put("b"));
    EXPECT_EQ(desk.events(), "PUT_START PUT_END");
    EXPECT_EQ(desk.ni.put(md, {}, AckRequest::kNoAck, Desk::to(), 0), Status::kMdInvalid);
    EXPECT_EQ(desk.ni.get(md, {}, Desk::to()), Status::kMdInvalid);
    const MdSpec again = desk.spec(kOpPut, 1);
    ASSERT_EQ(desk.ni.update(md, nullptr, &again, kNoQueue), Status::kOk);
    EXPECT_TRUE(desk.put("c"));
    EXPECT_EQ(desk.text(0, 2), "c.");
}

TEST(Descriptor, what_does_not_fit_can_unlink_it) {
    Desk desk;
    const Handle entry = desk.entry({.unlink = Unlink::kUnlink});
    const Handle md = desk.attach(entry, desk.spec(kOpPut, kInfinite, 2), Unlink::kRetain, Unlink::kUnlink);
    MdSpec second = desk.spec(kOpPut);
    second.start = desk.memory.data() + 16;
    second.eq = kNoQueue;
    desk.attach(second);
    EXPECT_TRUE(desk.put("abc"));
    EXPECT_EQ(desk.text(16, 3), "abc");
    const Event event = desk.event();
    EXPECT_EQ(event.kind, EventKind::kUnlink);
    EXPECT_EQ(event.md, md);
    EXPECT_EQ(event.rlength, 3U);
    EXPECT_EQ(event.link, event.sequence);
    EXPECT_EQ(desk.ni.unlink(md), Status::kMdInvalid);
    EXPECT_EQ(desk.ni.unlink_entry(entry), Status::kMeInvalid);
}

TEST(Descriptor, that_is_to_go_for_want_of_room_takes_nothing_more) {
    Desk desk;
    desk.attach(desk.entry(), desk.spec(kOpPut, kInfinite, 4), Unlink::kRetain, Unlink::kUnlink);
    const Landing landing = desk.begin(Desk::header(MessageType::kPut, 2));
    EXPECT_FALSE(desk.put("abc"));
    EXPECT_FALSE(desk.put("a"));
    EXPECT_EQ(desk.events(), "PUT_START");
    desk.land(landing, "xy");
    EXPECT_EQ(desk.events(), "PUT_END UNLINK");
}

TEST(Descriptor, is_not_unlinked_while_it_is_in_use) {
    Desk desk;
    const Handle entry = desk.entry();
    const Handle md = desk.attach(entry, desk.spec(kOpPut));
    const Landing landing = desk.begin(Desk::header(MessageType::kPut, 2));
    EXPECT_EQ(desk.ni.unlink(md), Status::kMdInUse);
    EXPECT_EQ(desk.ni.unlink_entry(entry), Status::kMeInUse);
    desk.land(landing, "xy");
    EXPECT_EQ(desk.ni.unlink_entry(entry), Status::kOk);
    EXPECT_EQ(desk.ni.unlink(md), Status::kMdInvalid);
    EXPECT_EQ(desk.events(), "PUT_START PUT_END");
}

TEST(Descriptor, takes_its_entry_along_if_that_is_to_be_unlinked) {
    Desk desk;
    for (const Unlink unlink : {Unlink::kRetain, Unlink::kUnlink}) {
        const Handle entry = desk.entry({.unlink = unlink});
        const Handle md = desk.attach(entry, desk.spec(kOpPut));
        EXPECT_EQ(desk.ni.unlink(md), Status::kOk);
        EXPECT_EQ(desk.ni.unlink_entry(entry), unlink == Unlink::kRetain ? Status::kOk : Status::kMeInvalid);
    }
    // An entry that never had one stays.
    const Handle fresh = desk.entry({.unlink = Unlink::kUnlink});
    EXPECT_EQ(desk.ni.unlink_entry(fresh), Status::kOk);
}

TEST(Descriptor, a_retained_entry_takes_another_as_soon_as_the_unlink_is_told) {
    Desk desk;
    const Handle entry = desk.entry();
    for (int i = 0; i < 3; ++i) {
        desk.attach(entry, desk.spec(kOpPut | kTruncate, 1), Unlink::kUnlink);
        EXPECT_TRUE(desk.put("x"));
        EXPECT_EQ(desk.events(), "PUT_START PUT_END UNLINK");
    }
}

TEST(Descriptor, answers_that_have_not_come_do_not_hold_it) {
    Desk desk;
    const Handle md = desk.bind(desk.spec(0));
    ASSERT_EQ(desk.ni.put(md, {}, AckRequest::kAck, Desk::to(), 0), Status::kOk);
    ASSERT_EQ(desk.ni.get(md, {}, Desk::to()), Status::kOk);
    EXPECT_EQ(desk.ni.unlink(md), Status::kMdInUse);
    const Header put = desk.leave().header;
    EXPECT_EQ(desk.ni.unlink(md), Status::kMdInUse);  // the get has not left
    const Header get = desk.leave().header;
    EXPECT_EQ(desk.ni.unlink(md), Status::kOk);
    // And find nothing when they do, even if its place is taken.
    desk.bind(desk.spec(0));
    desk.begin(Desk::answer(put, MessageType::kAck, 16));
    EXPECT_FALSE(desk.arrive(Desk::answer(get, MessageType::kReply, 16), ""));
    EXPECT_EQ(desk.drops(), 2U);
    EXPECT_EQ(desk.value(Register::kDropLength), 16U);
    EXPECT_EQ(desk.events(), "SEND_START SEND_END");
}

}  // namespace isoplane::portals
