// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/niu/dispatcher.hh>

#include <isoplane/noniso/endpoint.hh>
#include <isoplane/runtime/fifo.hh>

namespace isoplane::noniso {

/// The endpoint of a program that polls for itself: calls go straight to the NIU.
class DirectEndpoint final : public Endpoint, public niu::Receiver {
  public:
    DirectEndpoint(niu::Niu& niu, Barrier& barrier, wire::Protocol protocol = wire::Protocol::kNoniso)
        : niu_(niu),
          barrier_(barrier),
          protocol_(protocol),
          urgency_(protocol == wire::Protocol::kShmem ? niu::Urgency::kUrgent : niu::Urgency::kOrdinary) {}

    using Endpoint::send;
    using Endpoint::transfer;
    SendBuffer buffer(NodeId to, std::size_t size) noexcept override {
        return niu_.buffer(to, protocol_, size, urgency_);
    }
    void send(const SendBuffer& buffer) noexcept override { niu_.send(buffer); }
    void send(const SendBuffer& buffer, std::span<const std::byte> rest) noexcept override {
        niu_.send(buffer, rest);
    }
    Ticket send(NodeId to, runtime::Packet& packet) noexcept override {
        if (niu_.send(to, protocol_, packet)) return niu_.last_sent(to);
        const bool up = niu_.state(to) == PeerState::kUp;
        return {to, up ? niu::Refusal::kFull : niu::Refusal::kNotUp};
    }
    /// What was sent leaves now, not with the next poll.
    void flush() noexcept { niu_.flush(); }
    /// Whether urgent messages go as soon as that node gives back the last of the credit, which it does at
    /// once: nothing that takes other credit is in front of them.
    bool urgent_may_go(NodeId to) const noexcept {
        return !niu_.transferring(to) && niu_.credit() >= niu::kMostUrgent;
    }
    bool in_process() const noexcept override { return niu_.options().in_process; }

    Ticket transfer(NodeId to, std::span<const std::byte> message,
                    const niu::Memory& memory) noexcept override {
        return niu_.transfer(to, protocol_, message, memory);
    }
    TransferState state(const Ticket& ticket) const noexcept override { return niu_.state(ticket); }

    bool receive(Received& message) noexcept override {
        if (received_.empty()) return false;
        message = received_.front();
        received_.pop();
        return true;
    }
    void release(const Received& message) noexcept override { niu_.release(message); }
    bool waiting() const noexcept override { return !received_.empty(); }

    bool enter_barrier() noexcept override { return barrier_.enter(); }
    BarrierState barrier() const noexcept override { return barrier_.state(); }

    PeerState state(NodeId node) const noexcept override { return niu_.state(node); }
    std::uint32_t epoch(NodeId node) const noexcept override { return niu_.peer(node).epoch; }
    std::size_t max_message(NodeId node) const noexcept override { return niu_.max_message(node); }

    void take(const Received& message) noexcept override { received_.push(message); }

  private:
    niu::Niu& niu_;
    Barrier& barrier_;
    wire::Protocol protocol_;
    niu::Urgency urgency_;  ///< what is read or told of shared memory is taken while messages wait to be
    runtime::Fifo<Received> received_;  ///< never more than credit allows
};

}  // namespace isoplane::noniso
