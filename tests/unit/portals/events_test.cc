// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Which events an operation posts, with what in them, and in what order they are seen.
#include "desk.hh"

namespace isoplane::portals {

namespace {

const std::string kSixteen(16, 'x');

}  // namespace

TEST(Events, a_put_tells_of_its_start_before_the_call_returns) {
    Desk desk;
    const Handle md = desk.bind(desk.spec(0));
    ASSERT_EQ(desk.ni.put(md, {}, AckRequest::kNoAck, Desk::to(), 0), Status::kOk);
    EXPECT_EQ(desk.events(), "SEND_START");
    desk.leave();
    EXPECT_EQ(desk.events(), "SEND_END");
}

TEST(Events, a_get_tells_of_its_reply_only) {
    Desk desk;
    const Handle md = desk.bind(desk.spec(0));
    ASSERT_EQ(desk.ni.get(md, {}, Desk::to()), Status::kOk);
    const Header request = desk.leave().header;
    EXPECT_EQ(desk.events(), "");
    const Landing landing = desk.begin(Desk::answer(request, MessageType::kReply, 16));
    EXPECT_EQ(desk.events(), "REPLY_START");
    desk.land(landing, kSixteen);
    EXPECT_EQ(desk.events(), "REPLY_END");
}

TEST(Events, a_get_put_tells_of_both) {
    Desk desk;
    const Handle md = desk.attach(desk.spec(kOpPut | kOpGet));
    ASSERT_EQ(desk.ni.get_put(md, md, Desk::to(), 0), Status::kOk);
    const Header request = desk.leave().header;
    EXPECT_TRUE(desk.arrive(Desk::answer(request, MessageType::kReply, 16), kSixteen));
    EXPECT_EQ(desk.events(), "SEND_START SEND_END REPLY_START REPLY_END");
    EXPECT_EQ(desk.ni.unlink(md), Status::kOk);
}

TEST(Events, a_target_tells_of_each_request_in_two) {
    Desk desk;
    desk.attach(desk.spec(kOpPut | kOpGet | kManageRemote));
    EXPECT_TRUE(desk.put("x"));
    EXPECT_EQ(desk.events(), "PUT_START PUT_END");
    EXPECT_TRUE(desk.get(1));
    EXPECT_EQ(desk.events(), "GET_START GET_END");
    EXPECT_TRUE(desk.arrive(Desk::header(MessageType::kGetPut, 1), "y"));
    EXPECT_EQ(desk.events(), "GETPUT_START");
    EXPECT_EQ(desk.leave().header.type, MessageType::kReply);
    EXPECT_EQ(desk.events(), "GETPUT_END");
}

TEST(Events, options_suppress_them_and_nothing_else) {
    const struct {
        unsigned options;
        const char* target;
        const char* initiator;
    } kRows[] = {
        {0, "PUT_START PUT_END UNLINK", "SEND_START SEND_END ACK UNLINK"},
        {kStartDisable, "PUT_END UNLINK", "SEND_END ACK UNLINK"},
        {kEndDisable, "PUT_START UNLINK", "SEND_START ACK UNLINK"},
        {kStartDisable | kEndDisable, "", ""},
        {kUnlinkDisable, "PUT_START PUT_END", "SEND_START SEND_END ACK"},
    };
    for (const auto& row : kRows) {
        for (const bool queue : {true, false}) {
            Desk desk;
            MdSpec target = desk.spec(kOpPut | row.options, 1);
            MdSpec initiator = desk.spec(row.options, 2);
            if (!queue) target.eq = initiator.eq = kNoQueue;
            const Handle md = desk.attach(target, Unlink::kUnlink);
            Header header = Desk::header(MessageType::kPut, 1);
            header.md = 5;
            EXPECT_TRUE(desk.arrive(header, "x"));
            EXPECT_EQ(desk.events(), queue ? row.target : "");
            EXPECT_EQ(desk.leave().header.type, MessageType::kAck);  // is sent in any case
            EXPECT_EQ(desk.ni.unlink(md), Status::kMdInvalid);

            const Handle source = desk.bind(initiator, Unlink::kUnlink);
            ASSERT_EQ(desk.ni.put(source, {}, AckRequest::kAck, Desk::to(), 0), Status::kOk);
            desk.begin(Desk::answer(desk.leave().header, MessageType::kAck, 16));
            EXPECT_EQ(desk.events(), queue ? row.initiator : "");
            EXPECT_EQ(desk.ni.unlink(source), Status::kMdInvalid);
            EXPECT_EQ(desk.drops(), 0U);
        }
    }
}

TEST(Events, a_send_says_what_was_asked_for) {
    Desk desk;
    const Handle md = desk.bind(desk.spec(0, 9));
    const Target target = Desk::to(0x1234, 56);
    ASSERT_EQ(desk.ni.put(md, Range{2, 5}, AckRequest::kAck, target, 99), Status::kOk);
    const Header sent = desk.leave().header;
    for (const EventKind kind : {EventKind::kSendStart, EventKind::kSendEnd}) {
        const Event event = desk.event();
        EXPECT_EQ(event.kind, kind);
        EXPECT_EQ(event.initiator, kHere);
        EXPECT_EQ(event.uid, kUid);
        EXPECT_EQ(event.jid, kJid);
        EXPECT_EQ(event.portal, 4U);
        EXPECT_EQ(event.match_bits, 0x1234U);
        EXPECT_EQ(event.rlength, 5U);
        EXPECT_EQ(event.mlength, 5U);
        EXPECT_EQ(event.offset, 56U);
        EXPECT_EQ(event.md, md);
        EXPECT_EQ(event.spec.user_ptr, &desk.user);
        EXPECT_EQ(event.spec.threshold, 8);
        EXPECT_EQ(event.hdr_data, 99U);
        EXPECT_EQ(event.failure, kSuccess);
    }
    Header ack = Desk::answer(sent, MessageType::kAck, 3);
    ack.uid = 11;
    ack.jid = 12;
    desk.begin(ack);
    const Event event = desk.event();
    EXPECT_EQ(event.kind, EventKind::kAck);
    EXPECT_EQ(event.initiator, kThere);
    EXPECT_EQ(event.uid, 11U);
    EXPECT_EQ(event.jid, 12U);
    EXPECT_EQ(event.portal, 4U);
    EXPECT_EQ(event.match_bits, 0x1234U);
    EXPECT_EQ(event.rlength, 5U);
    EXPECT_EQ(event.mlength, 3U);
    EXPECT_EQ(event.offset, 56U);
    EXPECT_EQ(event.md, md);
    EXPECT_EQ(event.spec.threshold, 7);
    EXPECT_EQ(event.hdr_data, 0U);
    EXPECT_EQ(event.link, event.sequence);
}

TEST(Events, a_target_says_who_asked_and_what_it_did) {
    Desk desk;
    const Handle md = desk.attach(desk.entry({.ignore = 5}), desk.spec(kOpPut | kOpGet | kTruncate, 9, 6));
    EXPECT_TRUE(desk.put("ab"));
    desk.events();
    EXPECT_TRUE(desk.put("cdefgh", 5));
    for (const EventKind kind : {EventKind::kPutStart, EventKind::kPutEnd}) {
        const Event event = desk.event();
        EXPECT_EQ(event.kind, kind);
        EXPECT_EQ(event.initiator, kThere);
        EXPECT_EQ(event.uid, kUid);
        EXPECT_EQ(event.jid, 5U);
        EXPECT_EQ(event.portal, 4U);
        EXPECT_EQ(event.match_bits, 5U);
        EXPECT_EQ(event.rlength, 6U);
        EXPECT_EQ(event.mlength, 4U);
        EXPECT_EQ(event.offset, 2U);
        EXPECT_EQ(event.md, md);
        EXPECT_EQ(event.spec.start, desk.memory.data());
        EXPECT_EQ(event.spec.length, 6U);
        EXPECT_EQ(event.spec.threshold, 7);
        EXPECT_EQ(event.spec.eq, desk.eq);
        EXPECT_EQ(event.hdr_data, 77U);
    }
    EXPECT_TRUE(desk.get(3));
    EXPECT_EQ(desk.event().mlength, 0U);  // it is full
}

TEST(Events, gets_have_no_header_data_and_get_puts_do) {
    Desk desk;
    desk.attach(desk.spec(kOpPut | kOpGet | kManageRemote));
    Header get = Desk::header(MessageType::kGet, 1);
    desk.begin(get);
    EXPECT_EQ(desk.event().hdr_data, 0U);
    desk.leave();
    desk.event();
    EXPECT_TRUE(desk.arrive(Desk::header(MessageType::kGetPut, 1), "y"));
    EXPECT_EQ(desk.event().hdr_data, 77U);
}

TEST(Events, a_reply_says_who_answered_and_where_it_lies) {
    Desk desk;
    const Handle md = desk.bind(desk.spec(0, 9));
    ASSERT_EQ(desk.ni.get(md, Range{6, 8}, Desk::to(0x77, 5)), Status::kOk);
    Header reply = Desk::answer(desk.leave().header, MessageType::kReply, 3);
    reply.uid = 11;
    EXPECT_TRUE(desk.arrive(reply, "abc"));
    EXPECT_EQ(desk.text(4, 7), "..abc..");
    for (const EventKind kind : {EventKind::kReplyStart, EventKind::kReplyEnd}) {
        const Event event = desk.event();
        EXPECT_EQ(event.kind, kind);
        EXPECT_EQ(event.initiator, kThere);
        EXPECT_EQ(event.uid, 11U);
        EXPECT_EQ(event.portal, 4U);
        EXPECT_EQ(event.match_bits, 0x77U);
        EXPECT_EQ(event.rlength, 8U);
        EXPECT_EQ(event.mlength, 3U);
        EXPECT_EQ(event.offset, 6U);
        EXPECT_EQ(event.md, md);
        EXPECT_EQ(event.spec.threshold, 8);
        EXPECT_EQ(event.hdr_data, 0U);
    }
}

TEST(Events, those_of_an_operation_have_one_link) {
    Desk desk;
    desk.attach(desk.spec(kOpPut | kManageRemote, 2), Unlink::kUnlink);
    const Landing first = desk.begin(Desk::header(MessageType::kPut, 1));
    const Landing second = desk.begin(Desk::header(MessageType::kPut, 1));
    desk.land(first, "a");
    desk.land(second, "b");
    const Event start1 = desk.event();
    const Event start2 = desk.event();
    EXPECT_EQ(start1.link, start1.sequence);
    EXPECT_EQ(start2.link, start2.sequence);
    EXPECT_EQ(desk.event().link, start1.link);
    EXPECT_EQ(desk.event().link, start2.link);
    const Event unlink = desk.event();
    EXPECT_EQ(unlink.kind, EventKind::kUnlink);
    EXPECT_EQ(unlink.link, start2.link);
}

TEST(Events, without_a_start_the_link_is_that_of_the_end) {
    Desk desk;
    desk.attach(desk.spec(kOpPut | kStartDisable, 1), Unlink::kUnlink);
    EXPECT_TRUE(desk.put("a"));
    const Event end = desk.event();
    EXPECT_EQ(end.link, end.sequence);
    const Event unlink = desk.event();
    EXPECT_EQ(unlink.link, end.link);
    EXPECT_EQ(unlink.mlength, 1U);
    EXPECT_EQ(unlink.hdr_data, 77U);
}

TEST(Events, starts_are_in_the_order_of_arrival_and_numbers_have_no_gap) {
    Desk desk;
    desk.attach(desk.entry({.bits = 1}), desk.spec(kOpPut));
    desk.attach(desk.entry({.bits = 2}), desk.spec(kOpPut));
    std::vector<Landing> landings;
    for (const Bits bits : {Bits{2}, Bits{1}, Bits{1}, Bits{2}})
        landings.push_back(desk.begin(Desk::header(MessageType::kPut, 1, bits)));
    for (std::size_t i = landings.size(); i-- > 0;)
        desk.land(landings[i], "x");
    std::vector<Bits> order;
    Sequence expected = 0;
    for (int i = 0; i < 8; ++i) {
        const Event event = desk.event();
        if (i == 0) expected = event.sequence;
        EXPECT_EQ(event.sequence, expected++);
        order.push_back(event.match_bits);
    }
    EXPECT_EQ(order, (std::vector<Bits>{2, 1, 1, 2, 2, 1, 1, 2}));
}

TEST(Events, a_failure_is_told_by_the_end_and_unlinks_all_the_same) {
    Desk desk;
    desk.attach(desk.spec(kOpPut, 1), Unlink::kUnlink);
    Header header = Desk::header(MessageType::kPut, 2);
    header.md = 5;
    desk.land(desk.begin(header), "xy", 9);
    EXPECT_EQ(desk.event().failure, kSuccess);
    const Event end = desk.event();
    EXPECT_EQ(end.kind, EventKind::kPutEnd);
    EXPECT_EQ(end.failure, 9U);
    const Event unlink = desk.event();
    EXPECT_EQ(unlink.kind, EventKind::kUnlink);
    EXPECT_EQ(unlink.failure, kSuccess);
    EXPECT_TRUE(desk.nal.submitted.empty());  // no ACK

    const Handle md = desk.bind(desk.spec(0));
    ASSERT_EQ(desk.ni.put(md, {}, AckRequest::kAck, Desk::to(), 0), Status::kOk);
    desk.leave(kFailed);
    desk.event();
    EXPECT_EQ(desk.event().failure, kFailed);
}

TEST(Events, a_get_put_whose_data_was_lost_swaps_nothing) {
    Desk desk;
    desk.attach(desk.spec(kOpPut | kOpGet));
    desk.land(desk.begin(Desk::header(MessageType::kGetPut, 2)), "xy", 9);
    EXPECT_EQ(desk.events(), "GETPUT_START GETPUT_END");
    EXPECT_EQ(desk.text(0, 2), "..");
    EXPECT_TRUE(desk.nal.submitted.empty());
}

// What a program does as soon as it sees an event works.

TEST(Visibility, an_md_is_free_when_its_end_is_there) {
    Desk desk;
    const Handle md = desk.attach(desk.spec(kOpPut | kOpGet, 8));
    const auto unlink_works = [&desk](Handle handle) {
        EXPECT_NE(desk.events().find("_END"), std::string::npos);
        EXPECT_EQ(desk.ni.unlink(handle), Status::kOk);
    };
    EXPECT_TRUE(desk.put("x"));
    unlink_works(md);
    const Handle source = desk.bind(desk.spec(0, 8));
    ASSERT_EQ(desk.ni.put(source, {}, AckRequest::kNoAck, Desk::to(), 0), Status::kOk);
    desk.leave();
    unlink_works(source);
    const Handle sink = desk.bind(desk.spec(0, 2));
    ASSERT_EQ(desk.ni.get(sink, {}, Desk::to()), Status::kOk);
    EXPECT_TRUE(desk.arrive(Desk::answer(desk.leave().header, MessageType::kReply, 16), kSixteen));
    unlink_works(sink);
}

TEST(Visibility, an_md_is_used_up_when_its_last_operation_begins) {
    Desk desk;
    desk.attach(desk.spec(kOpPut, 1));
    const Landing landing = desk.begin(Desk::header(MessageType::kPut, 1));
    EXPECT_FALSE(desk.put("y"));
    desk.land(landing, "x");
    EXPECT_EQ(desk.text(0, 2), "x.");
}

TEST(Visibility, the_ack_is_on_its_way_when_put_end_is_there_and_not_before_the_data_is) {
    Desk desk;
    desk.attach(desk.spec(kOpPut));
    Header header = Desk::header(MessageType::kPut, 2);
    header.md = 5;
    header.md_generation = 6;
    const Landing landing = desk.begin(header);
    EXPECT_EQ(desk.events(), "PUT_START");
    EXPECT_TRUE(desk.nal.submitted.empty());
    desk.land(landing, "xy");
    EXPECT_EQ(desk.nal.submitted.size(), 1U);
    EXPECT_EQ(desk.events(), "PUT_END");
}

TEST(Visibility, what_waits_to_be_sent_keeps_its_md) {
    Desk desk;
    const Handle md = desk.bind(desk.spec(0));
    ASSERT_EQ(desk.ni.put(md, {}, AckRequest::kNoAck, Desk::to(), 0), Status::kOk);
    EXPECT_EQ(desk.events(), "SEND_START");
    EXPECT_EQ(desk.ni.unlink(md), Status::kMdInUse);
    const MdSpec next = desk.spec(0);
    EXPECT_EQ(desk.ni.update(md, nullptr, &next, kNoQueue), Status::kMdNoUpdate);
}

}  // namespace isoplane::portals
