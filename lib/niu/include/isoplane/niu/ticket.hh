// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>

#include <isoplane/niu/sequence.hh>

namespace isoplane::niu {

/// Why a large message was not taken.
enum class Refusal : std::uint8_t {
    kNone,
    kFull,      ///< enough wait for that peer already, or others have their turn: poll, and try again
    kNotUp,     ///< the peer is not up; its state says whether it will be
    kClosing,   ///< this node is leaving the job
    kTooLarge,  ///< 4 GB or more
};

/// What has become of a large message.
enum class TransferState : std::uint8_t {
    kWaiting,  ///< not all of it is in frames: its memory has to stay as it is
    kSent,     ///< all of it is in frames
    kArrived,  ///< and at its receiver, who has all of it or will find it there
    kLost,     ///< with its peer; some of it may have arrived
};

/// Says which large message, to whoever took it; or, being false, why it was not taken.
struct Ticket {
    Refusal refusal = Refusal::kNone;
    std::uint16_t to = 0;
    std::uint32_t epoch = 0;  ///< of the receiver
    Sequence last = 0;        ///< of what is numbered in that epoch, the last that belongs to the message

    /// Not explicit, so that a function which says whether it has sent can return it.
    operator bool() const noexcept { return refusal == Refusal::kNone; }
};

/// How far what is numbered has come in the lives of one peer: the last that is over, and the one that lasts.
struct Progress {
    std::uint32_t epoch = 0;
    Sequence arrived = 0;     ///< those before it have
    Sequence sent = 0;        ///< those before it are in frames
    std::uint32_t ended = 0;  ///< the epoch of the life that is over
    Sequence ended_at = 0;    ///< in it, those before this had arrived

    TransferState of(const Ticket& ticket) const noexcept {
        if (ticket.epoch == ended)
            return before(ticket.last, ended_at) ? TransferState::kArrived : TransferState::kLost;
        if (ticket.epoch != epoch) return TransferState::kLost;
        if (before(ticket.last, arrived)) return TransferState::kArrived;
        return before(ticket.last, sent) ? TransferState::kSent : TransferState::kWaiting;
    }
};

}  // namespace isoplane::niu
