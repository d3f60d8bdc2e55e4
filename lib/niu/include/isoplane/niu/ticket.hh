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

/// Says which large message, to whoever took it; or, being false, why it was not taken. It is copied as soon
/// as it has been made, after the message has been written: so it is words that are stored as they are
/// loaded. A load wider than the stores before it waits until all of those have left the core.
class Ticket {
  public:
    Ticket() = default;
    /// `last` of what is numbered in that epoch of the receiver is the last that belongs to the message.
    Ticket(std::uint16_t to, std::uint32_t epoch, Sequence last) noexcept
        : number_(std::uint64_t{epoch} << 32 | last), place_(to) {}
    Ticket(std::uint16_t to, Refusal why) noexcept
        : place_(static_cast<std::uint32_t>(why) << kRefusalAt | to) {}

    std::uint16_t to() const noexcept { return static_cast<std::uint16_t>(place_); }
    std::uint32_t epoch() const noexcept { return static_cast<std::uint32_t>(number_ >> 32); }
    Sequence last() const noexcept { return static_cast<Sequence>(number_); }
    Refusal refusal() const noexcept { return static_cast<Refusal>(place_ >> kRefusalAt); }

    /// Not explicit, so that a function which says whether it has sent can return it.
    operator bool() const noexcept { return refusal() == Refusal::kNone; }

  private:
    static constexpr unsigned kRefusalAt = 16;

    std::uint64_t number_ = 0;
    std::uint32_t place_ = 0;
};

/// How far what is numbered has come in the lives of one peer: the last that is over, and the one that lasts.
struct Progress {
    std::uint32_t epoch = 0;
    Sequence arrived = 0;     ///< those before it have
    Sequence sent = 0;        ///< those before it are in frames
    std::uint32_t ended = 0;  ///< the epoch of the life that is over
    Sequence ended_at = 0;    ///< in it, those before this had arrived

    TransferState of(const Ticket& ticket) const noexcept {
        if (ticket.epoch() == ended)
            return before(ticket.last(), ended_at) ? TransferState::kArrived : TransferState::kLost;
        if (ticket.epoch() != epoch) return TransferState::kLost;
        if (before(ticket.last(), arrived)) return TransferState::kArrived;
        return before(ticket.last(), sent) ? TransferState::kSent : TransferState::kWaiting;
    }
};

}  // namespace isoplane::niu
