// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// What goes to the network, and what comes of what it brings.
#include "desk.hh"

namespace isoplane::portals {

TEST(Messages, a_put_carries_everything) {
    Desk desk;
    desk.memory.replace(0, 8, "01234567");
    const Handle md = desk.bind(desk.spec(0, kInfinite, 8));
    const Target target{.process = kThere, .portal = 3, .cookie = 2, .match_bits = 0x55, .remote_offset = 6};
    ASSERT_EQ(desk.ni.put(md, Range{2, 4}, AckRequest::kAck, target, 99), Status::kOk);
    const PaperNal::Message message = desk.leave();
    const Header& header = message.header;
    EXPECT_EQ(header.type, MessageType::kPut);
    EXPECT_EQ(header.target, kThere);
    EXPECT_EQ(header.initiator, kHere);
    EXPECT_EQ(header.uid, kUid);
    EXPECT_EQ(header.jid, kJid);
    EXPECT_EQ(header.portal, 3U);
    EXPECT_EQ(header.cookie, 2U);
    EXPECT_EQ(header.match_bits, 0x55U);
    EXPECT_EQ(header.remote_offset, 6U);
    EXPECT_EQ(header.hdr_data, 99U);
    EXPECT_EQ(header.md, md);
    EXPECT_EQ(header.length, 4U);
    EXPECT_EQ(header.payload(), 4U);
    EXPECT_EQ(desk.last_text, "2345");
    EXPECT_EQ(desk.value(Register::kSendCount), 1U);
    EXPECT_EQ(desk.value(Register::kSendLength), 4U);
}

TEST(Messages, a_put_that_wants_no_ack_names_no_md) {
    Desk desk;
    ASSERT_EQ(desk.ni.put(desk.bind(desk.spec(0)), {}, AckRequest::kNoAck, Desk::to(), 0), Status::kOk);
    EXPECT_EQ(desk.leave().header.md, kNone);
}

TEST(Messages, an_ack_is_asked_for_even_if_there_is_no_queue_for_it) {
    Desk desk;
    MdSpec spec = desk.spec(0, 2);
    spec.eq = kNoQueue;
    const Handle md = desk.bind(spec, Unlink::kUnlink);
    ASSERT_EQ(desk.ni.put(md, {}, AckRequest::kAck, Desk::to(), 0), Status::kOk);
    desk.begin(Desk::answer(desk.leave().header, MessageType::kAck, 16));
    EXPECT_EQ(desk.ni.unlink(md), Status::kMdInvalid);
    EXPECT_EQ(desk.drops(), 0U);
}

TEST(Messages, an_ack_echoes_the_put) {
    Desk desk;
    desk.attach(desk.spec(kOpPut | kTruncate, kInfinite, 3));
    Header header = Desk::header(MessageType::kPut, 5, 0x9);
    header.remote_offset = 123;
    header.md = 0x1234;
    header.md_generation = 99;
    EXPECT_TRUE(desk.arrive(header, "abcde"));
    const Header ack = desk.leave().header;
    EXPECT_EQ(ack.type, MessageType::kAck);
    EXPECT_EQ(ack.target, kThere);
    EXPECT_EQ(ack.initiator, kHere);
    EXPECT_EQ(ack.uid, kUid);
    EXPECT_EQ(ack.portal, 4U);
    EXPECT_EQ(ack.match_bits, 0x9U);
    EXPECT_EQ(ack.remote_offset, 123U);
    EXPECT_EQ(ack.md, 0x1234U);
    EXPECT_EQ(ack.md_generation, 99U);
    EXPECT_EQ(ack.length, 5U);
    EXPECT_EQ(ack.mlength, 3U);
    EXPECT_EQ(ack.payload(), 0U);
}

TEST(Messages, an_md_can_forbid_acks) {
    Desk desk;
    desk.attach(desk.spec(kOpPut | kAckDisable));
    Header header = Desk::header(MessageType::kPut, 1);
    header.md = 5;
    EXPECT_TRUE(desk.arrive(header, "x"));
    EXPECT_TRUE(desk.nal.submitted.empty());
}

TEST(Messages, a_get_asks_for_a_length_into_a_place) {
    Desk desk;
    const Handle md = desk.bind(desk.spec(0));
    ASSERT_EQ(desk.ni.get(md, Range{4, 7}, Desk::to(0x3, 9)), Status::kOk);
    const PaperNal::Message message = desk.leave();
    EXPECT_EQ(message.header.type, MessageType::kGet);
    EXPECT_EQ(message.header.length, 7U);
    EXPECT_EQ(message.header.return_offset, 4U);
    EXPECT_EQ(message.header.remote_offset, 9U);
    EXPECT_EQ(message.header.md, md);
    EXPECT_EQ(message.header.payload(), 0U);
    EXPECT_EQ(desk.last_text, "");
}

TEST(Messages, a_reply_echoes_the_get_and_brings_the_data) {
    Desk desk;
    desk.memory.replace(0, 6, "abcdef");
    desk.attach(desk.spec(kOpGet | kManageRemote | kTruncate, kInfinite, 6));
    Header header = Desk::header(MessageType::kGet, 9, 0x8);
    header.remote_offset = 2;
    header.return_offset = 31;
    header.md = 0x777;
    header.md_generation = 3;
    desk.begin(header);
    const PaperNal::Message message = desk.leave();
    EXPECT_EQ(desk.last_text, "cdef");
    EXPECT_EQ(message.header.type, MessageType::kReply);
    EXPECT_EQ(message.header.target, kThere);
    EXPECT_EQ(message.header.length, 9U);
    EXPECT_EQ(message.header.mlength, 4U);
    EXPECT_EQ(message.header.payload(), 4U);
    EXPECT_EQ(message.header.return_offset, 31U);
    EXPECT_EQ(message.header.md, 0x777U);
    EXPECT_EQ(message.header.md_generation, 3U);
}

TEST(Messages, a_target_keeps_its_memory_until_the_reply_has_left) {
    Desk desk;
    const Handle md = desk.attach(desk.spec(kOpGet));
    desk.begin(Desk::header(MessageType::kGet, 9));
    EXPECT_EQ(desk.events(), "GET_START");
    EXPECT_EQ(desk.ni.unlink(md), Status::kMdInUse);
    desk.leave();
    EXPECT_EQ(desk.events(), "GET_END");
    EXPECT_EQ(desk.ni.unlink(md), Status::kOk);
}

TEST(Messages, every_md_takes_replies_and_cuts_them_off_at_its_end) {
    Desk desk;
    const Handle md = desk.bind(desk.spec(0, 2, 8));
    ASSERT_EQ(desk.ni.get(md, {}, Desk::to()), Status::kOk);
    const Header request = desk.leave().header;
    const MdSpec shorter = desk.spec(0, 2, 3);
    ASSERT_EQ(desk.ni.update(md, nullptr, &shorter, kNoQueue), Status::kOk);
    EXPECT_TRUE(desk.arrive(Desk::answer(request, MessageType::kReply, 8), "abcdefgh"));
    EXPECT_EQ(desk.text(0, 4), "abc.");
    EXPECT_EQ(desk.event().mlength, 3U);
}

TEST(Messages, a_reply_beyond_its_md_or_longer_than_asked_for_is_dropped) {
    Desk desk;
    const Handle md = desk.bind(desk.spec(0));
    ASSERT_EQ(desk.ni.get(md, Range{4, 2}, Desk::to()), Status::kOk);
    Header reply = Desk::answer(desk.leave().header, MessageType::kReply, 2);
    reply.return_offset = 17;
    EXPECT_FALSE(desk.arrive(reply, "ab"));
    reply.return_offset = ~Size{0};
    EXPECT_FALSE(desk.arrive(reply, "ab"));
    reply.return_offset = 4;
    reply.mlength = 3;
    EXPECT_FALSE(desk.arrive(reply, "abc"));
    reply.mlength = 2;
    EXPECT_TRUE(desk.arrive(reply, "ab"));
    EXPECT_EQ(desk.drops(), 3U);
    EXPECT_EQ(desk.text(3, 4), ".ab.");
}

TEST(Messages, answers_to_what_is_gone_or_used_up_are_dropped_and_counted) {
    Desk desk;
    const Handle md = desk.bind(desk.spec(0, 1));
    ASSERT_EQ(desk.ni.get(md, {}, Desk::to()), Status::kOk);
    ASSERT_EQ(desk.ni.put(md, {}, AckRequest::kAck, Desk::to(), 0), Status::kOk);
    const Header get = desk.leave().header;
    const Header put = desk.leave().header;
    desk.begin(Desk::answer(put, MessageType::kAck, 16));  // the put was the one operation
    EXPECT_FALSE(desk.arrive(Desk::answer(get, MessageType::kReply, 4), "abcd"));
    EXPECT_EQ(desk.drops(), 2U);
    EXPECT_EQ(desk.events(), "SEND_START SEND_END");
}

TEST(Messages, an_answer_must_have_the_generation_whole) {
    Desk desk;
    const Handle md = desk.bind(desk.spec(0));
    ASSERT_EQ(desk.ni.put(md, {}, AckRequest::kAck, Desk::to(), 0), Status::kOk);
    Header ack = Desk::answer(desk.leave().header, MessageType::kAck, 16);
    ack.md_generation += HandleParts::kGenerations;
    desk.begin(ack);
    EXPECT_EQ(desk.drops(), 1U);
}

TEST(Messages, a_get_put_swaps) {
    Desk desk;
    desk.memory.replace(0, 4, "abcd");
    desk.attach(desk.spec(kOpPut | kOpGet | kManageRemote | kTruncate, kInfinite, 4));
    Header header = Desk::header(MessageType::kGetPut, 3);
    header.remote_offset = 2;
    header.md = 0x777;
    const Landing landing = desk.begin(header);
    EXPECT_EQ(landing.where.length, 2U);
    desk.land(landing, "XYZ");
    EXPECT_EQ(desk.text(0, 5), "abXY.");
    const PaperNal::Message reply = desk.leave();
    EXPECT_EQ(desk.last_text, "cd");
    EXPECT_EQ(reply.header.type, MessageType::kReply);
    EXPECT_EQ(reply.header.mlength, 2U);
    EXPECT_EQ(reply.header.length, 3U);
}

TEST(Messages, what_a_get_put_reads_is_what_was_there_when_all_its_data_was) {
    Desk desk;
    desk.attach(desk.spec(kOpPut | kOpGet | kManageRemote));
    const Landing first = desk.begin(Desk::header(MessageType::kGetPut, 1));
    const Landing second = desk.begin(Desk::header(MessageType::kGetPut, 1));
    desk.land(second, "2");
    desk.land(first, "1");
    EXPECT_EQ(desk.next().text(), ".");
    EXPECT_EQ(desk.next().text(), "2");
    EXPECT_EQ(desk.text(0, 1), "1");
}

TEST(Messages, a_get_put_request_names_the_md_for_the_reply) {
    Desk desk;
    const Handle get = desk.bind(desk.spec(0));
    const Handle put = desk.bind(desk.spec(0, kInfinite, 5));
    ASSERT_EQ(desk.ni.get_put(get, put, Desk::to(), 99), Status::kOk);
    const Header header = desk.leave().header;
    EXPECT_EQ(header.type, MessageType::kGetPut);
    EXPECT_EQ(header.md, get);
    EXPECT_EQ(header.length, 5U);
    EXPECT_EQ(header.return_offset, 0U);
    EXPECT_EQ(header.hdr_data, 99U);
}

TEST(Messages, a_get_put_from_the_wire_is_no_longer_than_the_limit) {
    Desk desk;
    desk.attach(desk.spec(kOpPut | kOpGet, kInfinite, 200));
    EXPECT_FALSE(desk.arrive(Desk::header(MessageType::kGetPut, 65), std::string(65, 'x')));
    EXPECT_TRUE(desk.arrive(Desk::header(MessageType::kGetPut, 64), std::string(64, 'x')));
}

TEST(Messages, a_type_that_does_not_exist_is_dropped) {
    Desk desk;
    Header header = Desk::header(MessageType::kPut, 3);
    header.type = static_cast<MessageType>(9);
    desk.begin(header);
    EXPECT_EQ(desk.drops(), 1U);
}

TEST(Messages, data_of_several_segments_is_one) {
    Desk desk;
    Segment segments[] = {{desk.memory.data() + 10, 3},
                          {nullptr, 0},
                          {desk.memory.data() + 2, 2},
                          {desk.memory.data() + 20, 5}};
    MdSpec spec = desk.spec(kOpPut | kOpGet | kIovec | kManageRemote);
    spec.start = segments;
    spec.length = 4;
    const Handle md = desk.attach(spec);
    segments[0] = {};  // it has its own
    EXPECT_TRUE(desk.put("0123456789"));
    EXPECT_FALSE(desk.put("0123456789a"));
    EXPECT_EQ(desk.text(0, 26), "..34......012.......56789.");
    Header header = Desk::header(MessageType::kPut, 4);
    header.remote_offset = 2;
    EXPECT_TRUE(desk.arrive(header, "ABCD"));
    EXPECT_TRUE(desk.get(10));
    EXPECT_EQ(desk.last_text, "01ABCD6789");
    ASSERT_EQ(desk.ni.put(md, Range{3, 3}, AckRequest::kNoAck, Desk::to(), 0), Status::kOk);
    desk.leave();
    EXPECT_EQ(desk.last_text, "BCD");
    EXPECT_EQ(desk.ni.put(md, Range{3, 8}, AckRequest::kNoAck, Desk::to(), 0), Status::kMdIllegal);
    Header swap = Desk::header(MessageType::kGetPut, 4);
    swap.remote_offset = 1;
    EXPECT_TRUE(desk.arrive(swap, "wxyz"));
    EXPECT_EQ(desk.next().text(), "1ABC");
    EXPECT_EQ(desk.text(0, 26), "..yz......0wx.......D6789.");
    EXPECT_EQ(desk.event().spec.length, 4U);
}

TEST(Messages, no_length_is_a_length) {
    Desk desk;
    MdSpec nothing = desk.spec(kOpPut | kOpGet, kInfinite, 0);
    nothing.start = nullptr;
    const Handle md = desk.attach(nothing);
    ASSERT_EQ(desk.ni.put(md, {}, AckRequest::kNoAck, Desk::to(), 0), Status::kOk);
    desk.leave();
    ASSERT_EQ(desk.ni.get(md, Range{0, 0}, Desk::to()), Status::kOk);
    EXPECT_TRUE(desk.arrive(Desk::answer(desk.leave().header, MessageType::kReply, 0), ""));
    EXPECT_TRUE(desk.put(""));
    EXPECT_TRUE(desk.get(0));
    EXPECT_EQ(desk.events(), "SEND_START SEND_END REPLY_START REPLY_END PUT_START PUT_END GET_START GET_END");
}

}  // namespace isoplane::portals
