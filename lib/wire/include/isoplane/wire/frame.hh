// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The frame: a fixed 48-byte header, and a payload whose form depends on the frame's kind.
///
/// - every field is in network order; doc/protocol.md draws the layout;
/// - the header always has a CRC32C, the payload has one unless the frame's flags say otherwise;
/// - what follows the payload is Ethernet padding and never looked at;
/// - decode() believes nothing before its CRC has held, and what it accepts needs no further checks: the
/// readers of
///   message.hh, token.hh, hello.hh and probe.hh succeed on the payload of an accepted frame of their kind.
///
/// Everything here is a pure function of its arguments, callable from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <isoplane/wire/byte_order.hh>
#include <isoplane/wire/ethernet.hh>
#include <isoplane/wire/reject.hh>

namespace isoplane::wire {

inline constexpr std::uint8_t kVersion = 2;
inline constexpr std::size_t kHeaderSize = 48;
inline constexpr std::size_t kMaxPayload = 0xffff;
inline constexpr std::uint16_t kBroadcast = 0xffff;  ///< as a destination: every node

enum class Kind : std::uint8_t {
    kData = 1,       ///< messages of a pair's reliable stream
    kAck,            ///< no payload: acknowledgement and credit only
    kCredit,         ///< no payload: credit granted at a threshold
    kCreditRequest,  ///< no payload: the sender has run out of credit, perhaps by a lost update
    kHello,          ///< a node presents itself
    kHelloAck,       ///< the answer, presenting the other
    kBye,            ///< no payload: the sender leaves
    kToken,          ///< logical time: a token with its counts, signals and barriers
    kProbe,          ///< test traffic with a content that can be checked
    kView,           ///< logical time: members agree on who they are
};

/// The kind as `show` and logs name it, for example "credit_request".
std::string_view name(Kind kind);

/// The payload has no CRC and the CRC field is 0; for jobs that trust the Ethernet FCS.
inline constexpr std::uint16_t kFlagNoPayloadCrc = 0x0001;
inline constexpr std::uint16_t kKnownFlags = kFlagNoPayloadCrc;

namespace frame_layout {
using Version = Field<std::uint8_t, 0>;
using Kind = Field<std::uint8_t, 1>;
using Flags = Field<std::uint16_t, 2>;
using JobKey = Field<std::uint32_t, 4>;
using Source = Field<std::uint16_t, 8>;
using Destination = Field<std::uint16_t, 10>;
using Epoch = Field<std::uint32_t, 12>;
using Sequence = Field<std::uint32_t, 16>;
using Ack = Field<std::uint32_t, 20>;
using Selective = Field<std::uint64_t, 24>;
using Credit = Field<std::uint32_t, 32>;
using PayloadLength = Field<std::uint16_t, 36>;
using PeerEpoch = Field<std::uint16_t, 38>;
using PayloadCrc = Field<std::uint32_t, 40>;
using HeaderCrc = Field<std::uint32_t, 44>;
static_assert(HeaderCrc::kEnd == kHeaderSize);
}  // namespace frame_layout

/// The header's fields in host order. Version and header CRC are the encoder's own business.
struct Header {
    Kind kind = Kind::kData;
    std::uint16_t flags = 0;
    std::uint32_t job_key = 0;
    std::uint16_t source = 0;
    std::uint16_t destination = 0;
    std::uint32_t epoch = 0;           ///< the sender's
    std::uint32_t sequence = 0;        ///< of this frame in the pair's stream
    std::uint32_t ack = 0;             ///< next sequence number expected from the destination
    std::uint32_t credit = 0;          ///< cumulative: frames the destination may ever have sent
    std::uint64_t selective = 0;       ///< bit i: frame ack + 1 + i has been received
    std::uint16_t payload_length = 0;  ///< set by encode_frame()
    std::uint16_t peer_epoch = 0;   ///< low half of the destination's epoch as the sender knows it, 0 unknown
    std::uint32_t payload_crc = 0;  ///< set by encode_frame()

    bool operator==(const Header&) const = default;
};
static_assert(sizeof(Header) <= kHeaderSize);

/// Writes the header with its payload length and payload CRC as they stand, and computes the header CRC. For
/// payloads in several segments (chain crc32c() over them), and to renew the acknowledgement of a frame that
/// is sent again.
void encode_header(std::span<std::byte, kHeaderSize> out, const Header& header);

/// Sets the header's payload length and payload CRC (0 under kFlagNoPayloadCrc) from `payload`, at most
/// kMaxPayload bytes, and writes it. The payload itself stays where it is: normally right behind `out`.
void encode_frame(std::span<std::byte, kHeaderSize> out, Header& header, std::span<const std::byte> payload);

/// What a receiver accepts.
struct Expect {
    Encapsulation encapsulation;
    std::uint32_t job_key = 0;
    std::uint16_t node = 0;  ///< the receiver; kBroadcast reads frames between any nodes, as a capture needs
    std::uint16_t node_count = 0;  ///< nodes of the job, numbered from 0, hosts and token managers alike
    /// Other nodes in the receiver's process: their tokens are taken, too.
    std::span<const std::uint16_t> beside{};
};

struct Decoded {
    Reject reason = Reject::kNone;
    Header header;  ///< as received once its CRC has held, even if refused later; else as default
    std::span<const std::byte> payload;  ///< within the packet; empty unless reason is kNone

    explicit operator bool() const { return reason == Reject::kNone; }
};

/// Validates a packet as it came from a port, FCS removed, and takes it apart. Touches nothing outside
/// `packet`.
Decoded decode(std::span<const std::byte> packet, const Expect& expect);

/// The same for a data frame whose one message is in two pieces: `head` ends with the message's header, and
/// `body` is all the rest. The decoded payload is only that header; the message, of a protocol without
/// extension, is the body.
Decoded decode_apart(std::span<const std::byte> head, std::span<const std::byte> body, const Expect& expect);

/// The same without the envelope: `frame` starts at the 48-byte header.
Decoded decode_frame(std::span<const std::byte> frame, const Expect& expect);

}  // namespace isoplane::wire
