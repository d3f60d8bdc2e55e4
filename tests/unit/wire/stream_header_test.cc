// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

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

/// As the encoders write it field by field.
Bytes written_by_encoders() {
    Bytes packet = samples::packet(samples::header(Kind::kData), {});
    packet.resize(kEthernetSize + kHeaderSize);
    encode_header(std::span<std::byte>(packet).subspan<kEthernetSize, kHeaderSize>(), header());
    return packet;
}

TEST(StreamHeader, writes_what_the_encoders_write) {
    Bytes packet(kEthernetSize + kHeaderSize);
    samples::stream().write(packet.data(), kFields);
    EXPECT_EQ(packet, written_by_encoders());
}

TEST(StreamHeader, reads_what_the_encoders_write) {
    StreamFields fields;
    ASSERT_TRUE(samples::stream().read(written_by_encoders().data(), fields));
    EXPECT_EQ(fields.sequence, kFields.sequence);
    EXPECT_EQ(fields.ack, kFields.ack);
    EXPECT_EQ(fields.selective, kFields.selective);
    EXPECT_EQ(fields.credit, kFields.credit);
    EXPECT_EQ(fields.payload_length, kFields.payload_length);
    EXPECT_EQ(fields.payload_crc, kFields.payload_crc);
}

/// But for the destination's address, which is the link's affair.
TEST(StreamHeader, refuses_a_change_of_any_bit) {
    const StreamHeader expected = samples::stream();
    StreamFields fields;
    for (std::size_t bit = 8 * ethernet_layout::kSource; bit < 8 * (kEthernetSize + kHeaderSize); ++bit) {
        Bytes packet = written_by_encoders();
        packet[bit / 8] ^= std::byte{1} << bit % 8;
        EXPECT_FALSE(expected.read(packet.data(), fields)) << "bit " << bit;
    }
}

/// With a CRC that holds: each is for decode() to judge.
TEST(StreamHeader, refuses_frames_of_other_streams) {
    const auto fits = [](auto&& change) {
        Bytes packet = written_by_encoders();
        Header other = header();
        change(other);
        encode_header(std::span<std::byte>(packet).subspan<kEthernetSize, kHeaderSize>(), other);
        StreamFields fields;
        return samples::stream().read(packet.data(), fields);
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

TEST(StreamHeader, of_no_stream_fits_nothing) {
    StreamFields fields;
    EXPECT_FALSE(StreamHeader().read(written_by_encoders().data(), fields));
    EXPECT_FALSE(StreamHeader().read(Bytes(kEthernetSize + kHeaderSize).data(), fields));
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
