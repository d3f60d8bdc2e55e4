// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>

#include <isoplane/wire/crc_words.hh>
#include <isoplane/wire/stream_header.hh>

#include "samples.hh"

namespace isoplane::wire {
namespace {

using samples::Bytes;

constexpr StreamFields kFields{.sequence = 0x01020304,
                               .ack = 0x05060708,
                               .selective = 0x1112131415161718,
                               .credit = 0x21222324,
                               .payload_length = 0x3132,
                               .payload_crc = 0x41424344};

Header header() {
    Header header = samples::header(Kind::kData);
    header.sequence = kFields.sequence;
    header.ack = kFields.ack;
    header.selective = kFields.selective;
    header.credit = kFields.credit;
    header.payload_length = kFields.payload_length;
    header.payload_crc = kFields.payload_crc;
    return header;
}

/// Claims about streams in both encapsulations.
class Stream : public testing::TestWithParam<Transport> {
  protected:
    static bool in_udp() { return GetParam() == Transport::kUdp; }
    static std::size_t front() { return envelope_size(GetParam()); }

    /// As the encoders write it field by field, with all of the payload that it announces.
    static Bytes written_by_encoders(const Header& of = header()) {
        Bytes packet = samples::packet(of, Bytes(of.payload_length), GetParam());
        encode_header(std::span(packet).subspan(front()).first<kHeaderSize>(), of);
        return packet;
    }
    static bool read(const Bytes& packet, StreamFields& fields) {
        const StreamHeader expected = samples::stream(GetParam());
        if (!in_udp()) return expected.read(packet.data(), fields);
        return samples::datagram().surrounds(packet.data(), packet.size()) &&
               expected.read<kUdpEnvelopeSize>(packet.data(), fields);
    }
    static bool reads(const Bytes& packet) {
        StreamFields fields;
        return read(packet, fields);
    }
};

TEST_P(Stream, is_written_as_the_encoders_write_it) {
    Bytes packet = written_by_encoders();
    std::fill_n(packet.begin(), front() + kHeaderSize, std::byte{0xEE});
    if (in_udp()) {
        samples::datagram().write(packet.data(), kHeaderSize + kFields.payload_length);
        samples::stream(GetParam()).write<kUdpEnvelopeSize>(packet.data(), kFields);
    } else {
        samples::stream().write(packet.data(), kFields);
    }
    EXPECT_EQ(packet, written_by_encoders());
}

TEST_P(Stream, is_read_as_the_encoders_write_it) {
    StreamFields fields;
    const Bytes packet = written_by_encoders();
    ASSERT_TRUE(read(packet, fields));
    EXPECT_EQ(fields.sequence, kFields.sequence);
    EXPECT_EQ(fields.ack, kFields.ack);
    EXPECT_EQ(fields.selective, kFields.selective);
    EXPECT_EQ(fields.credit, kFields.credit);
    EXPECT_EQ(fields.payload_length, kFields.payload_length);
    EXPECT_EQ(fields.payload_crc, kFields.payload_crc);
}

/// But for what is the link's affair: the destination's address in Ethernet; over routers the source's, too;
/// and what UDP says that nobody looks at.
TEST_P(Stream, refuses_a_change_of_any_bit) {
    constexpr std::size_t kPort = kEthernetSize + kIpv4Size;
    const std::size_t from = in_udp() ? ethernet_layout::EtherType::kOffset : ethernet_layout::kSource;
    for (std::size_t bit = 8 * from; bit < 8 * (front() + kHeaderSize); ++bit) {
        const std::size_t byte = bit / 8;
        const bool unread = in_udp() && (byte / 2 == (kPort + udp_layout::SourcePort::kOffset) / 2 ||
                                         byte / 2 == (kPort + udp_layout::Checksum::kOffset) / 2);
        Bytes packet = written_by_encoders();
        packet[byte] ^= std::byte{1} << bit % 8;
        EXPECT_EQ(reads(packet), unread) << "bit " << bit;
    }
}

/// With a CRC that holds: each is for decode() to judge.
TEST_P(Stream, refuses_frames_of_others) {
    const auto fits = [](auto&& change) {
        Header other = header();
        change(other);
        return reads(written_by_encoders(other));
    };
    EXPECT_TRUE(fits([](Header&) {}));
    EXPECT_FALSE(fits([](Header& h) { h.kind = Kind::kAck; }));
    EXPECT_FALSE(fits([](Header& h) { h.flags ^= kFlagNoPayloadCrc; }));
    EXPECT_FALSE(fits([](Header& h) { ++h.job_key; }));
    EXPECT_FALSE(fits([](Header& h) { ++h.source; }));
    EXPECT_FALSE(fits([](Header& h) { ++h.destination; }));
    EXPECT_FALSE(fits([](Header& h) { ++h.epoch; }));
    EXPECT_FALSE(fits([](Header& h) { ++h.peer_epoch; }));
}

TEST_P(Stream, that_is_none_fits_nothing) {
    StreamFields fields;
    const Bytes packet = written_by_encoders();
    EXPECT_FALSE(StreamHeader().read(packet.data(), fields));
    EXPECT_FALSE(StreamHeader().read(Bytes(packet.size()).data(), fields));
}

INSTANTIATE_TEST_SUITE_P(Encapsulation, Stream, testing::Values(Transport::kEthernet, Transport::kUdp),
                         [](const auto& of) { return of.param == Transport::kUdp ? "udp" : "ethernet"; });

/// Lengths of all carries into the checksum.
TEST(Datagram, has_the_checksum_of_its_length) {
    Bytes packet(kUdpEnvelopeSize);
    const Datagram datagram = samples::datagram();
    for (std::size_t size = 0; size <= 0xffff - kIpv4Size - kUdpSize; ++size) {
        datagram.write(packet.data(), size);
        const auto ip = std::span<const std::byte>(packet).subspan<kEthernetSize, kIpv4Size>();
        ASSERT_EQ(ipv4_checksum(ip), 0) << size;
        ASSERT_EQ(ipv4_layout::TotalLength::get(ip.data()), kIpv4Size + kUdpSize + size);
    }
}

TEST(Datagram, of_another_address_is_not_the_senders) {
    Bytes packet = samples::packet(samples::header(Kind::kAck), {}, Transport::kUdp);
    const Datagram ours = samples::datagram();
    EXPECT_TRUE(ours.surrounds(packet.data(), packet.size()));
    std::byte* const ip = packet.data() + kEthernetSize;
    ipv4_layout::Source::put(ip, ipv4_layout::Source::get(ip) + 1);
    ipv4_layout::Checksum::put(ip, 0);
    ipv4_layout::Checksum::put(ip, ipv4_checksum(std::span(packet).subspan<kEthernetSize, kIpv4Size>()));
    EXPECT_FALSE(ours.surrounds(packet.data(), packet.size()));
}

TEST(Datagram, that_a_router_has_passed_on_is_the_senders) {
    Bytes packet = samples::packet(samples::header(Kind::kAck), {}, Transport::kUdp);
    const Datagram ours = samples::datagram();
    packet[ethernet_layout::kSource] ^= std::byte{0x42};
    std::byte* const ip = packet.data() + kEthernetSize;
    ipv4_layout::TimeToLive::put(ip, ipv4_layout::TimeToLive::get(ip) - 1);
    ipv4_layout::Checksum::put(ip, 0);
    ipv4_layout::Checksum::put(ip, ipv4_checksum(std::span(packet).subspan<kEthernetSize, kIpv4Size>()));
    EXPECT_TRUE(ours.surrounds(packet.data(), packet.size()));
}

TEST(CrcOfWords, is_the_crc_of_the_bytes_whatever_their_number) {
    Bytes bytes(200);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::byte>(i * 37 + 11);
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
        const auto some = std::span<const std::byte>(bytes).first(size);
        EXPECT_EQ(quick_crc32c(some, 77), crc32c_software(some, 77)) << size;
        Bytes copy(size + 1, std::byte{0xEE});
        EXPECT_EQ(quick_copy_crc32c(copy.data(), some, 77), crc32c_software(some, 77)) << size;
        EXPECT_TRUE(std::equal(some.begin(), some.end(), copy.begin())) << size;
        EXPECT_EQ(copy[size], std::byte{0xEE}) << size;
    }
}

}  // namespace
}  // namespace isoplane::wire
