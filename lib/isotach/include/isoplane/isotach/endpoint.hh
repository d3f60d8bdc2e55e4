// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Messages in logical time, as a program sees them: isochrons, and what the group of all hosts does; the
/// same whether it polls for itself or an lcore does it.
///
/// An isochron is a multicast that is executed at one logical time wherever it goes. All hosts execute what
/// reaches them in one total order, each host's isochrons in the order in which it issued them, and nothing
/// before what it was caused by.
///
///     isotach::Isochron isochron = endpoint.isochron();
///     isochron.add(1, bytes);
///     isochron.add(2, others);
///     while (!endpoint.send(isochron)) job.poll();
///     for (isotach::Delivery d; endpoint.receive(d); endpoint.release(d)) …d.time, d.data…
///
/// One thread of the program uses an endpoint, and nothing in it waits: what cannot be done now returns
/// false, and is tried again after Job::poll(). doc/isotach.md has the whole.
#pragma once

#include <isoplane/isotach/delivery.hh>
#include <isoplane/isotach/group.hh>
#include <isoplane/isotach/isochron.hh>

namespace isoplane::isotach {

class Endpoint {
  public:
    Endpoint() = default;
    virtual ~Endpoint() = default;
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;

    // Isochrons.

    virtual Isochron isochron() noexcept = 0;
    /// Issues the isochron, whole, and empties it. False, and nothing is done, when it cannot go now: credit
    /// or room is missing at one of its hosts, or too many are outstanding; or when it does not fit.
    virtual bool send(Isochron& isochron) noexcept = 0;
    /// An isochron of this message alone, which is copied. False, and nothing is done, as there.
    virtual bool send(NodeId to, std::span<const std::byte> message) noexcept = 0;
    /// The short way of an isochron of a marker for this host and of accesses for one other, which are
    /// copied. False, and nothing is done, when they cannot go that way now, or at all: send() knows all
    /// ways.
    virtual bool send_marked(NodeId /*to*/, std::span<const std::byte> /*accesses*/) noexcept {
        return false;
    }
    /// Whether it could go when nothing else is under way. To a host that is not up nothing fits; nor does
    /// more than its credit, nor a message above max_message(), nor more in all than this host may keep.
    virtual bool fits(const Isochron& isochron) noexcept = 0;
    /// Takes out of it what is for hosts that take part in logical time no more, as nothing fits to these:
    /// the rest can go, if there is any. Accesses to their copies go or do not, as they take part when it is
    /// issued.
    virtual void forget_lost(Isochron& isochron) noexcept = 0;
    /// The largest message, Options::max_message; 0 before that host is up. What does not fit a frame is sent
    /// apart, and delivered in its place when all of it is there.
    virtual std::size_t max_message(NodeId to) const noexcept = 0;

    // Signals, on channels from 1, and barriers, on channels from 0. False for a channel that there is not,
    // or that is not registered or joined; or is already. The reset signal is everybody's: it needs no
    // registration, and can have none.

    static constexpr unsigned kResetSignal = 0;
    static constexpr bool is_signal(unsigned channel) {
        return channel > kResetSignal && channel < wire::kSignalChannels;
    }
    virtual bool register_signal(unsigned channel) noexcept = 0;
    virtual bool clear_signal(unsigned channel) noexcept = 0;
    virtual bool send_signal(unsigned channel) noexcept = 0;

    virtual bool join_barrier(unsigned channel, BarrierMode mode) noexcept = 0;
    virtual bool leave_barrier(unsigned channel) noexcept = 0;
    /// Also false while this host waits in that barrier: until it receives the notice that it is complete.
    virtual bool enter_barrier(unsigned channel) noexcept = 0;
    /// Whether all have learned of what this host has done here. Who hears outside logical time that it has
    /// joined a barrier, and enters that, waits for this host only if this was so when it said so.
    virtual bool group_knows() const noexcept = 0;
    virtual BarrierState barrier(unsigned channel) const noexcept = 0;
    virtual BarrierMode barrier_mode(unsigned channel) const noexcept = 0;

    // What is executed.

    /// The next in logical time. False when there is none yet.
    virtual bool receive(Delivery& delivery) noexcept = 0;
    /// When the user is done with a message; in any order.
    virtual void release(const Delivery& delivery) noexcept = 0;
    /// Whether receive() would find one.
    virtual bool waiting() const noexcept = 0;

    /// This host joins a running time, and has still to be told how things stand.
    virtual bool arrives() const noexcept { return false; }
    /// While it does: that host takes no part any more, in the life that it had when this one joined.
    virtual bool has_gone(NodeId /*host*/) const noexcept { return false; }
    /// With Options::with_pages, at a host that joins a running time: its copies of pages are as they were
    /// when it joined, and time may go on.
    virtual void pages_are_here() noexcept {}
};

}  // namespace isoplane::isotach
