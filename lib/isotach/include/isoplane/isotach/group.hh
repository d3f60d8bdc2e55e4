// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <cstdint>
#include <isoplane/niu/options.hh>
#include <isoplane/wire/token.hh>
#include <vector>

namespace isoplane::isotach {

using niu::NodeId;

/// Barriers that hosts join and leave. A strong one completes only when everything that its participants had
/// issued before they entered has been executed. Here that costs nothing: what a host does in the group takes
/// the greatest distance, so all that it had issued before is executed by then; and so a weak barrier does
/// the same.
enum class BarrierMode : std::uint8_t { kWeak, kStrong };

/// How this host stands to a barrier.
enum class BarrierState : std::uint8_t {
    kApart,    ///< not joined
    kHolding,  ///< joined; may enter
    kEntered,  ///< waits for the others
};

/// Who has joined which barrier and who has entered it. All hosts learn of what a host does in the group at
/// one logical time, and so agree on who has joined, and on the pulse in which a barrier is complete.
class Group {
  public:
    explicit Group(std::size_t hosts) : members_(hosts) {}

    /// What `host` has done, in the order in which all hosts learn of it.
    void apply(NodeId host, std::uint32_t word) noexcept;
    /// It has left all barriers, as it has left logical time.
    void remove(NodeId host) noexcept { apply(host, wire::group_leave(0) | wire::group_leave(1)); }
    bool has_entered(NodeId host, unsigned channel) const noexcept { return members_[host].entered[channel]; }
    /// At the end of a pulse: whether all that have joined the barrier have entered it. Then they all may
    /// enter again.
    bool completes(unsigned channel) noexcept;
    /// The signals that were sent in the pulse.
    std::uint32_t take_signals() noexcept;

    /// How a host stands to the barriers, in bits of wire::handover_joined() and handover_entered().
    std::uint8_t standing(NodeId host) const noexcept;
    /// The same, of a host of which nothing is known yet.
    void take_over(NodeId host, std::uint8_t standing) noexcept;

  private:
    struct Member {
        std::array<bool, wire::kBarrierChannels> joined{};
        std::array<bool, wire::kBarrierChannels> entered{};
    };
    struct Count {
        unsigned joined = 0;
        unsigned entered = 0;
    };

    std::vector<Member> members_;
    std::array<Count, wire::kBarrierChannels> counts_{};
    std::uint32_t signals_ = 0;
};

}  // namespace isoplane::isotach
