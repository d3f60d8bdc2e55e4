// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/wire/access.hh>
#include <isoplane/wire/trailer.hh>
#include <isoplane/wire/view.hh>

#include "capture/any_frame.hh"
#include "made_frames.hh"
#include "replay/rewrite.hh"

namespace isoplane::test {
namespace {

using replay::Numbers;
using replay::Rewrite;

/// What was 0 is 5, what was 1 is 0.
Rewrite moved() {
    Rewrite rewrite;
    rewrite.add_node("0=5");
    rewrite.add_node("1=0");
    return rewrite;
}

/// The frame with other numbers, which a receiver takes.
capture::AnyFrame renumbered(Bytes& bytes) {
    EXPECT_EQ(moved().apply(bytes), Numbers::kChanged);
    const auto any = capture::read_any(bytes);
    EXPECT_TRUE(any.decoded) << wire::name(any.decoded.reason);
    return any;
}

void stays(Bytes bytes, Numbers why, const Rewrite& rewrite = moved()) {
    const Bytes before = bytes;
    EXPECT_EQ(rewrite.apply(bytes), why);
    EXPECT_EQ(bytes, before);
}

TEST(Rewrite, changes_addresses_and_nothing_else) {
    Bytes bytes = data(0, 1, 0, words("message"));
    const Bytes before = bytes;
    Rewrite{.source = wire::MacAddress{2, 9, 9, 9, 9, 1}, .destination = wire::MacAddress{2, 9, 9, 9, 9, 2}}
        .apply(bytes);
    EXPECT_EQ(bytes[5], std::byte{2});
    EXPECT_EQ(bytes[7], std::byte{9});
    EXPECT_EQ(bytes[11], std::byte{1});
    EXPECT_TRUE(std::equal(bytes.begin() + 12, bytes.end(), before.begin() + 12));
}

TEST(Rewrite, gives_nodes_other_numbers_and_the_checksum_of_them) {
    Bytes bytes = data(0, 1, 3, words("message"));
    const auto any = renumbered(bytes);
    EXPECT_EQ(any.decoded.header.source, 5);
    EXPECT_EQ(any.decoded.header.destination, 0);
    EXPECT_EQ(any.decoded.header.sequence, 3U);
}

TEST(Rewrite, gives_issuers_of_messages_other_numbers) {
    Bytes payload = words("before it");
    const Bytes second = ordered({.pulse = 7, .host = 1, .rank = 3, .isochron = 4, .count = 2}, Bytes(9));
    payload.insert(payload.end(), second.begin(), second.end());
    Bytes bytes = data(0, 1, 3, payload);
    const auto any = renumbered(bytes);
    wire::MessageCursor cursor(any.decoded.payload);
    wire::Message message;
    ASSERT_TRUE(cursor.next(message) && cursor.next(message));
    EXPECT_EQ(wire::decode_isotach(message.body.first<wire::kIsotachSize>()),
              (wire::IsotachHeader{.pulse = 7, .host = 0, .rank = 3, .isochron = 4, .count = 2}));
}

TEST(Rewrite, gives_who_scheduled_what_is_assigned_another_number) {
    for (const bool clocked : {false, true}) {
        const std::size_t front = clocked ? wire::kIsotachClockSize : 0;
        Bytes accesses(front + wire::access_size(wire::AccessCode::kAssign, 1));
        wire::encode_access(std::span(accesses).subspan(front).first<wire::access_layout::kSize>(),
                            {.code = wire::AccessCode::kAssign, .words = 1, .address = 1});
        Bytes bytes = data(
            0, 1, 0,
            ordered({.host = 0,
                     .flags = static_cast<std::uint8_t>(clocked ? wire::kIsotachClocked : std::uint8_t{0}),
                     .operation = wire::Operation::kAccesses},
                    accesses));
        const auto any = renumbered(bytes);
        wire::AccessCursor cursor(
            any.decoded.payload.subspan(wire::kMessageHeaderSize + wire::kIsotachSize + front));
        wire::Access access;
        ASSERT_TRUE(cursor.next(access));
        EXPECT_EQ(access.operand(0), 5U);
        EXPECT_EQ(access.operand(1), 0U) << "the number of what was scheduled";
        EXPECT_EQ(access.address, 1U);
    }
}

TEST(Rewrite, gives_those_in_a_run_the_host_of_the_first) {
    Bytes assign(wire::access_size(wire::AccessCode::kAssign, 1));
    wire::encode_access(std::span(assign).first<wire::access_layout::kSize>(),
                        {.code = wire::AccessCode::kAssign, .words = 1, .address = 1});
    const std::uint32_t step = wire::run_step::of(wire::Operation::kAccesses, 2, 3);
    const wire::IsotachHeader first{.pulse = 7, .host = 1, .rank = 3, .isochron = 4, .count = 2};
    Bytes bytes = data(0, 1, 3, ordered(first, Bytes(9)) + in_run(step, assign));
    const auto any = renumbered(bytes);
    wire::MessageCursor cursor(any.decoded.payload);
    wire::OrderedReader reader;
    wire::Message message;
    ASSERT_TRUE(cursor.next(message));
    EXPECT_EQ(reader.read(message).header.host, 0);
    ASSERT_TRUE(cursor.next(message));
    EXPECT_EQ(message.header.size_or_offset, step);
    const auto [place, accesses] = reader.read(message);
    EXPECT_EQ(place, (wire::IsotachHeader{.pulse = 7,
                                          .host = 0,
                                          .operation = wire::Operation::kAccesses,
                                          .rank = 6,
                                          .isochron = 6,
                                          .count = 3}));
    wire::AccessCursor cursor_of_accesses(accesses);
    wire::Access access;
    ASSERT_TRUE(cursor_of_accesses.next(access));
    EXPECT_EQ(access.operand(0), 5U);
}

TEST(Rewrite, gives_nodes_in_tokens_other_numbers) {
    const std::vector<wire::TokenEntry> entries{
        {0, 1, 3}, {1, wire::kEveryHost, wire::group_signal(0)}, {2, 0, 1}};
    const std::vector<wire::TokenEntry> expected{
        {5, 0, 3}, {0, wire::kEveryHost, wire::group_signal(0)}, {2, 5, 1}};
    const auto has = [&](std::span<const std::byte> payload) {
        const auto view = wire::TokenView::parse(payload, capture::kAnyNode);
        ASSERT_TRUE(view);
        EXPECT_EQ(view->token().number, 9U);
        ASSERT_EQ(view->size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
            EXPECT_EQ(view->entry(i), expected[i]);
    };
    Bytes alone = token(2, 0, 9, entries);
    has(renumbered(alone).decoded.payload);

    Bytes along(wire::kTokenOriginSize + wire::token_size(entries.size()));
    wire::encode_token_origin(std::span(along).first<wire::kTokenOriginSize>(),
                              {.epoch = 8, .from = 1, .to = 0});
    wire::encode_token(std::span(along).subspan(wire::kTokenOriginSize), {.number = 9}, entries);
    Bytes bytes = data(1, 0, 0, message(wire::Protocol::kToken, along));
    const auto body = renumbered(bytes).decoded.payload.subspan(wire::kMessageHeaderSize);
    EXPECT_EQ(wire::decode_token_origin(body.first<wire::kTokenOriginSize>()),
              (wire::TokenOrigin{.epoch = 8, .from = 0, .to = 5}));
    has(body.subspan(wire::kTokenOriginSize));
}

TEST(Rewrite, gives_members_other_numbers_and_keeps_them_in_order) {
    const wire::ViewMessage before{.step = wire::ViewStep::kAccept,
                                   .plays = 1,
                                   .doubts = {0, 2},
                                   .next = {.number = 3, .members = {{0, 0, 100}, {1, 0, 101}, {2, 2, 102}}}};
    Bytes payload(wire::view_size(2, 3));
    wire::encode_view(payload, before);
    Bytes bytes = frame({.kind = wire::Kind::kView, .source = 0, .destination = 1}, payload);
    const auto after = wire::decode_view(renumbered(bytes).decoded.payload, capture::kAnyNode);
    ASSERT_TRUE(after);
    EXPECT_EQ(after->plays, 0);
    EXPECT_EQ(after->doubts, (std::vector<std::uint16_t>{2, 5}));
    EXPECT_EQ(after->next.members, (std::vector<wire::Member>{{0, 5, 101}, {2, 2, 102}, {5, 5, 100}}));
}

TEST(Rewrite, keeps_payloads_without_a_checksum_as_they_are) {
    Bytes bytes =
        frame({.kind = wire::Kind::kData, .flags = wire::kFlagNoPayloadCrc, .source = 0, .destination = 1},
              ordered({.host = 0}));
    EXPECT_EQ(renumbered(bytes).decoded.header.payload_crc, 0U);
}

TEST(Rewrite, leaves_frames_alone_that_are_sealed) {
    Bytes sealed = data(0, 1, 3, words("message"));
    sealed.resize(sealed.size() + wire::kTrailerSize);
    stays(sealed, Numbers::kSealed);
}

TEST(Rewrite, leaves_frames_alone_whose_numbers_it_cannot_change) {
    stays(data(0, 1, 3, ordered({.host = 0, .flags = wire::kIsotachHandover})), Numbers::kKept);
    const wire::ViewMessage part{
        .step = wire::ViewStep::kPromise, .doubts = {0, 2}, .digest = 7, .last_part = 1};
    Bytes payload(wire::view_size(2, 0));
    wire::encode_view(payload, part);
    stays(frame({.kind = wire::Kind::kView, .source = 0, .destination = 1}, payload), Numbers::kKept);
    Rewrite onto_another;
    onto_another.add_node("0=1");
    stays(token(2, 0, 9, {{0, 1, 3}}), Numbers::kKept, onto_another);
}

TEST(Rewrite, leaves_frames_alone_that_it_cannot_read) {
    Bytes damaged = data(0, 1, 3, words("message"));
    damaged[30] ^= std::byte{4};
    stays(damaged, Numbers::kChanged);
    stays(Bytes(60), Numbers::kChanged);
}

TEST(Rewrite, refuses_pairs_that_are_none) {
    for (const char* pair : {"", "3", "3=", "=3", "3=x", "3=70000", "-1=2", "1=2=3"})
        EXPECT_THROW(Rewrite{}.add_node(pair), std::invalid_argument) << pair;
    Rewrite twice;
    twice.add_node("1=2");
    EXPECT_THROW(twice.add_node("1=3"), std::invalid_argument);
    EXPECT_THROW(twice.add_node("3=2"), std::invalid_argument) << "two nodes would be one";
}

}  // namespace
}  // namespace isoplane::test
