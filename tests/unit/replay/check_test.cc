// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>
#include <isoplane/wire/view_parts.hh>
#include <iterator>

#include "checked.hh"

namespace isoplane::test {
namespace {

using replay::Checker;

TEST(Checker, accepts_a_trace_without_faults) {
    const auto violation = found_in(good());
    EXPECT_FALSE(violation) << violation->sentence;
}

TEST(Checker, counts_what_it_sees) {
    Checker checker;
    for (const Bytes& each : good())
        checker.see({.bytes = each, .length = static_cast<std::uint32_t>(each.size())});
    EXPECT_EQ(checker.frames(), 7U);
    EXPECT_EQ(checker.ours(), 7U);
    EXPECT_EQ(checker.messages(), 3U);
    EXPECT_EQ(checker.isochrons(), 2U);
    EXPECT_EQ(checker.tokens(), 1U);
}

TEST(Checker, counts_once_what_it_sees_in_another_order_and_again) {
    auto frames = good();
    // To one node before what was issued earlier to another.
    frames.push_back(data(0, 1, 2, ordered({.pulse = 6, .host = 0, .rank = 0, .isochron = 4, .count = 3})));
    frames.push_back(data(0, 2, 0, ordered({.pulse = 5, .host = 0, .rank = 0, .isochron = 3, .count = 1})));
    for (const std::uint16_t part : {std::uint16_t{0}, std::uint16_t{1}, std::uint16_t{0}})
        frames.push_back(token(0, 2, wire::Token{.number = 2, .part = part, .last_part = 1},
                               {{.source = 0, .destination = 1, .value = 3U + part}}));
    frames.push_back(token(0, 2, wire::Token{.number = 3, .further = 2}));
    frames.push_back(frames[4]);
    Checker checker;
    for (const Bytes& each : frames)
        checker.see({.bytes = each, .length = static_cast<std::uint32_t>(each.size())});
    checker.finish();
    EXPECT_FALSE(checker.violation()) << checker.violation()->sentence;
    EXPECT_EQ(checker.isochrons(), 4U);
    EXPECT_EQ(checker.tokens(), 5U);
}

TEST(Checker, leaves_the_traffic_of_others_alone) {
    Bytes other(60);
    other[12] = std::byte{0x08};
    EXPECT_FALSE(found_in({other}));
}

TEST(Checker, reads_frames_behind_tags_of_vlans) {
    Bytes tagged = good()[0];
    const Bytes tags = {std::byte{0x88}, std::byte{0xa8}, std::byte{0}, std::byte{9},
                        std::byte{0x81}, std::byte{0},    std::byte{0}, std::byte{5}};
    tagged.insert(tagged.begin() + 12, tags.begin(), tags.end());
    Checker checker;
    checker.see({.bytes = tagged, .length = static_cast<std::uint32_t>(tagged.size())});
    EXPECT_EQ(checker.ours(), 1U);
    tagged.back() ^= std::byte{1};
    expect_found({tagged}, 1, "bad_payload_crc");
}

TEST(Checker, accepts_what_is_sent_again_and_what_comes_in_another_order) {
    auto frames = good();
    frames.push_back(frames[3]);
    frames.insert(frames.begin() + 2, frames[5]);  // an acknowledgement in front of what it acknowledges
    const auto violation = found_in(frames);
    EXPECT_FALSE(violation) << violation->sentence;
}

TEST(Checker, accepts_a_trace_that_begins_in_the_middle) {
    EXPECT_FALSE(found_in({data(0, 1, 17, words("late")), ack(1, 0, 18), ack(0, 1, 900, 930)}));
}

TEST(Checker, finds_a_damaged_frame) {
    auto frames = good();
    frames[3].back() ^= std::byte{1};
    expect_found(frames, 4, "bad_payload_crc");
    frames = good();
    frames[2][20] ^= std::byte{1};
    expect_found(frames, 3, "bad_header_crc");
}

TEST(Checker, finds_a_frame_that_the_capture_has_cut) {
    Checker checker;
    const Bytes whole = data(0, 1, 0, words("message"));
    checker.see({.bytes = std::span(whole).first(whole.size() - 3),
                 .length = static_cast<std::uint32_t>(whole.size())});
    ASSERT_TRUE(checker.violation());
    EXPECT_NE(checker.violation()->sentence.find("cut"), std::string::npos);
}

TEST(Checker, finds_a_sequence_number_used_twice) {
    auto frames = good();
    frames.push_back(data(0, 1, 1, words("something else")));
    expect_found(frames, 8, "another content");
}

TEST(Checker, finds_what_was_sent_without_credit) {
    auto frames = good();
    frames.push_back(data(0, 1, 8, words("too much")));
    expect_found(frames, 8, "without credit");
    // Credit that comes a little later in the trace was there.
    frames.push_back(ack(1, 0, 2, 9));
    const auto violation = found_in(frames);
    EXPECT_FALSE(violation) << violation->sentence;
}

TEST(Checker, finds_a_frame_that_is_missing) {
    auto frames = good();
    frames.erase(frames.begin() + 3);
    expect_found(frames, 5, "frame 1 from node 0 to node 1 is acknowledged, but not in the trace");
}

TEST(Checker, finds_an_isochron_of_two_pulses) {
    auto frames = good();
    frames.push_back(data(0, 2, 0, ordered({.pulse = 5, .host = 0, .rank = 2, .isochron = 2, .count = 1})));
    expect_found(frames, 8, "isochron 2 of host 0 has a message of pulse 5");
}

TEST(Checker, finds_isochrons_in_the_wrong_order) {
    auto frames = good();
    frames.push_back(data(0, 1, 2, ordered({.pulse = 3, .host = 0, .rank = 2, .isochron = 3, .count = 3})));
    expect_found(frames, 8, "isochron 3 of host 0 has pulse 3, rank 2, isochron 2 before it pulse 4, rank 0");
}

TEST(Checker, finds_an_isochron_whose_number_is_not_in_the_order_of_its_place) {
    auto frames = good();
    frames.push_back(
        data(0, 1, 2, ordered({.pulse = 4, .host = 0, .rank = 1, .isochron = 1003, .count = 3})));
    EXPECT_FALSE(found_in(frames)) << "others may have gone elsewhere";
    frames.push_back(data(0, 1, 3, ordered({.pulse = 4, .host = 0, .rank = 2, .isochron = 4, .count = 4})));
    expect_found(frames, 9,
                 "isochron 4 of host 0 has pulse 4, rank 2, isochron 1003 behind it pulse 4, rank 1");
    std::swap(frames[7], frames[8]);
    expect_found(frames, 9,
                 "isochron 1003 of host 0 has pulse 4, rank 1, isochron 4 before it pulse 4, rank 2");
}

TEST(Checker, finds_a_count_that_stands_for_two_messages) {
    auto frames = good();
    frames.push_back(data(0, 1, 3, ordered({.pulse = 5, .host = 0, .rank = 2, .isochron = 3, .count = 2})));
    expect_found(frames, 8, "its message 2 to node 1 is two different ones");
}

TEST(Checker, finds_a_token_that_changes) {
    auto frames = good();
    frames.push_back(token(0, 2, 1, {{.source = 0, .destination = 1, .value = 3}}));
    expect_found(frames, 8, "token 1 from node 0 to node 2 says something else");
}

TEST(Checker, finds_a_token_that_came_with_another_and_says_something_of_its_own) {
    auto frames = good();
    Bytes payload(wire::kTokenSize);
    wire::encode_token(payload, {.number = 2, .further = 3}, {});
    frames.push_back(frame({.kind = wire::Kind::kToken, .source = 0, .destination = 2}, payload));
    frames.push_back(token(0, 2, 5, {}));
    EXPECT_FALSE(found_in(frames));
    frames.push_back(token(0, 2, 4, {{.source = 0, .destination = 1, .value = 3}}));
    expect_found(frames, 10, "token 4 from node 0 to node 2 says something else");
}

TEST(Checker, takes_no_time_for_tokens_behind_the_last_number) {
    Bytes payload(wire::token_size(0));
    payload.resize(wire::encode_token(payload, {.number = UINT64_MAX - 3, .further = 3}, {}));
    auto frames = good();
    frames.push_back(frame({.kind = wire::Kind::kToken, .source = 1, .destination = 2}, payload));
    EXPECT_FALSE(found_in(frames));
}

TEST(Checker, finds_a_token_that_is_missing) {
    auto frames = good();
    constexpr std::uint64_t kMissing = 300;
    std::size_t behind = 0;
    for (std::uint64_t number = 2; number <= kMissing + 64; ++number) {
        if (number != kMissing) frames.push_back(token(0, 2, number));
        if (number == kMissing + 1) behind = frames.size();
        frames.push_back(token(2, 0, number));
    }
    EXPECT_FALSE(found_in(frames)) << "it need not have waited for it";
    frames.push_back(token(2, 0, kMissing + 65));
    expect_found(frames, behind,
                 "token 300 from node 0 to node 2 is not in the trace, and node 2 has gone on");
    frames.push_back(token(0, 2, kMissing));
    EXPECT_FALSE(found_in(frames)) << "it comes a little later";
}

TEST(Checker, tells_by_what_tokens_say_how_far_ahead_they_are_sent) {
    auto frames = good();
    for (std::uint64_t number = 1; number <= 38; ++number) {
        const std::uint32_t count = number == 5 ? 1 : 0;
        frames.push_back(token(2, 0, number));
        if (number == 30) continue;
        std::vector<wire::TokenEntry> entries;
        if (number >= 5) entries.push_back({.source = 0, .destination = 1, .value = count});
        if (number >= 2) frames.push_back(token(0, 2, number, entries));
    }
    EXPECT_FALSE(found_in(frames));
    frames.push_back(token(2, 0, 39, {{.source = 1, .destination = 0, .value = 0}}));
    EXPECT_FALSE(found_in(frames)) << "node 2 may be 38 ahead";
    frames[7] = token(2, 0, 1, {{.source = 1, .destination = 0, .value = 0}});
    const auto violation = found_in(frames);
    ASSERT_TRUE(violation);
    EXPECT_NE(violation->sentence.find("token 30 from node 0 to node 2 is not in the trace"),
              std::string::npos);
}

TEST(Checker, finds_two_messages_in_one_place) {
    auto frames = good();
    frames.push_back(data(0, 2, 0, ordered({.pulse = 4, .host = 0, .rank = 0, .isochron = 2, .count = 1})));
    expect_found(frames, 8, "another message of its host has the same place, pulse 4, rank 0");
}

TEST(Checker, finds_a_place_that_goes_back) {
    auto frames = good();
    frames.push_back(data(0, 1, 4, ordered({.pulse = 4, .host = 0, .rank = 2, .isochron = 3, .count = 4})));
    frames.push_back(data(0, 1, 5, ordered({.pulse = 4, .host = 0, .rank = 3, .isochron = 3, .count = 3})));
    expect_found(frames, 9, "its message 3 to node 1 is not executed in the order in which it is counted");
}

TEST(Checker, finds_a_message_for_the_time_in_which_it_was_issued) {
    auto frames = good();
    wire::IsotachHeader header{.pulse = 5, .host = 0, .isochron = 3, .count = 3};
    header.flags = wire::kIsotachClocked;
    Bytes clock(wire::kIsotachClockSize);
    wire::IsotachClock::put(clock.data(), 4);
    frames.push_back(data(0, 1, 2, ordered(header, clock)));
    EXPECT_FALSE(found_in(frames));
    wire::IsotachClock::put(clock.data(), 5);
    frames.back() = data(0, 1, 2, ordered(header, clock));
    expect_found(frames, 8, "isochron 3 of host 0 was issued at pulse 5, and is to be executed at pulse 5");
}

/// What the token manager, node 2, tells node 1 of messages of node 0.
Bytes announced(std::uint64_t token_number, std::uint32_t count) {
    return token(2, 1, token_number, {{.source = 0, .destination = 1, .value = count}});
}

TEST(Checker, accepts_messages_that_are_announced_by_the_end_of_their_pulse) {
    auto frames = good();
    frames.insert(frames.end(), {announced(3, 1), announced(4, 2), announced(4, 2), token(2, 1, 9, {})});
    EXPECT_FALSE(found_in(frames));
    // One that is lost at first, and comes when its pulse has ended elsewhere.
    std::swap(frames[3], frames.back());
    EXPECT_FALSE(found_in(frames));
}

TEST(Checker, finds_a_message_that_is_announced_too_late) {
    auto frames = good();
    frames.insert(frames.end(), {announced(3, 1), announced(5, 2)});
    EXPECT_FALSE(found_in(frames)) << "token 4 may have announced it";
    frames.push_back(token(2, 1, 4));
    expect_found(frames, 4, "its message 2 to node 1 is announced by token 5, after the end of its pulse 4");
    // The same of one that is lost at first.
    std::rotate(frames.begin() + 3, frames.begin() + 4, frames.end());
    expect_found(frames, 10, "its message 2 to node 1 is announced by token 5, after the end of its pulse 4");
}

TEST(Checker, finds_a_message_that_nobody_announces) {
    auto frames = good();
    frames.insert(frames.end(), {announced(3, 1), token(2, 1, 4, {})});
    EXPECT_FALSE(found_in(frames)) << "the rest of that token may come yet";
    frames.push_back(token(2, 1, 5, {}));
    expect_found(frames, 4, "its message 2 to node 1 is not announced by the end of its pulse 4");
}

TEST(Checker, leaves_alone_what_is_no_message_of_an_isochron) {
    auto frames = good();
    wire::IsotachHeader end{.pulse = 90, .host = 0, .isochron = 2};
    end.flags = wire::kIsotachFlush;
    frames.push_back(data(0, 1, 2, ordered(end, Bytes(wire::kFlushActSize))));
    wire::IsotachHeader standing{.pulse = 91, .host = 0, .isochron = 2};
    standing.flags = wire::kIsotachHandover;
    frames.push_back(data(0, 1, 3, ordered(standing, Bytes(3))));
    const auto violation = found_in(frames);
    EXPECT_FALSE(violation) << violation->sentence;
}

/// Node 0 says what it has heard of a view.
Bytes view_of(const wire::ViewMessage& message) {
    Bytes payload(wire::view_size(message.doubts.size(), message.next.members.size()));
    wire::encode_view(payload, message);
    return frame({.kind = wire::Kind::kView, .source = 0, .destination = 1}, payload);
}

Bytes view_of(wire::View view) {
    return view_of(wire::ViewMessage{.step = wire::ViewStep::kDecided, .next = std::move(view)});
}

std::vector<Bytes> parts_of(wire::View view) {
    const wire::ViewMessage message{.step = wire::ViewStep::kDecided, .next = std::move(view)};
    std::vector<Bytes> frames;
    for (const wire::ViewMessage& part : wire::parts_of(message, wire::kViewSize + wire::kMemberSize))
        frames.push_back(view_of(part));
    return frames;
}

TEST(Checker, finds_a_view_that_is_decided_in_two_ways) {
    auto frames = good();
    const wire::View view{.number = 2, .cut = 7, .base = 9, .members = {{.node = 0, .epoch = 100}}};
    frames.insert(frames.end(), {view_of(view), view_of(view)});
    EXPECT_FALSE(found_in(frames));
    wire::View other = view;
    other.base = 10;
    frames.push_back(view_of(other));
    expect_found(frames, 10, "view 2 is decided in two ways");
    other.members[0].epoch = 200;  // the job has begun again
    frames.back() = view_of(other);
    EXPECT_FALSE(found_in(frames));
}

TEST(Checker, finds_a_view_in_parts_that_is_decided_in_two_ways) {
    auto frames = good();
    wire::View view{.number = 2, .cut = 7, .base = 9, .members = {{0, 0, 100}, {1, 1, 200}}};
    std::ranges::copy(parts_of(view), std::back_inserter(frames));
    view.members.pop_back();
    frames.push_back(view_of(view));
    expect_found(frames, 10, "view 2 is decided in two ways");
}

TEST(Checker, finds_a_bye_of_no_meaning_and_a_damaged_probe) {
    auto frames = good();
    frames.push_back(frame({.kind = wire::Kind::kBye, .source = 0, .destination = 1, .sequence = 1}));
    Bytes probe(wire::kProbeSize + 20);
    wire::encode_probe(probe, {.number = 3});
    frames.push_back(frame({.kind = wire::Kind::kProbe, .source = 0, .destination = 1}, probe));
    EXPECT_FALSE(found_in(frames));
    probe.back() ^= std::byte{1};
    frames.push_back(frame({.kind = wire::Kind::kProbe, .source = 0, .destination = 1}, probe));
    expect_found(frames, 10, "the pattern of a probe is not that of its number");
    frames.insert(frames.begin() + 7,
                  frame({.kind = wire::Kind::kBye, .source = 0, .destination = 1, .sequence = 2}));
    expect_found(frames, 8, "a bye has number 2");
}

TEST(Checker, tells_of_the_first_violation) {
    auto frames = good();
    frames.push_back(data(0, 1, 1, words("something else")));
    frames.push_back(data(0, 1, 0, words("something else")));
    expect_found(frames, 8, "frame 1 ");
}

TEST(Checker, holds_lives_of_a_node_apart) {
    auto frames = good();
    Bytes again = data(0, 1, 0, words("of the next life"));
    const auto front = std::span(again).subspan<wire::kEthernetSize, wire::kHeaderSize>();
    wire::Header header = capture::read_any(again).decoded.header;
    header.epoch = 200;
    wire::encode_header(front, header);
    frames.push_back(again);
    const auto violation = found_in(frames);
    EXPECT_FALSE(violation) << violation->sentence;
}

}  // namespace
}  // namespace isoplane::test
