// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <set>

#include <isoplane/wire/crc32c.hh>
#include <isoplane/wire/probe.hh>
#include <isoplane/wire/token.hh>

#include "samples.hh"

namespace isoplane::wire {
namespace {

using samples::Bytes;

Reject reason_for(const Header& header, std::span<const std::byte> payload = {}) {
    return decode(samples::packet(header, payload), samples::expect()).reason;
}

TEST(Frame, every_field_round_trips) {
    const Header sent = samples::header(Kind::kProbe);
    Bytes payload(100);
    encode_probe(payload, {.stream = 1, .number = 2, .sent_ns = 3});
    const Bytes packet = samples::packet(sent, payload);
    const Decoded decoded = decode(packet, samples::expect());
    ASSERT_TRUE(decoded);
    Header expected = sent;
    expected.payload_length = 100;
    expected.payload_crc = crc32c(payload);
    EXPECT_EQ(decoded.header, expected);
    EXPECT_EQ(decoded.payload.data(), packet.data() + kEthernetSize + kHeaderSize);
    EXPECT_EQ(decoded.payload.size(), 100U);
}

TEST(Frame, has_the_documented_bytes) {
    const Bytes packet = samples::packet(samples::header(Kind::kAck), {});
    const std::uint8_t expected[] = {0x02, 0x02, 0x00, 0x00, 0x15, 0x09, 0xac, 0xe5, 0x00, 0x03, 0x00,
                                     0x05, 0x00, 0x01, 0x00, 0x02, 0x00, 0x00, 0x03, 0xe9, 0x00, 0x00,
                                     0x07, 0xd2, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x00,
                                     0x00, 0x0b, 0xbb, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00, 0x00};
    for (std::size_t i = 0; i < sizeof expected; ++i)
        EXPECT_EQ(std::to_integer<int>(packet[kEthernetSize + i]), expected[i]) << "byte " << i;
    EXPECT_EQ(frame_layout::HeaderCrc::get(packet.data() + kEthernetSize),
              crc32c(std::as_bytes(std::span(expected))));
}

TEST(Frame, the_acknowledgement_can_be_renewed_without_the_payload) {
    Bytes payload(64);
    encode_probe(payload, {});
    Bytes packet = samples::packet(samples::header(Kind::kProbe), payload);
    Header header = decode(packet, samples::expect()).header;
    header.ack += 10;
    encode_header(std::span(packet).subspan(kEthernetSize).first<kHeaderSize>(), header);
    const Decoded decoded = decode(packet, samples::expect());
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded.header, header);
}

TEST(Frame, refuses_another_ethertype) {
    Bytes packet = samples::packet(samples::header(Kind::kAck), {});
    ethernet_layout::EtherType::put(packet.data(), 0x86dd);
    EXPECT_EQ(decode(packet, samples::expect()).reason, Reject::kNotOurs);
}

TEST(Frame, refuses_a_bad_version) {
    for (const std::uint8_t version : std::initializer_list<std::uint8_t>{0, 1, 3, 255}) {
        Bytes packet = samples::packet(samples::header(Kind::kAck), {});
        frame_layout::Version::put(packet.data() + kEthernetSize, version);
        samples::reseal(std::span(packet).subspan(kEthernetSize));
        EXPECT_EQ(decode(packet, samples::expect()).reason, Reject::kBadVersion);
    }
}

TEST(Frame, refuses_a_bad_header_crc) {
    Bytes packet = samples::packet(samples::header(Kind::kAck), {});
    packet[kEthernetSize + frame_layout::Sequence::kOffset] ^= std::byte{1};
    const Decoded decoded = decode(packet, samples::expect());
    EXPECT_EQ(decoded.reason, Reject::kBadHeaderCrc);
    EXPECT_EQ(decoded.header, Header{}) << "fields of a damaged header must not be believed";
}

TEST(Frame, refuses_unknown_kinds) {
    for (int kind = 0; kind < 256; ++kind) {
        const bool known = kind >= 1 && kind <= 10;
        const Reject reason = reason_for(samples::header(static_cast<Kind>(kind)));
        EXPECT_EQ(reason == Reject::kBadKind, !known) << "kind " << kind;
    }
}

TEST(Frame, refuses_unknown_flags) {
    for (int bit = 0; bit < 16; ++bit) {
        Header header = samples::header(Kind::kAck);
        header.flags = static_cast<std::uint16_t>(1 << bit);
        EXPECT_EQ(reason_for(header), bit == 0 ? Reject::kNone : Reject::kBadFlags) << "bit " << bit;
    }
}

TEST(Frame, refuses_another_jobs_key) {
    Header header = samples::header(Kind::kAck);
    header.job_key ^= 0x80000000;
    EXPECT_EQ(reason_for(header), Reject::kBadKey);
}

TEST(Frame, refuses_sources_outside_the_job_and_its_own_echo) {
    Header header = samples::header(Kind::kAck);
    for (const std::uint16_t source :
         std::initializer_list<std::uint16_t>{samples::kNodeCount, kBroadcast, samples::kDestination}) {
        header.source = source;
        EXPECT_EQ(reason_for(header), Reject::kBadSource) << source;
    }
}

TEST(Frame, refuses_frames_for_others) {
    Header header = samples::header(Kind::kAck);
    for (const std::uint16_t destination : std::initializer_list<std::uint16_t>{0, 4, 6, 0xfffe}) {
        header.destination = destination;
        EXPECT_EQ(reason_for(header), Reject::kBadDestination) << destination;
    }
}

TEST(Frame, refuses_broadcast_of_what_belongs_to_a_pair) {
    for (const auto& sample : samples::all(Transport::kEthernet)) {
        Bytes packet = sample.packet;
        frame_layout::Destination::put(packet.data() + kEthernetSize, kBroadcast);
        samples::reseal(std::span(packet).subspan(kEthernetSize));
        const bool may = sample.kind == Kind::kHello || sample.kind == Kind::kBye ||
                         sample.kind == Kind::kToken || sample.kind == Kind::kProbe;
        EXPECT_EQ(decode(packet, samples::expect()).reason, may ? Reject::kNone : Reject::kBadDestination)
            << sample.name;
    }
}

TEST(Frame, an_observer_reads_frames_between_any_nodes_of_the_job) {
    Expect expect = samples::expect();
    expect.node = kBroadcast;
    Header header = samples::header(Kind::kAck);
    header.destination = 1;
    EXPECT_EQ(decode(samples::packet(header, {}), expect).reason, Reject::kNone);
    header.destination = samples::kNodeCount;
    EXPECT_EQ(decode(samples::packet(header, {}), expect).reason, Reject::kBadDestination);
}

TEST(Frame, refuses_more_payload_than_there_is) {
    Header header = samples::header(Kind::kProbe);
    header.payload_length = 100;
    Bytes frame(kHeaderSize + 99);
    encode_header(std::span(frame).first<kHeaderSize>(), header);
    EXPECT_EQ(decode_frame(frame, samples::expect()).reason, Reject::kBadLength);
}

TEST(Frame, refuses_a_bad_payload_crc) {
    Bytes payload(64);
    encode_probe(payload, {});
    Bytes packet = samples::packet(samples::header(Kind::kProbe), payload);
    packet.back() ^= std::byte{1};
    const Decoded decoded = decode(packet, samples::expect());
    EXPECT_EQ(decoded.reason, Reject::kBadPayloadCrc);
    EXPECT_EQ(decoded.header.sequence, 1001U) << "a frame refused after its header CRC can be reported";
    EXPECT_TRUE(decoded.payload.empty());
}

TEST(Frame, without_payload_crc_its_field_is_zero) {
    Header header = samples::header(Kind::kData);
    header.flags = kFlagNoPayloadCrc;
    const Bytes payload = samples::message(Protocol::kNoniso, samples::counting(30));
    Bytes packet = samples::packet(header, payload);
    EXPECT_TRUE(decode(packet, samples::expect()));
    header.payload_length = static_cast<std::uint16_t>(payload.size());
    header.payload_crc = crc32c(payload);
    encode_header(std::span(packet).subspan(kEthernetSize).first<kHeaderSize>(), header);
    EXPECT_EQ(decode(packet, samples::expect()).reason, Reject::kBadPayloadCrc);
}

TEST(Frame, refuses_payload_where_there_is_none) {
    for (const Kind kind : {Kind::kAck, Kind::kCredit, Kind::kCreditRequest, Kind::kBye})
        EXPECT_EQ(reason_for(samples::header(kind), samples::counting(1)), Reject::kBadBody) << name(kind);
}

TEST(Frame, refuses_no_payload_where_there_is_some) {
    for (const Kind kind : {Kind::kData, Kind::kHello, Kind::kHelloAck, Kind::kToken})
        EXPECT_EQ(reason_for(samples::header(kind)), Reject::kBadBody) << name(kind);
}

TEST(Frame, may_be_a_probe_too_small_for_more_than_its_sequence_number) {
    EXPECT_EQ(reason_for(samples::header(Kind::kProbe)), Reject::kNone);
    EXPECT_EQ(reason_for(samples::header(Kind::kProbe), samples::counting(kProbeSize - 1)), Reject::kNone);
}

TEST(Frame, refuses_messages_issued_outside_the_job) {
    Bytes body = samples::isotach_body({});
    isotach_layout::Host::put(body.data(), samples::kNodeCount);
    EXPECT_EQ(reason_for(samples::header(Kind::kData), samples::message(Protocol::kIsotach, body)),
              Reject::kBadBody);
}

TEST(Frame, refuses_tokens_that_tell_of_nodes_outside_the_job) {
    const std::array<TokenEntry, 1> entries = {TokenEntry{kEveryHost, 1, 1}};
    Bytes payload(token_size(entries.size()));
    encode_token(payload, {.number = 1}, entries);
    EXPECT_EQ(reason_for(samples::header(Kind::kToken), payload), Reject::kBadBody);
    token_entry_layout::Source::put(payload.data() + kTokenSize, 2);
    EXPECT_EQ(reason_for(samples::header(Kind::kToken), payload), Reject::kNone);
}

TEST(Frame, the_largest_payload_round_trips) {
    Bytes payload(kMaxPayload);
    encode_probe(payload, {.number = 5});
    const Decoded decoded =
        decode(samples::packet(samples::header(Kind::kProbe), payload), samples::expect());
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded.header.payload_length, kMaxPayload);
}

TEST(Names, of_reasons_and_kinds_are_distinct) {
    std::set<std::string_view> reasons;
    for (std::size_t i = 0; i < kRejectCount; ++i)
        reasons.insert(name(static_cast<Reject>(i)));
    EXPECT_EQ(reasons.size(), kRejectCount);
    EXPECT_EQ(name(Reject::kBadHeaderCrc), "bad_header_crc");
    EXPECT_EQ(name(Reject::kBadBody), "bad_body");
    std::set<std::string_view> kinds;
    for (int i = 1; i <= 9; ++i)
        kinds.insert(name(static_cast<Kind>(i)));
    EXPECT_EQ(kinds.size(), 9U);
    EXPECT_EQ(name(Kind::kCreditRequest), "credit_request");
    EXPECT_EQ(name(static_cast<Kind>(77)), "unknown");
}

/// A data frame of one message, cut behind its header.
Reject reason_apart(Protocol protocol, std::uint16_t length, std::size_t cut_off = 0,
                    Kind kind = Kind::kData) {
    Bytes payload(kMessageHeaderSize + 100, std::byte{1});
    encode_message(std::span(payload).first<kMessageHeaderSize>(), {protocol, kWholeMessage, length, length});
    const Bytes packet = samples::packet(samples::header(kind), payload);
    const auto [head, body] =
        std::pair(std::span(packet).first(packet.size() - 100), std::span(packet).last(100));
    return decode_apart(head, body.first(body.size() - cut_off), samples::expect()).reason;
}

TEST(Frame, is_read_in_two_pieces_when_they_are_headers_and_one_message) {
    EXPECT_EQ(reason_apart(Protocol::kNoniso, 100), Reject::kNone);
    EXPECT_EQ(reason_apart(Protocol::kNoniso, 100, 1), Reject::kBadLength);
    EXPECT_EQ(reason_apart(Protocol::kNoniso, 99), Reject::kBadBody) << "not just one message";
    EXPECT_EQ(reason_apart(Protocol::kIsotach, 100), Reject::kBadBody)
        << "its extension is in the other piece";
    EXPECT_EQ(reason_apart(Protocol::kNoniso, 100, 0, Kind::kAck), Reject::kBadBody);
    const Bytes packet = samples::packet(samples::header(Kind::kData), Bytes(50));
    for (std::size_t cut = 0; cut < packet.size(); ++cut) {
        const std::span whole(packet);
        EXPECT_FALSE(decode_apart(whole.first(cut), whole.subspan(cut), samples::expect())) << cut;
    }
}

}  // namespace
}  // namespace isoplane::wire
