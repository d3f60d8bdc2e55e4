// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <string>
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
class Barrier final : public niu::Receiver {
  public:
    using NodeId = niu::NodeId;

    explicit Barrier(niu::Niu& niu, Loss loss = Loss::kBreaks);

    /// Enters the next barrier. False while one is running, and when it is broken.
    bool enter() noexcept;
    /// To be called with every poll of the NIU. Returns whether anything has changed.
    bool poll() noexcept;

    BarrierState state() const noexcept { return state_; }
    /// How many have completed.
    std::uint32_t completed() const noexcept;
    /// The node whose loss has broken the barrier.
    NodeId broken_by() const noexcept { return broken_by_; }

    void take(const niu::Received& message) noexcept override;

  private:
    /// Another node, as far as barriers go.
    struct Member {
        NodeId node = 0;
        std::uint32_t epoch = 0;  ///< of the life in which it entered the first of our barriers
        std::uint32_t first = 0;  ///< of our barriers that it takes part in, if it has started again
        std::uint32_t told = 0;   ///< the last barrier that it knows us at
        std::uint32_t at = 0;     ///< the last barrier that we know it at
    };
    void meet(Member& member) noexcept;
    bool lost(Member& member) noexcept;
    bool tell(Member& member) noexcept;

    niu::Niu& niu_;
    Loss loss_;
    std::vector<Member> members_;
    std::vector<Member*> by_node_;  ///< nullptr for this node
    std::uint32_t number_ = 0;
    BarrierState state_ = BarrierState::kNone;
    NodeId broken_by_ = 0;
};

}  // namespace isoplane::noniso
