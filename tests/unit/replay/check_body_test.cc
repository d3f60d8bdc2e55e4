// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/wire/access.hh>
#include <isoplane/wire/active.hh>
#include <isoplane/wire/channel.hh>
#include <isoplane/wire/control.hh>
#include <isoplane/wire/page.hh>
#include <isoplane/wire/portals.hh>

#include "checked.hh"

namespace isoplane::test {
namespace {

using wire::Protocol;

/// A third message from node 0 to node 1.
std::vector<Bytes> good_and(const Bytes& payload) {
    auto frames = good();
    frames.push_back(data(0, 1, 2, payload));
    return frames;
}

std::vector<Bytes> good_and(wire::IsotachHeader header, const Bytes& behind) {
    header.pulse = 5;
    header.isochron = header.count = 3;
    return good_and(ordered(header, behind));
}

void expect_good(const std::vector<Bytes>& frames) {
    const auto violation = found_in(frames);
    EXPECT_FALSE(violation) << violation->sentence;
}

/// A message of each protocol that has a form.
std::vector<std::pair<Protocol, Bytes>> one_of_each() {
    Bytes barrier(wire::kBarrierSize);
    wire::encode_barrier(std::span(barrier).first<wire::kBarrierSize>(), 1);
    Bytes answer(wire::answer_size(2));
    wire::encode_answer(answer, {.ticket = 5, .words = 2});
    Bytes page(wire::page_message_size(0));
    wire::encode_page_message(page, {.pulse = 8, .page = 1});
    Bytes active(wire::kActiveHeaderSize);
    wire::encode_active(std::span(active).first<wire::kActiveHeaderSize>(),
                        {.type = wire::ActiveType::kAcknowledgement});
    Bytes channel(wire::kChannelHeaderSize + 3);
    wire::encode_channel(std::span(channel).first<wire::kChannelHeaderSize>(), {.channel = 2});
    Bytes along(wire::kTokenOriginSize + wire::kTokenSize);
    wire::encode_token_origin(std::span(along).first<wire::kTokenOriginSize>(),
                              {.epoch = 100, .from = 0, .to = 2});
    wire::encode_token(std::span(along).subspan<wire::kTokenOriginSize>(), {.number = 2}, {});
    return {{Protocol::kControl, barrier}, {Protocol::kShmem, answer},    {Protocol::kShmem, page},
            {Protocol::kActive, active},   {Protocol::kChannel, channel}, {Protocol::kToken, along}};
}

TEST(CheckBody, finds_what_is_no_message_of_its_protocol) {
    for (const auto& [protocol, body] : one_of_each()) {
        expect_good(good_and(message(protocol, body)));
        Bytes filled(body.size(), std::byte{0xff});
        const auto violation = found_in(good_and(message(protocol, filled)));
        ASSERT_TRUE(violation) << static_cast<unsigned>(protocol);
        EXPECT_EQ(violation->frame, 8U) << violation->sentence;
        EXPECT_TRUE(found_in(good_and(message(protocol, Bytes(3)))));
    }
}

TEST(CheckBody, finds_a_fragment_of_what_is_always_whole) {
    Bytes first = message(Protocol::kControl, Bytes(wire::kBarrierSize));
    wire::encode_message(
        std::span(first).first<wire::kMessageHeaderSize>(),
        {.protocol = Protocol::kControl, .fragment = wire::kFirstFragment, .length = 8, .size_or_offset = 9});
    expect_found(good_and(first), 8, "but a fragment of one");
}

TEST(CheckBody, finds_an_operation_a_flag_and_an_issuer_that_cannot_be) {
    expect_good(good_and({}, Bytes(4)));
    expect_found(good_and({.operation = static_cast<wire::Operation>(0x77)}, Bytes(4)), 8,
                 "has operation 119");
    expect_found(good_and({.flags = 0x01}, Bytes(4)), 8, "has flags 1, which do not exist");
    expect_found(good_and({.host = 9}, Bytes(4)), 8,
                 "an isotach message of node 0 says that host 9 has issued it");
}

TEST(CheckBody, finds_that_what_a_flag_announces_is_not_there) {
    expect_found(good_and({.flags = wire::kIsotachClocked}, Bytes(4)), 8, "lacks the clock");
    expect_found(good_and({.flags = wire::kIsotachPointer}, Bytes(5)), 8, "lacks the size of its payload");
    expect_found(good_and({.flags = wire::kIsotachFlush}, Bytes(5)), 8, "no list of acts");
}

TEST(CheckBody, finds_what_is_no_list_of_accesses) {
    Bytes read(wire::access_size(wire::AccessCode::kRead, 1));
    wire::encode_access(std::span(read).first<wire::access_layout::kSize>(), {.address = 3, .ticket = 1});
    expect_good(good_and({.operation = wire::Operation::kAccesses}, read));
    read[0] = std::byte{99};
    expect_found(good_and({.operation = wire::Operation::kAccesses}, read), 8, "is no list of accesses");
}

}  // namespace
}  // namespace isoplane::test
