// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Why a frame was refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace isoplane::wire {

/// One value per reason, dense from 0, so that `std::array<std::uint64_t, kRejectCount>` counts them. They
/// are listed in the order in which decode() tests for them; a frame has the first that applies.
enum class Reject : std::uint8_t {
    kNone,              ///< accepted
    kNotOurs,           ///< another EtherType, IP protocol or UDP port: somebody else's traffic, not an error
    kShortFrame,        ///< ends within the Ethernet, IP, UDP or frame header
    kBadEncapsulation,  ///< IPv4 options, fragment, checksum or lengths of IP and UDP that disagree
    kBadVersion,        ///< a version of the format this code does not speak
    kBadHeaderCrc,      ///< header damaged on its way
    kBadKind,           ///< no such kind
    kBadFlags,          ///< a flag bit that has no meaning
    kBadKey,            ///< of another job
    kBadSource,         ///< no such node, or this one
    kBadDestination,    ///< for another node, or broadcast of a kind that never is
    kBadLength,         ///< more payload announced than the frame holds
    kBadPayloadCrc,     ///< payload damaged on its way
    kBadBody,           ///< payload that is not what its kind requires
};

inline constexpr std::size_t kRejectCount = static_cast<std::size_t>(Reject::kBadBody) + 1;

/// The reason as counters and logs name it, for example "bad_header_crc".
std::string_view name(Reject reason);

}  // namespace isoplane::wire
