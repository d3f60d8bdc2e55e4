// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <compare>
#include <cstdint>

namespace isoplane::isotach {

/// Where in a pulse something is executed.
enum class Place : std::uint8_t {
    kWithin,  ///< a message, in the order of (host, rank) of its issuer
    kEnd,     ///< a signal or a barrier: after all messages of the pulse
    kAfter,   ///< a message of a host to itself alone, which had nothing to wait for: before the next pulse
};

/// When something is executed. What two hosts execute at the same pulse, host and rank belongs together.
struct LogicalTime {
    std::uint64_t pulse = 0;
    Place place = Place::kWithin;
    std::uint16_t host = 0;  ///< that issued it
    std::uint32_t rank = 0;  ///< among what that host has in this place of the pulse

    auto operator<=>(const LogicalTime&) const = default;
};

}  // namespace isoplane::isotach
