// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <cstdint>
#include <isoplane/runtime/counter.hh>

namespace isoplane::channel {

/// Why a message that came was dropped.
enum class Drop : std::uint8_t {
    kFull,        ///< the channel held as many as it can
    kClosed,      ///< its user gave the channel back without having received it
    kBadType,     ///< not of this API
    kBadSubtype,  ///< of this API, but nothing that it knows
    kBadChannel,  ///< for a channel that there is not
    kMalformed,   ///< too short, or too long to fit a frame
};
inline constexpr std::size_t kDrops = 6;

/// Every message to a channel that there is, is received or dropped once, or still waits.
struct Counters {
    runtime::Counter sent;
    runtime::Counter sent_reliable;  ///< of those, the ones with credit
    runtime::Counter sent_as_is;     ///< of those, the ones that were not copied
    runtime::Counter received;       ///< by users
    std::array<runtime::Counter, kDrops> dropped;
    runtime::Counter copied_bytes;

    std::uint64_t drops(Drop why) const noexcept { return dropped[static_cast<std::size_t>(why)].get(); }
};

}  // namespace isoplane::channel
