// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <isoplane/niu/dispatcher.hh>

namespace isoplane::noniso {

/// What became of the barrier a node entered last.
enum class BarrierState : std::uint8_t {
    kNone,     ///< it has not entered any
    kRunning,  ///< not all nodes are there
    kComplete,
    kBroken,  ///< a node has died or started again: neither this barrier nor any later one will complete
};

/// What the loss of a node means to the barriers of the others.
enum class Loss : std::uint8_t {
    kBreaks,    ///< them all
    kLeavesOut  ///< them without it: those who are left wait for each other alone
};

/// Barriers of all nodes of a job. Each node tells every other, and has passed when it has heard the same of
/// all of them.
///
/// - Barriers are numbered, so that a fast node may be at the next one before a slow one has left the last.
/// - What a node sent before it entered arrives before the barrier completes.
/// - The messages are urgent: a barrier completes though nobody receives what was sent before.
///
/// Where the lost are left out, those who start again come in at a barrier that is the same for all
/// (doc/protocol.md).
class Barrier final : public niu::Receiver {
  public:
    using NodeId = niu::NodeId;
    using HasLeft = std::function<bool(NodeId)>;

    explicit Barrier(niu::Niu& niu, Loss loss = Loss::kBreaks);
    /// Who is known to have gone before this node came: it does not wait to be told their numbers.
    void count_as_lost(HasLeft has_left) { has_left_ = std::move(has_left); }

    /// Enters the next barrier. False while one is running, and when it is broken.
    bool enter() noexcept;
    /// To be called with every poll of the NIU. Returns whether anything has changed.
    bool poll() noexcept;

    BarrierState state() const noexcept { return state_; }
    /// How many this node has passed.
    std::uint32_t completed() const noexcept;
    /// The node whose loss has broken the barrier.
    NodeId broken_by() const noexcept { return broken_by_; }

    void take(const niu::Received& message) noexcept override;

  private:
    static constexpr std::uint32_t kNothing = UINT32_MAX;

    /// Another node, as far as barriers go.
    struct Member {
        NodeId node = 0;
        std::uint32_t epoch = 0;         ///< of the life in which we have met it
        std::uint32_t told = kNothing;   ///< the last barrier that it knows us at
        std::uint32_t first = kNothing;  ///< where it said first that it is
        std::uint32_t at = 0;            ///< the last barrier in which it need not be waited for
    };
    bool poll_together() noexcept;
    bool poll_with_who_is_left() noexcept;
    bool tend(Member& member) noexcept;
    bool is_gone(const Member& member) const noexcept;
    bool take_place() noexcept;
    bool lost(Member& member) noexcept;
    bool tell(Member& member) noexcept;

    niu::Niu& niu_;
    Loss loss_;
    HasLeft has_left_;
    std::vector<Member> members_;
    std::vector<Member*> by_node_;  ///< nullptr for this node
    std::size_t next_ = 0;          ///< of the members, to be tended
    bool placed_;                   ///< it knows what numbers the others count
    std::uint32_t number_ = 0;      ///< of the last barrier, counted as the others do
    std::uint32_t entered_ = 0;     ///< barriers
    BarrierState state_ = BarrierState::kNone;
    NodeId broken_by_ = 0;
};

}  // namespace isoplane::noniso
