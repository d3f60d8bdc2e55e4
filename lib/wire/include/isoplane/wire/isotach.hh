// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The extension in front of isotach messages: their place in logical time. Those in a run (run.hh) have
/// none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <isoplane/wire/byte_order.hh>

namespace isoplane::wire {

inline constexpr std::size_t kIsotachSize = 24;

namespace isotach_layout {
using Pulse = Field<std::uint64_t, 0>;
using Host = Field<std::uint16_t, 8>;
using Flags = Field<std::uint8_t, 10>;
using Operation = Field<std::uint8_t, 11>;
using Rank = Field<std::uint32_t, 12>;
using Isochron = Field<std::uint32_t, 16>;
using Count = Field<std::uint32_t, 20>;
static_assert(Count::kEnd == kIsotachSize);
}  // namespace isotach_layout

/// What a message in logical time is to do.
enum class Operation : std::uint8_t {
    kMessage = 0,       ///< reaches the program
    kAccesses = 1,      ///< of shared memory: access.hh
    kMoreAccesses = 2,  ///< the same, and others of its isochron follow
    kMarker = 3,        ///< of a host to itself: what its isochron does there is executed now
};

/// Where a host has copies of what is shared: the issuer need not know whether it takes part.
constexpr bool is_of_copies(Operation operation) {
    return operation == Operation::kAccesses || operation == Operation::kMoreAccesses;
}

/// Receivers execute messages in the order of (pulse, host, rank).
struct IsotachHeader {
    std::uint64_t pulse = 0;  ///< logical receive time, the same for all parts of an isochron
    std::uint16_t host = 0;  ///< issuer; not the frame's source when a survivor hands a dead host's part over
    std::uint8_t flags = 0;
    Operation operation = Operation::kMessage;
    std::uint32_t rank = 0;      ///< order among the issuer's messages of the pulse
    std::uint32_t isochron = 0;  ///< which of the issuer's isochrons this is a part of
    std::uint32_t count = 0;  ///< isotach messages the issuer has sent to this destination, this one included

    bool operator==(const IsotachHeader&) const = default;
};
static_assert(sizeof(IsotachHeader) == kIsotachSize);

// Flags of an isotach message: what stands behind the extension.

/// The clock at which it was issued, in front of the data: its receiver is to check its stamp.
inline constexpr std::uint8_t kIsotachClocked = 0x40;
using IsotachClock = Field<std::uint64_t, 0>;
inline constexpr std::size_t kIsotachClockSize = IsotachClock::kEnd;

/// Not a message of an isochron: behind it comes nothing of the view before; `pulse` is the base of the next.
/// Its data is the acts of its sender that others may not know: a pulse and a group word each.
inline constexpr std::uint8_t kIsotachFlush = 0x20;
using FlushPulse = Field<std::uint64_t, 0>;
using FlushWord = Field<std::uint32_t, 8>;
inline constexpr std::size_t kFlushActSize = FlushWord::kEnd;

/// Not a message of an isochron either: how things stand at the end of `pulse`, for a host that joins there,
/// in view `isochron`. That is a byte of bits for each node; then the view for each that joins there: `count`
/// bytes in all. The data is a part of them, which begins at `rank`; the parts come in their order.
inline constexpr std::uint8_t kIsotachHandover = 0x10;
inline constexpr std::uint8_t kHandoverPresent = 0x01;  ///< takes part in logical time
inline constexpr std::uint8_t kHandoverJoins = 0x02;    ///< from this pulse on
constexpr std::uint8_t handover_joined(unsigned channel) {
    return static_cast<std::uint8_t>(0x10U << channel);
}
constexpr std::uint8_t handover_entered(unsigned channel) {
    return static_cast<std::uint8_t>(0x40U << channel);
}
inline constexpr std::size_t kHandoverViewSize = 4;

/// In place of the data the size of a payload, which follows apart, by Protocol::kPayload. The payloads of a
/// host come in the order of these pointers.
inline constexpr std::uint8_t kIsotachPointer = 0x80;
using PayloadSize = Field<std::uint32_t, 0>;
inline constexpr std::size_t kPointerSize = PayloadSize::kEnd;

/// The host of an extension, where it stands in its second word.
constexpr std::uint64_t host_in_isotach(std::uint16_t host) {
    return std::uint64_t{host} << 48;
}

/// Writes the extension but for its host, which is given as above: who sends has it ready, as a host that a
/// CPU has put aside in two bytes to read it back as a word would have to wait for all stores so far. The
/// message's data is to follow it. In words, so that a CRC which reads it at once need not wait.
inline void encode_isotach(std::span<std::byte, kIsotachSize> out, std::uint64_t host,
                           const IsotachHeader& header) {
    static_assert(isotach_layout::Pulse::kOffset == 0 && isotach_layout::Host::kOffset == 8 &&
                  isotach_layout::Flags::kOffset == 10 && isotach_layout::Operation::kOffset == 11 &&
                  isotach_layout::Rank::kOffset == 12 && isotach_layout::Isochron::kOffset == 16 &&
                  isotach_layout::Count::kOffset == 20);
    using Words = std::uint64_t;
    Field<Words, 0>::put(out.data(), header.pulse);
    Field<Words, 8>::put(out.data(), host | Words{header.flags} << 40 |
                                         Words{static_cast<std::uint8_t>(header.operation)} << 32 |
                                         header.rank);
    Field<Words, 16>::put(out.data(), Words{header.isochron} << 32 | header.count);
}
inline void encode_isotach(std::span<std::byte, kIsotachSize> out, const IsotachHeader& header) {
    encode_isotach(out, host_in_isotach(header.host), header);
}

/// Reads the extension. The body of an ordered message that is not in a run always has one:
/// `body.first<kIsotachSize>()`.
inline IsotachHeader decode_isotach(std::span<const std::byte, kIsotachSize> in) {
    return {.pulse = isotach_layout::Pulse::get(in.data()),
            .host = isotach_layout::Host::get(in.data()),
            .flags = isotach_layout::Flags::get(in.data()),
            .operation = static_cast<Operation>(isotach_layout::Operation::get(in.data())),
            .rank = isotach_layout::Rank::get(in.data()),
            .isochron = isotach_layout::Isochron::get(in.data()),
            .count = isotach_layout::Count::get(in.data())};
}

/// Whether it is of that host, and without flags.
inline bool is_plain_of(std::uint16_t host, const std::byte* in) {
    static_assert(isotach_layout::Host::kOffset == 8 && isotach_layout::Flags::kOffset == 10 &&
                  isotach_layout::Operation::kOffset == 11);
    return Field<std::uint32_t, 8>::get(in) >> 8 == std::uint32_t{host} << 8;
}

/// Member by member. One that was just decoded would be read as a whole after it was written in parts, and
/// such a load waits until all stores before it have left the CPU.
inline void assign(IsotachHeader& to, const IsotachHeader& from) {
    to.pulse = from.pulse;
    to.host = from.host;
    to.flags = from.flags;
    to.operation = from.operation;
    to.rank = from.rank;
    to.isochron = from.isochron;
    to.count = from.count;
}

}  // namespace isoplane::wire
