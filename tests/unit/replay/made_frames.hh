// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Frames as nodes of a job send them, made by hand.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <isoplane/wire/along.hh>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/hello.hh>
#include <isoplane/wire/run.hh>
#include <isoplane/wire/token.hh>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace isoplane::test {

using Bytes = std::vector<std::byte>;

inline constexpr wire::MacAddress kNear = {2, 0, 0, 0, 0, 1};
inline constexpr wire::MacAddress kFar = {2, 0, 0, 0, 0, 2};

/// On Ethernet, of job 7, in epochs 100 plus the node.
inline Bytes frame(wire::Header header, std::span<const std::byte> payload = {}) {
    Bytes out(wire::kEthernetSize + wire::kHeaderSize + payload.size());
    wire::encode_ethernet(std::span(out).first<wire::kEthernetSize>(), kFar, kNear, wire::kDefaultEtherType);
    header.job_key = 7;
    header.epoch = 100U + header.source;
    header.peer_epoch =
        header.destination == wire::kBroadcast ? 0 : static_cast<std::uint16_t>(100 + header.destination);
    wire::encode_frame(std::span(out).subspan<wire::kEthernetSize, wire::kHeaderSize>(), header, payload);
    std::ranges::copy(payload, out.begin() + wire::kEthernetSize + wire::kHeaderSize);
    return out;
}

inline Bytes hello(std::uint16_t from, std::uint32_t credit) {
    Bytes payload(wire::kHelloSize + wire::kMaxNameSize);
    payload.resize(
        wire::encode_hello(payload, {.roles = wire::kRoleHost, .mtu = 1500, .credit = credit, .name = "n"}));
    return frame({.kind = wire::Kind::kHello, .source = from, .destination = wire::kBroadcast}, payload);
}

inline Bytes message(wire::Protocol protocol, std::span<const std::byte> body) {
    Bytes out(wire::kMessageHeaderSize);
    const auto size = static_cast<std::uint16_t>(body.size());
    const auto whole =
        static_cast<std::uint32_t>(size - (wire::is_ordered(protocol) ? wire::kIsotachSize : 0));
    wire::encode_message(std::span(out).first<wire::kMessageHeaderSize>(),
                         {.protocol = protocol, .length = size, .size_or_offset = whole});
    out.insert(out.end(), body.begin(), body.end());
    return out;
}

inline Bytes words(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return message(wire::Protocol::kNoniso, Bytes(bytes.begin(), bytes.end()));
}

inline Bytes ordered(const wire::IsotachHeader& header, const Bytes& behind = Bytes(4)) {
    Bytes body(wire::kIsotachSize);
    wire::encode_isotach(std::span(body).first<wire::kIsotachSize>(), header);
    body.insert(body.end(), behind.begin(), behind.end());
    return message(wire::Protocol::kIsotach, body);
}

/// One that follows in a run.
inline Bytes in_run(std::uint32_t step, const Bytes& data = Bytes(4)) {
    Bytes out(wire::kMessageHeaderSize);
    wire::encode_message(std::span(out).first<wire::kMessageHeaderSize>(),
                         {.protocol = wire::Protocol::kIsotach,
                          .fragment = wire::kInRun,
                          .length = static_cast<std::uint16_t>(data.size()),
                          .size_or_offset = step});
    out.insert(out.end(), data.begin(), data.end());
    return out;
}

inline Bytes operator+(Bytes front, const Bytes& back) {
    front.insert(front.end(), back.begin(), back.end());
    return front;
}

inline Bytes data(std::uint16_t from, std::uint16_t to, std::uint32_t sequence,
                  std::span<const std::byte> payload, std::uint32_t ack = 0, std::uint32_t credit = 64) {
    return frame({.kind = wire::Kind::kData,
                  .source = from,
                  .destination = to,
                  .sequence = sequence,
                  .ack = ack,
                  .credit = credit},
                 payload);
}

inline Bytes ack(std::uint16_t from, std::uint16_t to, std::uint32_t ack, std::uint32_t credit = 64) {
    return frame({.kind = wire::Kind::kAck, .source = from, .destination = to, .ack = ack, .credit = credit});
}

inline Bytes token(std::uint16_t from, std::uint16_t to, const wire::Token& token,
                   std::vector<wire::TokenEntry> entries = {}) {
    Bytes payload(wire::token_size(entries.size()));
    payload.resize(wire::encode_token(payload, token, entries));
    return frame({.kind = wire::Kind::kToken, .source = from, .destination = to}, payload);
}

/// One that goes along with messages, as a message.
inline Bytes along(std::uint16_t from, std::uint16_t to, std::uint64_t number,
                   const std::vector<wire::TokenEntry>& entries = {}) {
    Bytes body(wire::kTokenOriginSize + wire::token_size(entries.size()));
    wire::encode_token_origin(std::span(body).first<wire::kTokenOriginSize>(),
                              {.epoch = 100U + from, .from = from, .to = to});
    wire::encode_token(std::span(body).subspan(wire::kTokenOriginSize), {.number = number}, entries);
    return message(wire::Protocol::kToken, body);
}
inline Bytes in_short(std::uint64_t number) {
    Bytes body(wire::kShortTokenSize);
    wire::encode_short_token(body.data(), {.number = number});
    return message(wire::Protocol::kToken, body);
}

inline Bytes token(std::uint16_t from, std::uint16_t to, std::uint64_t number,
                   std::vector<wire::TokenEntry> entries = {}) {
    return token(from, to, wire::Token{.number = number}, std::move(entries));
}

}  // namespace isoplane::test
