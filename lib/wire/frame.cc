// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include <isoplane/wire/crc32c.hh>
#include <isoplane/wire/crc_words.hh>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/hello.hh>
#include <isoplane/wire/isotach.hh>
#include <isoplane/wire/message.hh>
#include <isoplane/wire/probe.hh>
#include <isoplane/wire/token.hh>
#include <isoplane/wire/view.hh>

namespace isoplane::wire {
namespace {

using HeaderBytes = std::span<const std::byte, kHeaderSize>;

std::uint32_t header_crc(HeaderBytes bytes) {
    static_assert(frame_layout::HeaderCrc::kOffset == 5 * sizeof(std::uint64_t) + sizeof(std::uint32_t));
    std::array<std::uint64_t, 5> words;
    std::uint32_t last;
    std::memcpy(words.data(), bytes.data(), sizeof words);
    std::memcpy(&last, bytes.data() + sizeof words, sizeof last);
    CrcOfWords crc;
    for (const std::uint64_t word : words)
        crc.add(word);
    crc.add(last);
    return crc.value();
}

/// One store of its own, never merged with its neighbours.
void store_word(std::byte* at, std::uint64_t word) {
    using Unaligned [[gnu::may_alias, gnu::aligned(1)]] = std::uint64_t;
    *reinterpret_cast<volatile Unaligned*>(at) = word;
}

/// Fills the header where it stands; assigned as a whole it would be built elsewhere and copied.
void read_fields(const std::byte* in, Header& header) {
    header.kind = static_cast<Kind>(frame_layout::Kind::get(in));
    header.flags = frame_layout::Flags::get(in);
    header.job_key = frame_layout::JobKey::get(in);
    header.source = frame_layout::Source::get(in);
    header.destination = frame_layout::Destination::get(in);
    header.epoch = frame_layout::Epoch::get(in);
    header.sequence = frame_layout::Sequence::get(in);
    header.ack = frame_layout::Ack::get(in);
    header.selective = frame_layout::Selective::get(in);
    header.credit = frame_layout::Credit::get(in);
    header.payload_length = frame_layout::PayloadLength::get(in);
    header.peer_epoch = frame_layout::PeerEpoch::get(in);
    header.payload_crc = frame_layout::PayloadCrc::get(in);
}

/// The version comes before the CRC because another version may keep its CRC elsewhere.
Reject read_header(std::span<const std::byte> frame, Header& header) {
    if (frame.size() < kHeaderSize) return Reject::kShortFrame;
    const HeaderBytes bytes = frame.first<kHeaderSize>();
    if (frame_layout::Version::get(bytes.data()) != kVersion) return Reject::kBadVersion;
    if (frame_layout::HeaderCrc::get(bytes.data()) != header_crc(bytes)) [[unlikely]]
        return Reject::kBadHeaderCrc;
    read_fields(bytes.data(), header);
    return Reject::kNone;
}

bool is_known(Kind kind) {
    return kind >= Kind::kData && kind <= Kind::kView;
}

/// Reliable streams and credits are a pair's own; only these kinds can mean everybody.
bool may_be_broadcast(Kind kind) {
    return kind == Kind::kHello || kind == Kind::kBye || kind == Kind::kToken || kind == Kind::kProbe;
}

bool is_for_us(const Header& header, const Expect& expect) {
    if (header.destination == kBroadcast) return may_be_broadcast(header.kind);
    if (expect.node == kBroadcast) return header.destination < expect.node_count;
    if (header.destination == expect.node) return true;
    return header.kind == Kind::kToken &&
           std::find(expect.beside.begin(), expect.beside.end(), header.destination) != expect.beside.end();
}

Reject check_header(const Header& header, const Expect& expect) {
    if (!is_known(header.kind)) return Reject::kBadKind;
    if ((header.flags & ~kKnownFlags) != 0) return Reject::kBadFlags;
    if (header.job_key != expect.job_key) return Reject::kBadKey;
    if (header.source >= expect.node_count || header.source == expect.node) return Reject::kBadSource;
    if (!is_for_us(header, expect)) return Reject::kBadDestination;
    return Reject::kNone;
}

bool check_body(Kind kind, std::span<const std::byte> payload, std::uint16_t node_count) {
    switch (kind) {
        case Kind::kData:
            return are_messages(payload, node_count);
        case Kind::kAck:
        case Kind::kCredit:
        case Kind::kCreditRequest:
        case Kind::kBye:
            return payload.empty();
        case Kind::kHello:
        case Kind::kHelloAck:
            return decode_hello(payload).has_value();
        case Kind::kToken:
            return TokenView::parse(payload, node_count).has_value();
        case Kind::kProbe:
            // The smallest frames have no room for a probe; their sequence number has to do.
            return payload.size() < kProbeSize || decode_probe(payload).has_value();
        case Kind::kView:
            return decode_view(payload, node_count).has_value();
    }
    return false;
}

std::uint32_t payload_crc(std::uint16_t flags, std::span<const std::byte> payload) {
    return (flags & kFlagNoPayloadCrc) != 0 ? 0 : quick_crc32c(payload);
}

Reject check_payload(std::span<const std::byte> behind, const Header& header, const Expect& expect) {
    if (header.payload_length > behind.size()) return Reject::kBadLength;
    const auto payload = behind.first(header.payload_length);
    if (header.payload_crc != payload_crc(header.flags, payload)) return Reject::kBadPayloadCrc;
    return check_body(header.kind, payload, expect.node_count) ? Reject::kNone : Reject::kBadBody;
}

Reject check_apart(const Header& header, std::span<const std::byte> behind, std::span<const std::byte> body) {
    if (behind.size() != kMessageHeaderSize || header.payload_length != behind.size() + body.size())
        return Reject::kBadLength;
    const bool unchecked = (header.flags & kFlagNoPayloadCrc) != 0;
    if (header.payload_crc != (unchecked ? 0 : crc32c(body, crc32c(behind)))) return Reject::kBadPayloadCrc;
    const bool fits =
        header.kind == Kind::kData && is_header_of(behind.first<kMessageHeaderSize>(), body.size());
    return fits ? Reject::kNone : Reject::kBadBody;
}

}  // namespace

std::string_view name(Kind kind) {
    static constexpr std::array<std::string_view, 11> kNames = {
        "unknown", "data",  "ack",   "credit", "credit_request", "hello", "hello_ack",
        "bye",     "token", "probe", "view"};
    return kNames[is_known(kind) ? static_cast<std::size_t>(kind) : 0];
}

void encode_header(std::span<std::byte, kHeaderSize> out, const Header& header) {
    constexpr auto u64 = [](auto value) { return static_cast<std::uint64_t>(value); };
    const std::array words{
        network_order(u64(kVersion) << 56 | u64(header.kind) << 48 | u64(header.flags) << 32 |
                      header.job_key),
        network_order(u64(header.source) << 48 | u64(header.destination) << 32 | header.epoch),
        network_order(u64(header.sequence) << 32 | header.ack), network_order(header.selective),
        network_order(u64(header.credit) << 32 | u64(header.payload_length) << 16 | header.peer_epoch)};
    static_assert(frame_layout::Flags::kOffset == 2 && frame_layout::JobKey::kOffset == 4 &&
                  frame_layout::Source::kOffset == 8 && frame_layout::Destination::kOffset == 10 &&
                  frame_layout::Epoch::kOffset == 12 && frame_layout::Sequence::kOffset == 16 &&
                  frame_layout::Ack::kOffset == 20 && frame_layout::Selective::kOffset == 24 &&
                  frame_layout::Credit::kOffset == 32 && frame_layout::PayloadLength::kOffset == 36 &&
                  frame_layout::PeerEpoch::kOffset == 38 &&
                  frame_layout::PayloadCrc::kOffset == sizeof words);
    CrcOfWords crc;
    // Stored word by word: copied as one array they would be read back wider than they were written, which
    // waits until every store before, the payload's too, has left the core.
    for (std::size_t i = 0; i < words.size(); ++i) {
        crc.add(words[i]);
        store_word(out.data() + i * sizeof words[i], words[i]);
    }
    crc.add(network_order(header.payload_crc));
    frame_layout::PayloadCrc::put(out.data(), header.payload_crc);
    frame_layout::HeaderCrc::put(out.data(), crc.value());
}

void encode_frame(std::span<std::byte, kHeaderSize> out, Header& header, std::span<const std::byte> payload) {
    assert(payload.size() <= kMaxPayload);
    header.payload_length = static_cast<std::uint16_t>(payload.size());
    header.payload_crc = payload_crc(header.flags, payload);
    encode_header(out, header);
}

Decoded decode(std::span<const std::byte> packet, const Expect& expect) {
    const Unwrapped unwrapped = unwrap(packet, expect.encapsulation);
    if (unwrapped.reason != Reject::kNone) [[unlikely]]
        return {unwrapped.reason, {}, {}};
    return decode_frame(unwrapped.frame, expect);
}

Decoded decode_apart(std::span<const std::byte> head, std::span<const std::byte> body, const Expect& expect) {
    const Unwrapped unwrapped = unwrap(head, expect.encapsulation, body.size());
    Decoded decoded;
    decoded.reason = unwrapped.reason;
    if (decoded.reason == Reject::kNone) decoded.reason = read_header(unwrapped.frame, decoded.header);
    if (decoded.reason == Reject::kNone) decoded.reason = check_header(decoded.header, expect);
    if (decoded.reason != Reject::kNone) [[unlikely]]
        return decoded;
    const auto behind = unwrapped.frame.subspan(kHeaderSize);
    decoded.reason = check_apart(decoded.header, behind, body);
    if (decoded.reason == Reject::kNone) decoded.payload = behind;
    return decoded;
}

Decoded decode_frame(std::span<const std::byte> frame, const Expect& expect) {
    Decoded decoded;  // the only object returned, so that it is built in the caller's place
    decoded.reason = read_header(frame, decoded.header);
    if (decoded.reason != Reject::kNone) [[unlikely]]
        return decoded;
    decoded.reason = check_header(decoded.header, expect);
    if (decoded.reason != Reject::kNone) [[unlikely]]
        return decoded;
    const auto behind = frame.subspan(kHeaderSize);
    decoded.reason = check_payload(behind, decoded.header, expect);
    if (decoded.reason == Reject::kNone) decoded.payload = behind.first(decoded.header.payload_length);
    return decoded;
}

}  // namespace isoplane::wire
