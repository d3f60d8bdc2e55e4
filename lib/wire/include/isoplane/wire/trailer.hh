// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What stands behind a frame's payload where a job authenticates its frames: who has sealed it, under which
/// number, and the tag over all of it.
///
/// A receiver that does not authenticate sees padding. One that does believes nothing in front of the trailer
/// but where it begins, before the tag has held; lib/auth says how it is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <isoplane/wire/byte_order.hh>
#include <isoplane/wire/ethernet.hh>

namespace isoplane::wire {

inline constexpr std::size_t kTrailerSize = 48;
inline constexpr std::size_t kTagSize = 16;

namespace trailer_layout {
using Born = Field<std::uint64_t, 0>;  ///< the sealing node, 16 bits, and when its life began, 48
using Salt = Field<std::uint64_t, 8>;  ///< of that life, random
using Number =
    Field<std::uint64_t, 16>;  ///< of the frame in that life; its upper half is the key's generation
using Proof = Field<std::uint64_t, 24>;  ///< that who knows the secret has begun that life, and generation
inline constexpr std::size_t kTag = 32;  ///< over the frame, and the trailer up to here
static_assert(kTag == Proof::kEnd && kTag + kTagSize == kTrailerSize);
}  // namespace trailer_layout

/// A trailer in host order.
struct Trailer {
    std::uint64_t born = 0;
    std::uint64_t salt = 0;
    std::uint64_t number = 0;
    std::uint64_t proof = 0;

    std::uint16_t station() const noexcept { return static_cast<std::uint16_t>(born >> 48); }
    std::uint64_t started() const noexcept { return born & 0xffff'ffff'ffffU; }  ///< ms since 1970
    std::uint32_t generation() const noexcept { return static_cast<std::uint32_t>(number >> 32); }

    bool operator==(const Trailer&) const = default;
};

Trailer read_trailer(const std::byte* at) noexcept;
void write_trailer(std::byte* at, const Trailer& trailer) noexcept;  ///< all but the tag

/// The bytes of a packet up to the end of the payload that its frame announces: where its trailer begins, or
/// would. Nothing when it is no frame in that envelope, or shorter than it says. Looks at no CRC.
std::optional<std::size_t> end_of_payload(std::span<const std::byte> packet,
                                          const Encapsulation& encapsulation) noexcept;

/// Has IPv4 and UDP tell `size` bytes of frame, which the packet at `packet` has behind them.
void stretch_datagram(std::byte* packet, std::size_t size) noexcept;

/// What a capture shows of a frame that seems to have a trailer: exactly so many bytes, where padding could
/// not be. `behind` is what follows the payload, in a packet of `packet_size` bytes.
inline bool may_be_trailer(std::span<const std::byte> behind, std::size_t packet_size) noexcept {
    return behind.size() == kTrailerSize && packet_size > kMinEthernetFrame;
}

}  // namespace isoplane::wire
