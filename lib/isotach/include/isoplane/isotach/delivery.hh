// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <isoplane/niu/niu.hh>
#include <isoplane/wire/isotach.hh>
#include <span>

#include <isoplane/isotach/logical_time.hh>
#include <isoplane/isotach/payload.hh>

namespace isoplane::isotach {

enum class DeliveryKind : std::uint8_t {
    kMessage,
    kSignal,   ///< somebody has sent the signal of that channel
    kBarrier,  ///< the barrier of that channel is complete
    kLeft,     ///< the host of that number, `channel`, takes part in logical time no more
    kJoined,   ///< it takes part from now on, and knows nothing of what was before
};

/// Of an empty message of a host to itself.
inline constexpr niu::FrameTable::Id kNoFrame = UINT32_MAX;

/// What a host executes next. The data of a message is where it was received, until it is released.
///
/// A line of the cache: that is what waits for its pulse, too, and is moved from one queue to the next.
struct Delivery {
    DeliveryKind kind = DeliveryKind::kMessage;
    wire::Operation operation = wire::Operation::kMessage;  ///< what a message is to do
    std::uint16_t channel = 0;  ///< of a signal or barrier; of kLeft and kJoined the host
    /// Of the issuer's, which time.host is; each host counts its own from 0. Of a barrier: how often this
    /// host had entered it. Of a signal: how often it had registered it. Of kLeft and kJoined: the view.
    std::uint32_t isochron = 0;
    LogicalTime time{};
    std::span<const std::byte> data{};

    niu::FrameTable::Id frame = 0;  ///< that holds the data, or kNoFrame where there is none...
    rte_mbuf* own = nullptr;        ///< ...or the packet, of a message of a host to itself...
    Payload* payload = nullptr;     ///< ...or what did not fit a frame
};
static_assert(sizeof(Delivery) == 64);

}  // namespace isoplane::isotach
