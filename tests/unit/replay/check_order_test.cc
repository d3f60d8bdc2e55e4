// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/wire/portals.hh>

#include "checked.hh"

namespace isoplane::test {
namespace {

using wire::Protocol;

/// Frames from node 0 to node 1 with these behind those that are there.
std::vector<Bytes> good_and(const std::vector<Bytes>& payloads) {
    auto frames = good();
    std::uint32_t sequence = 2;
    for (const Bytes& each : payloads)
        frames.push_back(data(0, 1, sequence++, each));
    return frames;
}

void expect_good_with(const std::vector<Bytes>& payloads) {
    const auto violation = found_in(good_and(payloads));
    EXPECT_FALSE(violation) << violation->sentence;
}

Bytes fragment(Protocol protocol, std::uint8_t which, std::uint32_t size_or_offset, std::uint16_t bytes) {
    Bytes out = message(protocol, Bytes(bytes, std::byte{0x55}));
    wire::encode_message(
        std::span(out).first<wire::kMessageHeaderSize>(),
        {.protocol = protocol, .fragment = which, .length = bytes, .size_or_offset = size_or_offset});
    return out;
}

constexpr std::uint8_t kMiddle = 0;

TEST(MessageOrder, finds_a_fragment_that_does_not_follow) {
    const Bytes first = fragment(Protocol::kNoniso, wire::kFirstFragment, 30, 10);
    const Bytes middle = fragment(Protocol::kNoniso, kMiddle, 10, 10);
    const Bytes last = fragment(Protocol::kNoniso, wire::kLastFragment, 20, 10);
    expect_good_with({first, middle, words("between"), last, first, middle});
    expect_found(good_and({first, last}), 9,
                 "a fragment of 10 bytes at 20 of its message does not follow: 10 of 30");
    expect_found(good_and({middle}), 8, "does not follow: 0 of 0 bytes are here");
    expect_found(good_and({first, first}), 9, "a message begins where 20 bytes of another are to come");
    expect_found(good_and({first, middle, fragment(Protocol::kNoniso, kMiddle, 20, 10)}), 10,
                 "does not say so");
    expect_found(good_and({first, fragment(Protocol::kNoniso, wire::kLastFragment, 10, 10)}), 9,
                 "says that it is the last");
}

TEST(MessageOrder, takes_frames_in_the_order_of_the_stream) {
    auto frames = good_and({fragment(Protocol::kNoniso, wire::kFirstFragment, 20, 10),
                            fragment(Protocol::kNoniso, wire::kLastFragment, 10, 10)});
    std::swap(frames[7], frames[8]);
    EXPECT_FALSE(found_in(frames));
    frames.erase(frames.begin(), frames.begin() + 3);
    frames.pop_back();
    EXPECT_FALSE(found_in(frames)) << "it begins in the middle";
}

/// An isotach message whose data comes in a payload.
Bytes pointer(std::uint32_t bytes) {
    wire::IsotachHeader header{.pulse = 5, .host = 0, .isochron = 3, .count = 3};
    header.flags = wire::kIsotachPointer;
    Bytes size(wire::kPointerSize);
    wire::PayloadSize::put(size.data(), bytes);
    return ordered(header, size);
}

TEST(MessageOrder, finds_a_payload_that_is_not_the_announced_one) {
    const Bytes payload = message(Protocol::kPayload, Bytes(12));
    expect_good_with({pointer(12), payload});
    expect_found(good_and({payload}), 8, "a payload comes that no isotach message announces");
    expect_found(good_and({pointer(13), payload}), 9, "a payload has 12 bytes, and was announced with 13");
}

TEST(MessageOrder, counts_isotach_messages_in_a_run) {
    const Bytes run = ordered({.pulse = 5, .host = 0, .rank = 1, .isochron = 3, .count = 3}) +
                      in_run(wire::run_step::of({}, 1, 1)) + in_run(wire::run_step::of({}, 1, 2));
    const wire::IsotachHeader next{.pulse = 5, .host = 0, .rank = 5, .isochron = 6, .count = 6};
    expect_good_with({run, ordered(next)});
    wire::IsotachHeader other = next;
    other.count = 5;
    expect_found(good_and({run, ordered(other)}), 9, "isotach message 5 follows message 5 of its stream");
}

TEST(MessageOrder, finds_a_gap_in_the_count_of_isotach_messages) {
    expect_found(good_and({ordered({.pulse = 5, .host = 0, .isochron = 3, .count = 8})}), 8,
                 "isotach message 8 follows message 2 of its stream");
}

/// A put of that many bytes, of which some are here and the rest follows.
Bytes put(std::uint64_t bytes, std::size_t here) {
    using namespace wire::portals_begin_layout;
    Bytes out(wire::kPortalsBeginSize + here);
    Type::put(out.data(), 1);
    Flags::put(out.data(), here < bytes ? wire::kPortalsRestFollows : std::uint8_t{0});
    Length::put(out.data(), bytes);
    return message(Protocol::kPortals, out);
}

TEST(MessageOrder, finds_what_is_no_message_of_portals) {
    const Bytes rest = fragment(Protocol::kPortals, wire::kFirstFragment, 20, 8);
    const Bytes last = fragment(Protocol::kPortals, wire::kLastFragment, 8, 12);
    expect_good_with({put(4, 4), put(30, 10), rest, last, put(4, 4)});
    expect_good_with({put(30, 10), message(Protocol::kPortals, {}), put(4, 4)});
    const Bytes odd = message(Protocol::kPortals, Bytes(80, std::byte{0xff}));
    expect_found(good_and({put(4, 4), odd}), 9, "a Portals message is malformed");
    expect_found(good_and({put(30, 10), rest, last, last}), 11, "does not follow");
    expect_good_with({odd});  // another plane may have had what it continues
}

}  // namespace
}  // namespace isoplane::test
