// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The switch interface unit: keeps logical time at a host.
///
/// - The clock is the number of tokens sent. What is sent at clock t over distance d is executed in pulse
///   t + d.
/// - Token m from the token manager ends pulse m: whatever is to be executed in it has been announced by
///   then, and what has been announced is waited for, so it does not matter by which way or how late it
///   comes. For the same reason the clock need not stand still while an isochron goes out.
/// - While nobody wants time to go on, tokens are answered ever more slowly.
#pragma once

#include <isoplane/runtime/fifo.hh>
#include <isoplane/tm/token_exchange.hh>
#include <isoplane/topology/paths.hh>

namespace isoplane::siu {

using niu::NodeId;
using runtime::Duration;
using runtime::Time;
using Pulse = std::uint64_t;

struct SiuOptions {
    tm::ExchangeOptions exchange{};  ///< node, neighbours and reach are set by the SIU
    Duration pulse_interval{0};      ///< between two tokens, at least
    /// How long tokens are still answered at once when time is not wanted any more: more than it takes to
    /// answer a message.
    Duration linger = std::chrono::microseconds{100};
    /// How long a token is held back then, at first and at the most.
    Duration first_pause = std::chrono::microseconds{50};
    Duration longest_pause = std::chrono::milliseconds{50};
    bool no_counts = false;  ///< a defect that tests plant: announces nothing
};

/// How many messages another host has sent here in all by the end of a pulse.
struct Announcement {
    Pulse pulse = 0;
    NodeId source = 0;
    std::uint32_t count = 0;
};

/// What a host does in the group, and the pulse at whose end all hosts learn of it.
struct GroupAct {
    Pulse pulse = 0;
    NodeId source = 0;
    std::uint32_t word = 0;
};

class Siu final : public tm::TokenExchange {
  public:
    /// For the host niu.options().node of the topology, which outlives it as `niu` does.
    Siu(niu::Niu& niu, const topology::Paths& paths, SiuOptions options = {});

    /// The token manager runs in this process: then a token need not go before all others are there. To go
    /// earlier brings nobody anything, but puts the clock ahead, and with it the pulse of what is sent.
    void set_beside(const tm::TokenExchange* manager) noexcept { beside_ = manager; }

    /// The token manager has answered: there is a time to send at.
    bool started() const noexcept { return complete() != 0; }
    Pulse clock() const noexcept { return sent(); }
    /// The last pulse that has ended, as far as announcements go.
    Pulse ended() const noexcept { return complete(); }

    Pulse distance(NodeId to) const noexcept { return distances_[to]; }
    const std::vector<Pulse>& distances() const noexcept { return distances_; }  ///< by host
    Pulse greatest_distance() const noexcept { return greatest_distance_; }

    /// The pulse in which an isochron that goes now over that distance is executed: never before one that
    /// went earlier.
    Pulse stamp(Pulse distance) noexcept { return last_stamp_ = std::max(last_stamp_, clock() + distance); }
    Pulse last_stamp() const noexcept { return last_stamp_; }

    /// So many messages have been sent there in all: goes with the next token.
    void announce(NodeId to, std::uint32_t count) noexcept;
    /// Tells all hosts, this one included, at one logical time: the greatest distance after the clock that is
    /// returned, which is the present one unless other acts go before.
    Pulse act(std::uint32_t group_word) noexcept;
    /// Acts that have not gone with a token yet.
    bool acting() const noexcept { return !to_do_.empty(); }

    /// What tokens have announced, in order of the pulses.
    runtime::Fifo<Announcement>& announcements() noexcept { return announcements_; }
    /// The next act in the group that all hosts learn of by the end of `pulse`, in order of (pulse, host).
    bool next_act(Pulse pulse, GroupAct& act) noexcept;
    /// There are acts that not all hosts have learned of.
    bool acts_waiting() const noexcept { return !acts_.empty(); }

    /// Whether time is wanted: from now on, until it is not.
    void want(bool wanted) noexcept;

  private:
    void on_complete(std::uint64_t number) noexcept override;
    bool may_send() noexcept override;
    void fill(std::uint64_t number, std::size_t neighbour, Entries& entries) noexcept override;
    std::uint8_t wanted() noexcept override { return wanted_ ? options().reach : std::uint8_t{0}; }
    void on_wanted(std::size_t neighbour, std::uint8_t hops) noexcept override;
    bool on_restart(NodeId neighbour) noexcept override;

    SiuOptions own_;
    std::vector<Pulse> distances_;  ///< by host
    Pulse greatest_distance_;
    Pulse last_stamp_ = 0;
    Entries pending_;                        ///< counts for the next token
    std::vector<std::uint32_t> pending_at_;  ///< by host: where in pending_, if there
    std::vector<std::uint32_t> to_do_;       ///< own acts; one goes with each token
    std::vector<GroupAct> acts_;             ///< a heap, the earliest first
    runtime::Fifo<Announcement> announcements_;
    const tm::TokenExchange* beside_ = nullptr;
    bool wanted_ = false;
    Time prompt_until_{};
    Duration pause_;
};

}  // namespace isoplane::siu
