// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Messages in logical time: isochrons, and what the group of all hosts does.
///
/// An isochron is a multicast that is executed at one logical time wherever it goes. All hosts execute what
/// reaches them in one total order, each host's isochrons in the order in which it issued them, and nothing
/// before what it was caused by.
///
///     isotach::Isochron isochron = isotach.isochron();
///     isochron.add(1, bytes);
///     isochron.add(2, others);
///     while (!isotach.send(isochron)) …poll…
///     for (isotach::Delivery d; isotach.receive(d); isotach.release(d)) …d.time, d.data…
///
/// Everything is called by the thread that polls; nothing waits. doc/isotach.md has the whole.
#pragma once

#include <array>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/wire/isotach.hh>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include <isoplane/isotach/delivery.hh>
#include <isoplane/isotach/group.hh>
#include <isoplane/isotach/isochron.hh>
#include <isoplane/isotach/ordering.hh>

namespace isoplane::isotach {

/// Defects that tests plant to see that they would be found.
struct Planted {
    bool piecemeal = false;        ///< sends the parts of an isochron that there is credit for
    bool markers_at_once = false;  ///< executes own messages without waiting for their isochron
};

struct Options {
    unsigned most_outstanding = 1024;  ///< isochrons of this host that have not been executed here
    Planted planted{};
};

struct Counters {
    using Counter = runtime::Counter;

    Counter isochrons;        ///< issued
    Counter messages_sent;    ///< parts of isochrons, to this host too
    Counter executed;         ///< messages, in order
    Counter pulses;           ///< executed
    Counter held_back;        ///< times that an isochron had to wait for credit, room or its predecessors
    Counter copied_bytes;     ///< of short messages, which share frames
    Counter out_of_sequence;  ///< messages that were not the next of their host
    Counter malformed;        ///< messages that no host sends
};

class Isotach final : public niu::Receiver {
  public:
    /// `niu`, `siu` and `pool` outlive it. Their dispatcher hands it the messages of
    /// wire::Protocol::kIsotach.
    Isotach(niu::Niu& niu, siu::Siu& siu, runtime::Pool& pool, Options options = {});
    ~Isotach() override;
    Isotach(const Isotach&) = delete;
    Isotach& operator=(const Isotach&) = delete;

    /// After each poll of the NIU and its dispatcher. Returns how much it has moved.
    unsigned poll(runtime::Time now) noexcept;

    // Isochrons.

    Isochron isochron() noexcept { return Isochron(pool_); }
    /// Issues the isochron, whole, and empties it. False, and nothing is done, when it cannot go now: credit
    /// or room is missing at one of its hosts, or too many are outstanding. What is in an isochron for hosts
    /// that are lost never goes: state() at the NIU tells.
    bool send(Isochron& isochron) noexcept;
    /// Whether it could go when nothing else is under way. What is not up fits nothing; nor does more to one
    /// host than its credit, or a message above max_message().
    bool fits(const Isochron& isochron) noexcept;
    /// The largest message that fits a frame to that host; 0 before it is up.
    std::size_t max_message(NodeId to) const noexcept;
    /// The number that the next isochron of this host gets.
    std::uint32_t next_isochron() const noexcept { return next_isochron_; }
    /// Own isochrons that have not been executed here.
    std::uint32_t outstanding() const noexcept { return outstanding_; }
    /// The pulse that the last isochron to others was stamped with.
    Pulse last_stamp() const noexcept { return siu_.last_stamp(); }

    // Signals and barriers; false for a channel that there is not, or that is not joined.

    static constexpr unsigned kResetSignal = 0;
    bool register_signal(unsigned channel) noexcept;
    bool clear_signal(unsigned channel) noexcept;
    bool send_signal(unsigned channel) noexcept;

    bool join_barrier(unsigned channel, BarrierMode mode) noexcept;
    bool leave_barrier(unsigned channel) noexcept;
    /// Also false while this host waits in that barrier.
    bool enter_barrier(unsigned channel) noexcept;
    BarrierState barrier(unsigned channel) const noexcept { return barriers_[channel].state; }
    BarrierMode barrier_mode(unsigned channel) const noexcept { return barriers_[channel].mode; }
    /// The clock at which the last of these is done: all hosts learn of it the greatest distance later.
    Pulse acted_at() const noexcept { return acted_at_; }

    // What is executed.

    /// The next in logical time. False when there is none yet.
    bool receive(Delivery& delivery) noexcept;
    /// When the user is done with a message; in any order.
    void release(const Delivery& delivery) noexcept;
    /// Whether receive() would find one.
    bool waiting() const noexcept { return !deliveries_.empty(); }

    /// Frees what has not been received. Returns how many packets that were.
    std::size_t discard() noexcept;

    void describe(nlohmann::json& out) const;
    const Counters& counters() const noexcept { return counters_; }
    const Ordering& ordering() const noexcept { return ordering_; }
    siu::Siu& siu() noexcept { return siu_; }

    void take(const niu::Received& message) noexcept override;

  private:
    /// What an isochron takes of one host's credit.
    struct Need {
        std::uint64_t round = 0;  ///< the isochron that this is about
        std::size_t room = 0;     ///< left in the frame that is open, or would be
        unsigned frames = 0;      ///< new ones
        unsigned ready = 0;       ///< of them, packets that there are
    };
    struct Barrier {
        BarrierState state = BarrierState::kApart;
        BarrierMode mode = BarrierMode::kStrong;
        unsigned leaving = 0;  ///< own acts of leaving it that are not executed
    };
    struct Stamp {
        Pulse pulse = 0;
        std::uint32_t rank = 0;  ///< of the next message in it
    };

    bool find_needs(const Isochron& isochron, bool with_open) noexcept;
    bool needs_are_met() noexcept;
    bool hold_packets(Isochron& isochron) noexcept;
    void issue(Isochron& isochron) noexcept;
    void issue_to_self(Isochron& isochron) noexcept;
    void issue_own(Isochron::Part& part, std::uint32_t number) noexcept;
    void send_part(Isochron::Part& part, std::span<const std::byte> bytes,
                   const wire::IsotachHeader& header) noexcept;
    bool send_piecemeal(Isochron& isochron) noexcept;
    void execute(NodeId host, const Waiting& what) noexcept;
    void end_pulse(Pulse pulse) noexcept;
    void act(std::uint32_t word) noexcept;

    niu::Niu& niu_;
    siu::Siu& siu_;
    runtime::Pool& pool_;
    Options options_;
    NodeId here_;
    Ordering ordering_;
    Group group_;
    runtime::Fifo<Delivery> deliveries_;

    std::uint64_t round_ = 0;
    std::vector<Need> needs_;            ///< by host, of the isochron being sent
    std::vector<NodeId> needed_;         ///< those of it
    std::vector<std::uint32_t> counts_;  ///< by host: messages sent there in all
    Stamp stamp_;
    Stamp after_;  ///< for isochrons of this host to itself alone
    std::uint32_t next_isochron_ = 0;
    std::uint32_t outstanding_ = 0;
    std::uint32_t signals_ = 0;  ///< registered
    Pulse acted_at_ = 0;
    std::array<Barrier, wire::kBarrierChannels> barriers_{};
    Counters counters_;
};

}  // namespace isoplane::isotach
