// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_prefetch.h>

#include <algorithm>
#include <array>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/runtime/poll_watch.hh>
#include <isoplane/wire/isotach.hh>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include <isoplane/isotach/endpoint.hh>
#include <isoplane/isotach/needs.hh>
#include <isoplane/isotach/options.hh>
#include <isoplane/isotach/ordering.hh>
#include <isoplane/isotach/paranoid.hh>
#include <isoplane/isotach/payloads.hh>
#include <isoplane/isotach/survival.hh>

namespace isoplane::isotach {

struct Counters {
    using Counter = runtime::Counter;

    Counter isochrons;        ///< issued, as of the last poll
    Counter further_parts;    ///< of isochrons, each of which has one at least
    Counter executed;         ///< messages, in order
    Counter pulses;           ///< executed
    Counter held_back;        ///< times that an isochron had to wait for credit, room or its predecessors
    Counter copied_bytes;     ///< on their way into frames, packets or payloads
    Counter out_of_sequence;  ///< messages that were not the next of their host
    Counter malformed;        ///< messages that no host sends

    /// Parts of isochrons, to this host too.
    std::uint64_t messages_sent() const noexcept { return isochrons.get() + further_parts.get(); }
};

/// Logical time at a host, and the endpoint of a program that polls for itself.
class Isotach final : public niu::Receiver, public Endpoint {
  public:
    /// `niu`, `siu` and `pool` outlive it.
    Isotach(niu::Niu& niu, siu::Siu& siu, runtime::Pool& pool, Options options = {});
    ~Isotach() override;
    Isotach(const Isotach&) = delete;
    Isotach& operator=(const Isotach&) = delete;

    /// Has it given what others send; it outlives the dispatcher.
    void attach_to(niu::Dispatcher& dispatcher) noexcept;

    /// After each poll of the NIU and its dispatcher. Returns how much it has moved.
    [[gnu::hot]] unsigned poll(runtime::Time now) noexcept;

    Isochron isochron() noexcept override { return Isochron(pool_); }
    bool send(Isochron& isochron) noexcept override;
    [[gnu::hot]] bool send(NodeId to, std::span<const std::byte> message) noexcept override;
    bool send_marked(NodeId to, std::span<const std::byte> accesses) noexcept override;
    bool fits(const Isochron& isochron) noexcept override;
    void forget_lost(Isochron& isochron) noexcept override {
        isochron.drop_if([this](NodeId host, wire::Operation operation) {
            return has_left(host) && !wire::is_of_copies(operation);
        });
    }
    std::size_t max_message(NodeId to) const noexcept override;
    /// The largest message that goes in a frame to that host; 0 before it is up.
    std::size_t most_in_frame(NodeId to) const noexcept;
    /// The most frames that an isochron may take to one host.
    unsigned most_frames(NodeId to) const noexcept { return niu_.most_frames(to); }
    /// And to all hosts together.
    unsigned most_frames() const noexcept { return niu_.most_kept(); }

    bool register_signal(unsigned channel) noexcept override;
    bool clear_signal(unsigned channel) noexcept override;
    bool send_signal(unsigned channel) noexcept override;
    bool join_barrier(unsigned channel, BarrierMode mode) noexcept override;
    bool leave_barrier(unsigned channel) noexcept override;
    bool enter_barrier(unsigned channel) noexcept override;
    bool group_knows() const noexcept override { return ordering_.executed() >= known_at_; }
    BarrierState barrier(unsigned channel) const noexcept override { return barriers_[channel].state; }
    BarrierMode barrier_mode(unsigned channel) const noexcept override { return barriers_[channel].mode; }

    /// Where it is called, so that what nobody looks at is not read.
    [[gnu::always_inline]] bool receive(Delivery& delivery) noexcept override {
        if (deliveries_.empty()) return false;
        if (const Run& next = deliveries_.front(); next.in_frame()) [[likely]] {
            next.stretch.read(delivery);
            pop();
            return true;
        } else if (is_plain(next.single)) {
            delivery = next.single;
            pop();
            return true;
        }
        // By way of another one: no call gets to know the caller's, so that he has in registers what he looks
        // at. A copy of all of it would wait until it has left the CPU.
        Delivery with_care;
        const bool received = receive_with_care(with_care);
        if (received) delivery = with_care;
        return received;
    }
    /// What receive() gives next, where it stands: until pop(), receive() or poll(). nullptr when there is
    /// nothing, or something that only receive() can tell.
    const Delivery* peek() noexcept {
        if (deliveries_.empty()) return nullptr;
        const Run& next = deliveries_.front();
        if (next.in_frame()) [[likely]] {
            next.stretch.read(peeked_);
            return &peeked_;
        }
        return is_plain(next.single) ? &next.single : nullptr;
    }
    void pop() noexcept {
        if (deliveries_.pop() && !deliveries_.empty()) prefetch(deliveries_.front());
    }
    void release(const Delivery& delivery) noexcept override {
        if (delivery.payload != nullptr || delivery.own != nullptr) [[unlikely]]
            return release_apart(delivery.payload, delivery.own);
        if (delivery.kind == DeliveryKind::kMessage && delivery.frame != kNoFrame) [[likely]]
            niu_.release({.frame = delivery.frame});
    }
    bool waiting() const noexcept override {
        return !deliveries_.empty() &&
               (deliveries_.front().in_frame() || is_here(deliveries_.front().single));
    }

    std::size_t hosts() const noexcept { return niu_.options().nodes.size(); }
    /// The number that the next isochron of this host gets.
    std::uint32_t next_isochron() const noexcept { return next_isochron_ + last_.further; }
    /// What has been executed and not received.
    std::size_t deliverable() const noexcept { return deliveries_.size(); }
    /// Own isochrons that have not been executed here.
    std::uint32_t outstanding() const noexcept { return outstanding_ + last_.further; }
    /// The pulse that the last isochron to others was stamped with.
    Pulse last_stamp() const noexcept { return stamp_.pulse; }
    /// The clock at which the last signal or step in a barrier is done: all hosts learn of it the greatest
    /// distance later.
    Pulse acted_at() const noexcept { return acted_at_; }
    /// When it was polled last.
    runtime::Time polled() const noexcept { return now_; }
    /// For how long time has stood still though it is wanted.
    runtime::Duration standing() const noexcept;

    /// Frees what has not been received. Returns how many packets that were.
    std::size_t discard() noexcept;

    void describe(nlohmann::json& out) const;
    /// An array of Ordering::buckets(), as of the last poll.
    void describe_buckets(nlohmann::json& out) const;
    void clear_counters();
    /// All that this host has issued is on its way and has been executed here, and so has all that came.
    bool settled() const noexcept {
        return outstanding() == 0 && !ordering_.has_waiting() && payloads_.settled();
    }
    /// For an end of the program that finds out by itself whether an isochron fits.
    const Needs& needs() const noexcept { return needs_; }
    const Counters& counters() const noexcept { return counters_; }
    const Ordering& ordering() const noexcept { return ordering_; }
    const Payloads& payloads() const noexcept { return payloads_; }
    /// nullptr unless it is on.
    const Paranoid* paranoid() const noexcept { return paranoid_.get(); }
    siu::Siu& siu() noexcept { return siu_; }

    void take(const niu::Received& message) noexcept override;
    [[gnu::hot]] unsigned take_in_place() noexcept override;

    // Where logical time survives deaths (doc/membership.md).

    /// Issues nothing and lets no time pass before begin(). Returns how it stands.
    Standing freeze() noexcept;
    /// Goes on in the next view, which this host is in.
    void begin(const wire::View& view);
    /// What came before the view may still not be here.
    bool flushing() const noexcept { return survival_.flushing; }
    bool has_left(NodeId host) const noexcept { return survival_.has_left(host); }
    /// There is a time to send at, and this host knows how things stand in it.
    bool started() const noexcept { return siu_.started() && !survival_.arrival.waits; }
    /// This host is told how things stand, as it joins a running time: nobody executes what is behind
    /// joined_at() before it has arrived.
    bool arrives() const noexcept override { return survival_.arrival.waits; }
    bool has_gone(NodeId host) const noexcept override {
        const std::uint32_t then = survival_.arrival.epochs[host];
        return then == 0 || survival_.epochs[host] != then;
    }
    Pulse joined_at() const noexcept { return survival_.arrival.pulse; }
    void pages_are_here() noexcept override { survival_.arrival.has_pages = true; }
    bool is_lost(NodeId host, wire::Operation operation) const noexcept {
        return wire::is_of_copies(operation) && has_left(host);
    }

  private:
    struct Barrier {
        BarrierState state = BarrierState::kApart;
        BarrierMode mode = BarrierMode::kStrong;
        unsigned leaving = 0;       ///< own acts of leaving it that are not executed
        std::uint32_t entered = 0;  ///< times
    };
    /// What flags say of a message that has come.
    struct Flagged {
        std::span<const std::byte> data{};
        Payload* payload = nullptr;
        std::optional<Pulse> clock{};
    };
    struct Stamp {
        Pulse pulse = 0;
        std::uint32_t rank = 0;  ///< of the next message in it
    };
    /// The last isochron that was issued, if it was of one message: the next one may be a step from it.
    struct Last {
        NodeId to = wire::kNoNode;
        Pulse clock = 0;            ///< at which it was issued
        std::uint32_t further = 0;  ///< isochrons that have followed it so, and are to be noted
    };

    [[gnu::always_inline]] niu::Taken take_of_frame(const niu::Unread& unread) noexcept;
    void note_standing(bool wanted) noexcept;
    void note_going_on() noexcept;
    bool may_issue() const noexcept {
        return outstanding() < most_outstanding_ && siu_.started() && !options_.planted.piecemeal;
    }
    std::uint32_t stamp(Pulse distance) noexcept;
    bool issue_behind(NodeId to, std::span<const std::byte> message) noexcept;
    void issue_further(niu::Peer& peer, std::span<const std::byte> message) noexcept;
    /// What is issued to that host now gets the time of the last one, which was to it, too.
    bool is_of_last_time(NodeId to) const noexcept {
        return to == last_.to && last_.clock == siu_.clock() && siu_.complete() < stamp_.pulse;
    }
    bool issue_alone(NodeId to, std::span<const std::byte> message, wire::Operation operation,
                     std::optional<wire::Operation> own = {}) noexcept;
    bool issue_simple(Isochron& isochron) noexcept;
    bool held_back() noexcept;
    bool has_what_it_needs(Isochron& isochron) noexcept;
    bool find_needs(const Isochron& isochron, bool with_open) noexcept;
    bool needs_are_met() noexcept;
    bool hold_packets(Isochron& isochron) noexcept;
    bool hold_payloads(Isochron& isochron) noexcept;
    void issue(Isochron& isochron) noexcept;
    void issue_to_self(Isochron& isochron) noexcept;
    void issue_own(wire::Operation operation, std::uint32_t number, std::span<const std::byte> data,
                   rte_mbuf* packet, Payload* payload) noexcept;
    void issue_own(Isochron::Part& part, std::uint32_t number) noexcept;
    void send_part(Isochron::Part& part, std::span<const std::byte> bytes,
                   const wire::IsotachHeader& header) noexcept;
    void put_front(std::byte* at, const wire::IsotachHeader& header) const noexcept;
    niu::Peer& with_granted_room(NodeId to, std::size_t size) noexcept;
    void send_in_frame(niu::Peer& peer, std::span<const std::byte> data,
                       const wire::IsotachHeader& header) noexcept;
    void note_further() noexcept {
        if (last_.further == 0) return;
        stamp_.rank += last_.further;
        next_isochron_ += last_.further;
        outstanding_ += last_.further;
        ordering_.mark_next(last_.further);
        counters_.isochrons.add(last_.further);
        last_.further = 0;
    }
    /// Another isochron than one right behind the last is about to be issued, or none can follow it.
    void end_run() noexcept {
        if (last_.to == wire::kNoNode) return;
        note_further();
        Ordering::Sent& sent = ordering_.source(last_.to).sent;
        sent.rank = stamp_.rank - 1;
        sent.isochron = next_isochron_ - 1;
        last_.to = wire::kNoNode;
    }
    void keep(Ordering::Source& from, const wire::IsotachHeader& header, const Delivery& message) noexcept;
    bool receive_with_care(Delivery& delivery) noexcept;
    void release_apart(Payload* payload, rte_mbuf* own) noexcept;
    bool take_flags(std::uint8_t flags, const niu::Received& message, Flagged& flagged) noexcept;
    void deliver(const Delivery& delivery) noexcept {
        if (paranoid_) [[unlikely]]
            paranoid_->given(delivery.time);
        deliveries_.add() = delivery;
    }
    bool send_piecemeal(Isochron& isochron) noexcept;
    /// What comes next has waited for its pulse, and is not in the nearest cache any more.
    void prefetch(const Run& next) const noexcept {
        const niu::FrameTable::Id frame = next.in_frame() ? next.stretch.frame : next.single.frame;
        if (frame == kNoFrame) return;
        rte_prefetch0(next.in_frame() ? next.stretch.next : next.single.data.data());
        niu_.prefetch_release(frame);
    }
    static bool is_plain(const Delivery& delivery) noexcept {
        return delivery.kind == DeliveryKind::kMessage && delivery.payload == nullptr;
    }
    /// Where that can be: in views.
    bool may_have_left(NodeId host) const noexcept {
        return survival_.view != 0 && survival_.epochs[host] == 0;
    }
    static bool is_here(const Delivery& delivery) noexcept {
        return delivery.payload == nullptr || delivery.payload->complete();
    }
    void execute(const Delivery& message) noexcept {
        if (paranoid_) [[unlikely]]
            paranoid_->executed(message.time, ordering_.executed() + 1, siu_.ended());
        deliver(message);
        counters_.executed.add();
    }
    void execute(RunQueue& messages, Pulse pulse) noexcept;
    void execute_with_care(RunQueue& messages, Pulse pulse) noexcept;
    void complete(const Marker& marker) noexcept;
    void note_completed(const Marker& marker) noexcept;
    void end_pulse(Pulse pulse) noexcept;
    bool notice(const Delivery& delivery) noexcept;
    void act(std::uint32_t word) noexcept;

    // survival.cc
    void begin_without_past(const wire::View& view) noexcept;
    void do_what_was_deferred() noexcept;
    void tend_survival() noexcept;
    void part_with(NodeId host, Pulse cut) noexcept;
    void take_flush(const niu::Received& message, const wire::IsotachHeader& header) noexcept;
    void apply_flush(const Flush& flush) noexcept;
    bool send_flush(FlushOut& out) noexcept;
    void deliver_changes(LogicalTime time) noexcept;
    /// The host is in this view, in the life that the NIU has to do with.
    bool reaches(NodeId host) const noexcept {
        return !siu_.survives() || niu_.peer(host).epoch == survival_.epochs[host];
    }

    // joining.cc
    void arrive_behind(Pulse pulse) noexcept;
    void forget_what_was_before() noexcept;
    void tend_arrival() noexcept;
    void take_handover(const niu::Received& message, const wire::IsotachHeader& header) noexcept;
    bool take_over(const wire::IsotachHeader& header, std::span<const std::byte> standing) noexcept;
    void hand_over(Pulse pulse);
    void tend_handovers() noexcept;
    bool send_handover(Handover& out) noexcept;

    niu::Niu& niu_;
    siu::Siu& siu_;
    runtime::Pool& pool_;
    Options options_;
    NodeId here_;
    Ordering ordering_;
    Group group_;
    Payloads payloads_;
    std::unique_ptr<Paranoid> paranoid_;
    std::uint64_t own_host_;  ///< wire::host_in_isotach(here_)
    std::uint8_t flags_;      ///< of what this host sends
    std::size_t in_front_;    ///< of the data in a message
    RunQueue deliveries_;
    Delivery peeked_;

    Needs needs_;      ///< of the isochron that is being sent
    Isochron single_;  ///< of one message that cannot go without more ado
    Last last_;
    Stamp stamp_;
    Stamp after_;  ///< for isochrons of this host to itself alone
    std::uint32_t next_isochron_ = 0;
    std::uint32_t outstanding_ = 0;
    std::uint32_t most_outstanding_;  ///< 0 while this host only arrives
    std::uint32_t signals_ = 0;       ///< registered
    Pulse acted_at_ = 0;
    Pulse known_at_ = 0;  ///< the pulse in which all learn of what was done last
    std::array<std::uint32_t, wire::kSignalChannels> registered_{};  ///< how often each signal was
    std::array<Barrier, wire::kBarrierChannels> barriers_{};
    Survival survival_;
    runtime::Time now_{};
    runtime::PollWatch watch_;
    runtime::Time stands_since_{};  ///< if time is wanted
    bool wanted_ = false;
    Counters counters_;
};

}  // namespace isoplane::isotach
