// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Well-formed packets of every kind, for the unit tests, the fuzzer's corpus and the dissector's capture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <isoplane/wire/datagram.hh>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/isotach.hh>
#include <isoplane/wire/message.hh>
#include <isoplane/wire/stream_header.hh>

namespace isoplane::wire::samples {

using Bytes = std::vector<std::byte>;

inline constexpr std::uint32_t kJobKey = 0x1509ace5;
inline constexpr std::uint16_t kNodeCount = 8;
inline constexpr std::uint16_t kSource = 3;
inline constexpr std::uint16_t kDestination = 5;

/// What the node that the samples are sent to expects.
Expect expect(Transport transport = Transport::kEthernet);

/// A header from kSource to kDestination with a distinct value in each field.
Header header(Kind kind);

/// The data frames that go from kSource to kDestination, and what is in front of them in UDP.
StreamHeader stream(Transport transport = Transport::kEthernet);
Datagram datagram();

/// The payload in a sealed frame in an envelope, padded to Ethernet's minimum.
Bytes packet(Header header, std::span<const std::byte> payload, Transport transport = Transport::kEthernet);

/// A message with its header; `size_or_offset` as a whole message has it.
Bytes message(Protocol protocol, std::span<const std::byte> body);
Bytes message(MessageHeader header, std::span<const std::byte> body);

/// An isotach extension with `data` behind it.
Bytes isotach_body(std::span<const std::byte> data);
IsotachHeader isotach_header();

/// `size` bytes counting up from 0.
Bytes counting(std::size_t size);

struct Sample {
    std::string name;
    Kind kind;
    Bytes packet;
};

/// One packet or more of each kind.
std::vector<Sample> all(Transport transport);

/// Makes the CRCs of a changed frame right again, as far as it is long enough to have them.
void reseal(std::span<std::byte> frame);

}  // namespace isoplane::wire::samples
