// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Feeds the decoder packets off both encapsulations. What it accepts must read back, through every cursor,
/// without a byte outside the packet (the sanitizers watch), and encode to the header it was read from.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include <isoplane/wire/access.hh>
#include <isoplane/wire/active.hh>
#include <isoplane/wire/along.hh>
#include <isoplane/wire/arp.hh>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/hello.hh>
#include <isoplane/wire/portals.hh>
#include <isoplane/wire/probe.hh>
#include <isoplane/wire/run.hh>
#include <isoplane/wire/stream_header.hh>
#include <isoplane/wire/token.hh>
#include <isoplane/wire/trailer.hh>

#include "samples.hh"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace isoplane::wire {
namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

/// Reads every byte, so that none of them may lie outside the packet.
void touch(std::span<const std::byte> bytes) {
    volatile unsigned sum = 0;
    for (const std::byte byte : bytes)
        sum = sum + std::to_integer<unsigned>(byte);
}

/// Whatever their message says it is.
void read_accesses(std::span<const std::byte> message) {
    AccessCursor cursor(message);
    for (Access access; cursor.next(access);) {
        require(access.words >= 1 && access.words <= kMostAccessWords);
        require(access.operands.size() == 4 * operand_words(access.code, access.words));
        touch(access.operands);
    }
}

void read_answer(std::span<const std::byte> message) {
    Answer answer;
    if (decode_answer(message, answer)) require(message.size() == answer_size(answer.words));
}

void read_active(std::span<const std::byte> bytes) {
    const auto message = decode_active(bytes);
    if (!message) return;
    require(message->header.slot < kActiveSlots);
    require(message->transfer.at + message->data.size() <= message->transfer.size);
    touch(message->data);
}

void read_token(std::span<const std::byte> payload, bool accepted) {
    const auto view = TokenView::parse(payload, samples::kNodeCount);
    if (accepted) require(view.has_value());
    if (!view) return;
    const Token token = view->token();
    require(token.part <= token.last_part);
    for (std::size_t i = 0; i < view->size(); ++i) {
        const TokenEntry entry = view->entry(i);
        require(entry.source < samples::kNodeCount && entry.source != entry.destination);
        if (entry.destination == kEveryHost)
            require(entry.value != 0 && (entry.value & ~kKnownGroupBits) == 0);
        else
            require(entry.destination < samples::kNodeCount);
    }
}

void read_messages(std::span<const std::byte> payload, bool accepted) {
    MessageCursor cursor(payload);
    OrderedReader ordered;
    AlongReader along;
    for (Message message; cursor.next(message);) {
        touch(message.body);
        if (message.header.protocol == Protocol::kShmem) read_answer(message.body);
        if (message.header.protocol == Protocol::kPortals) is_portals_message(message.body);
        if (message.header.protocol == Protocol::kActive) read_active(message.body);
        if (message.header.protocol == Protocol::kToken)
            if (const auto token = along.read(message.body)) read_token(token->token, false);
        if (!is_ordered(message.header.protocol)) continue;
        read_accesses(ordered.read(message).data);
    }
    if (accepted) require(cursor.at_end());
}

void read_hello(std::span<const std::byte> payload, bool accepted) {
    const auto hello = decode_hello(payload);
    if (accepted) require(hello.has_value());
    if (hello) touch(std::as_bytes(std::span(hello->name)));
}

void read_probe(std::span<const std::byte> payload, bool accepted) {
    const auto probe = decode_probe(payload);
    if (accepted && payload.size() >= kProbeSize) require(probe.has_value());
    if (probe) probe_intact(payload);
}

/// Every reader gets every payload: those of other kinds must refuse it or make sense of it, not crash.
void read_all(std::span<const std::byte> payload, const Decoded& decoded) {
    const auto is = [&](Kind kind) { return decoded && decoded.header.kind == kind; };
    read_messages(payload, is(Kind::kData));
    read_token(payload, is(Kind::kToken));
    read_hello(payload, is(Kind::kHello) || is(Kind::kHelloAck));
    read_probe(payload, is(Kind::kProbe));
}

void check_round_trip(const Decoded& decoded) {
    std::array<std::byte, kHeaderSize> again{};
    encode_header(again, decoded.header);
    require(std::memcmp(again.data(), decoded.payload.data() - kHeaderSize, kHeaderSize) == 0);
}

/// What is taken for ARP says the same when it is written again.
void try_arp(std::span<const std::byte> packet) {
    const auto arp = decode_arp(packet);
    if (!arp) return;
    std::array<std::byte, kArpPacketSize> again{};
    encode_arp(again, kBroadcastMac, *arp);
    const auto read = decode_arp(again);
    require(read && read->is_request == arp->is_request && read->sender_mac == arp->sender_mac &&
            read->sender_address == arp->sender_address && read->target_address == arp->target_address);
}

/// What passes for the next frame of a stream, decode() would have taken, and read the same.
void try_stream(std::span<const std::byte> packet, Transport transport) {
    static const std::array streams{samples::stream(), samples::stream(Transport::kUdp)};
    const StreamHeader& stream = streams[static_cast<std::size_t>(transport)];
    const bool udp = transport == Transport::kUdp;
    const std::size_t front = envelope_size(transport) + kHeaderSize;
    if (packet.size() < front || (udp && !samples::datagram().surrounds(packet.data(), packet.size())))
        return;
    StreamFields fields;
    if (udp ? !stream.read<kUdpEnvelopeSize>(packet.data(), fields) : !stream.read(packet.data(), fields))
        return;
    const auto behind = packet.subspan(front);
    if (fields.payload_length > behind.size()) return;
    const auto payload = behind.first(fields.payload_length);
    if (fields.payload_crc != quick_crc32c(payload) || !are_messages(payload, samples::kNodeCount)) return;
    const Decoded decoded = decode(packet, samples::expect(transport));
    require(decoded && decoded.header.kind == Kind::kData && decoded.payload.size() == payload.size() &&
            decoded.header.sequence == fields.sequence && decoded.header.ack == fields.ack &&
            decoded.header.selective == fields.selective && decoded.header.credit == fields.credit);
}

/// Where a frame ends is within its packet, and right for what decode() takes; a trailer there reads back.
void try_trailer(std::span<const std::byte> packet, Transport transport, const Decoded& decoded) {
    const Encapsulation encapsulation = samples::expect(transport).encapsulation;
    const auto end = end_of_payload(packet, encapsulation);
    if (decoded) require(end && packet.data() + *end == decoded.payload.data() + decoded.payload.size());
    if (!end) return;
    require(*end >= encapsulation.size() + kHeaderSize && *end <= packet.size());
    if (packet.size() - *end < kTrailerSize) return;
    std::array<std::byte, kTrailerSize> again{};
    write_trailer(again.data(), read_trailer(packet.data() + *end));
    require(std::memcmp(again.data(), packet.data() + *end, trailer_layout::kTag) == 0);
}

void try_transport(std::span<const std::byte> packet, Transport transport) {
    const Decoded decoded = decode(packet, samples::expect(transport));
    require(decoded || decoded.payload.empty());
    if (decoded) check_round_trip(decoded);
    try_trailer(packet, transport, decoded);
    const std::size_t start = samples::expect(transport).encapsulation.size() + kHeaderSize;
    if (packet.size() >= start) read_all(decoded ? decoded.payload : packet.subspan(start), decoded);
}

/// Mends the IP and UDP lengths and checksum so that they fit the packet as it is.
void mend_udp(std::span<std::byte> packet) {
    std::byte* ip = packet.data() + kEthernetSize;
    const auto total = static_cast<std::uint16_t>(packet.size() - kEthernetSize);
    ipv4_layout::TotalLength::put(ip, total);
    udp_layout::Length::put(ip + kIpv4Size, static_cast<std::uint16_t>(total - kIpv4Size));
    ipv4_layout::Checksum::put(ip, 0);
    ipv4_layout::Checksum::put(ip, ipv4_checksum(packet.subspan<kEthernetSize, kIpv4Size>()));
}

/// Makes the payload length that of what is there; most mutations change the size and would end at that
/// check.
void mend_frame(std::span<std::byte> frame, bool fit_length) {
    if (frame.size() < kHeaderSize) return;
    if (fit_length)
        frame_layout::PayloadLength::put(frame.data(),
                                         static_cast<std::uint16_t>(frame.size() - kHeaderSize));
    samples::reseal(frame);
}

}  // namespace
}  // namespace isoplane::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace isoplane::wire;
    const auto packet = std::as_bytes(std::span(data, size));
    for (const Transport transport : {Transport::kEthernet, Transport::kUdp}) {
        try_transport(packet, transport);
        try_stream(packet, transport);
    }
    try_arp(packet);
    return 0;
}

/// Mutates, then in seven of eight cases makes checksums right again: nothing behind them would ever be
/// reached otherwise. Half of those also get a payload length that fits.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
    using namespace isoplane::wire;
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 8 == 0 || size < kEthernetSize) return size;
    const auto packet = std::as_writable_bytes(std::span(data, size));
    const bool fit_length = seed / 8 % 2 == 0;
    if (ethernet_layout::EtherType::get(packet.data()) != kIpv4EtherType) {
        mend_frame(packet.subspan(kEthernetSize), fit_length);
    } else if (size >= kUdpEnvelopeSize && size - kEthernetSize <= 0xffff) {
        mend_frame(packet.subspan(kUdpEnvelopeSize), fit_length);
        mend_udp(packet);
    }
    return size;
}
