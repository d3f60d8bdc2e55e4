// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Messages and barriers between the nodes of a job, outside logical time: what a program sees of the NIU,
/// the same whether it polls for itself or an lcore does it.
///
/// One thread of the program uses an endpoint, and nothing in it waits: what cannot be done now returns
/// false, and is tried again after Job::poll().
#pragma once

#include <algorithm>
#include <cstddef>
#include <isoplane/niu/niu.hh>
#include <span>

#include <isoplane/noniso/barrier.hh>

namespace isoplane::noniso {

using niu::NodeId;
using niu::PeerState;
using niu::Received;
using niu::SendBuffer;
using niu::Ticket;
using niu::TransferState;

class Endpoint {
  public:
    Endpoint() = default;
    virtual ~Endpoint() = default;
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;

    /// Room for a message of at most max_message(to) bytes, in the packet that will carry it. Write it and
    /// send() it before anything else is called here. Empty when nothing can be sent to that node now: it is
    /// not up, or has no room. What is sent to a node that starts again meanwhile does not reach its new
    /// life, which has another epoch in its SendBuffer.
    virtual SendBuffer buffer(NodeId to, std::size_t size) noexcept = 0;
    virtual void send(const SendBuffer& buffer) noexcept = 0;
    /// The same of a buffer whose end is to be a copy of `rest`; what is in front of that has been written.
    virtual void send(const SendBuffer& buffer, std::span<const std::byte> rest) noexcept {
        std::copy(rest.begin(), rest.end(), buffer.data.last(rest.size()).begin());
        send(buffer);
    }

    /// Copies a message of at most max_message(to) bytes. False as buffer() is empty.
    bool send(NodeId to, std::span<const std::byte> message) noexcept {
        const SendBuffer room = buffer(to, message.size());
        if (!room) return false;
        send(room, message);
        return true;
    }

    /// Sends the data of a packet of the program's pool, at most max_message(to) bytes, with room for headers
    /// in front. Takes the packet, unless the ticket says why not. Nothing is copied, but when it is so small
    /// that it had better share a frame.
    ///
    /// Who keeps a reference of his own may change the packet when it is the only one; where the link does
    /// not hand over the very packets, already when the message has arrived or is lost.
    virtual Ticket send(NodeId to, runtime::Packet& packet) noexcept = 0;
    /// Whether the link hands over the very packets: what is received is then the sender's own memory.
    virtual bool in_process() const noexcept = 0;

    /// Sends a message of any size below 4 GB from where it is, which has to stay as it is while the ticket's
    /// state is kWaiting; in registered memory it is not copied, and that stays as it is while it is busy.
    /// Several may wait for a node. The ticket says why one is not taken.
    virtual Ticket transfer(NodeId to, std::span<const std::byte> message,
                            const niu::Memory& memory) noexcept = 0;
    Ticket transfer(NodeId to, std::span<const std::byte> message) noexcept {
        static const niu::Memory unregistered;
        return transfer(to, message, unregistered);
    }
    /// What has become of a message that was taken (niu::Niu::state()).
    virtual TransferState state(const Ticket& ticket) const noexcept = 0;

    /// The next message, or fragment of a large one, from any node. Its data stays where it is until it is
    /// released.
    virtual bool receive(Received& message) noexcept = 0;
    virtual void release(const Received& message) noexcept = 0;
    /// Whether receive() would find one.
    virtual bool waiting() const noexcept = 0;

    /// Enters the next barrier. False while one is running, and when it is broken.
    virtual bool enter_barrier() noexcept = 0;
    virtual BarrierState barrier() const noexcept = 0;

    virtual PeerState state(NodeId node) const noexcept = 0;
    /// In which of its lives a node that is up is: that of the SendBuffers to it.
    virtual std::uint32_t epoch(NodeId node) const noexcept = 0;
    /// The largest message that fits a frame to that node; 0 before it is up.
    virtual std::size_t max_message(NodeId node) const noexcept = 0;
};

}  // namespace isoplane::noniso
