// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <isoplane/niu/epoch.hh>

namespace isoplane::channel {

/// Defects that tests plant to see that they would be found.
struct Planted {
    bool always_idle = false;       ///< buffers are not busy while they are being sent
    bool forget_drops = false;      ///< messages that are dropped are not counted
    bool ignore_credit = false;     ///< reliable messages are sent without
    bool keep_credit = false;       ///< and what has been received does not bring any back
    bool overwrite_shared = false;  ///< a received packet is sent on though others read it
};

struct Options {
    unsigned channels = 8;  ///< of this node; at most 256
    unsigned slots = 64;    ///< messages of a channel that its user can have in his hands at a time
    unsigned held = 32;     ///< messages that are held for a channel beside those
    unsigned send_buffers = 128;
    /// Smaller messages are copied into a frame that they share, as those to 248 bytes are in any case: a
    /// frame of its own costs more than the copy while two fit one.
    std::size_t copy_below = 640;
    std::uint32_t life = niu::epoch_now();  ///< of this node: another one each time it starts
    Planted planted{};

    /// Messages that are there for one channel, at the most.
    unsigned capacity() const noexcept { return slots + held; }
};

}  // namespace isoplane::channel
