// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// An endpoint whose NIU is polled by an lcore: the program at one end of three rings, a stage beside the NIU
/// at the other. Messages are not copied on their way, but for small ones that are to share a frame, and
/// large ones from memory that is not registered: those the lcore copies, from where they are.
#pragma once

#include <atomic>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/runtime/stage.hh>
#include <isoplane/runtime/value_ring.hh>
#include <string>
#include <vector>

#include <isoplane/noniso/endpoint.hh>
#include <isoplane/runtime/fifo.hh>

namespace isoplane::noniso {

/// What the program and the lcore share.
struct EndpointLink {
    /// `name` is that of no other in this process; so many messages fit between the two, each way.
    explicit EndpointLink(std::size_t nodes, const std::string& name = "endpoint",
                          unsigned messages = kRingSize)
        : outgoing(name + "_outgoing", messages),
          received(name + "_received", messages),
          released(name + "_released", 4 * kRingSize),
          peers(nodes) {}

    struct Outgoing {
        rte_mbuf* packet = nullptr;  ///< whose data is the message, which has a number if its sender asked
                                     ///< for a ticket; or it is a transfer:
        const std::byte* data = nullptr;
        niu::Memory::Region* memory = nullptr;  ///< of a transfer, with a use and a reference of its own
        std::uint32_t size = 0;
        std::uint32_t number = 0;  ///< among the transfers and numbered packets to its node
        NodeId to = 0;
        std::uint16_t numbered = 0;  ///< not a bool, so that no byte of this is undefined
        std::uint32_t epoch = 0;     ///< of the life that it is for
    };
    /// A life that is over: in it, transfers before this one had arrived.
    struct alignas(8) Ended {  // one word, so that it is read and written whole without a lock
        std::uint32_t epoch = 0;
        std::uint32_t at = 0;
    };
    struct PeerView {
        std::atomic<PeerState> state{PeerState::kUnknown};
        std::atomic<std::uint32_t> max_message{0};
        std::atomic<std::uint32_t> epoch{0};              ///< in which it was up last
        std::atomic<std::uint32_t> accepted{0};           ///< messages that the NIU has taken
        std::atomic<std::uint32_t> transfers_sent{0};     ///< those before it are in frames, or lost
        std::atomic<std::uint32_t> transfers_arrived{0};  ///< or have arrived
        std::atomic<Ended> ended{};                       ///< written before what it explains
    };
    static constexpr unsigned kRingSize = 1024;

    runtime::ValueRing<Outgoing> outgoing;
    runtime::ValueRing<Received> received;
    runtime::ValueRing<niu::FrameTable::Id> released;
    std::vector<PeerView> peers;
    std::atomic<std::uint32_t> barriers_wanted{0};
    std::atomic<std::uint32_t> barriers_completed{0};
    std::atomic<bool> barrier_broken{false};
    bool in_process = false;  ///< the link hands over the very packets
};

/// The lcore's end.
class EndpointStage final : public runtime::Stage, public niu::Receiver {
  public:
    EndpointStage(std::string name, EndpointLink& link, niu::Niu& niu, niu::Dispatcher& dispatcher,
                  Barrier& barrier, wire::Protocol protocol = wire::Protocol::kNoniso);
    ~EndpointStage() override;

    unsigned poll(runtime::Time now) override;
    std::size_t held() const override { return waiting_; }
    std::size_t discard() override;

    void take(const Received& message) noexcept override { incoming_.push(message); }

  private:
    /// A transfer, or a numbered packet, that the NIU has taken.
    struct UnderWay {
        std::uint32_t number = 0;
        Ticket ticket{};
    };
    /// What is on its way to one node. They come to their ends in order.
    struct Node {
        runtime::Fifo<EndpointLink::Outgoing> to_send;  ///< so that none waits for the credit of another
        runtime::Fifo<UnderWay> waiting;                ///< not all in frames, as far as the program knows
        runtime::Fifo<UnderWay> under_way;
    };

    unsigned send_waiting() noexcept;
    bool send(std::size_t to, EndpointLink::Outgoing& message) noexcept;
    void lose(std::size_t to, EndpointLink::Outgoing& message) noexcept;
    void follow(std::size_t to, std::uint32_t number, const Ticket& ticket) noexcept;
    void follow_transfers(std::size_t to) noexcept;
    void end_life(std::size_t to, std::uint32_t epoch, std::uint32_t number) noexcept;
    void count_accepted(std::size_t to, std::uint32_t messages) noexcept;
    unsigned hand_over() noexcept;
    unsigned take_releases() noexcept;
    void tend_barrier(std::uint32_t wanted) noexcept;
    void publish_next() noexcept;
    void publish(NodeId node) noexcept;

    EndpointLink& link_;
    niu::Niu& niu_;
    niu::Dispatcher& dispatcher_;
    Barrier& barrier_;
    wire::Protocol protocol_;
    std::vector<Node> nodes_;
    std::size_t waiting_ = 0;    ///< to be sent, to all of them
    std::size_t under_way_ = 0;  ///< transfers, to all of them
    runtime::Fifo<Received> incoming_;
    std::size_t next_published_ = 0;
};

/// The program's end.
class RemoteEndpoint final : public Endpoint {
  public:
    RemoteEndpoint(EndpointLink& link, runtime::Pool& pool)
        : link_(link), pool_(pool), sent_(link.peers.size()), transfers_(link.peers.size()) {}

    using Endpoint::send;
    using Endpoint::transfer;
    SendBuffer buffer(NodeId to, std::size_t size) noexcept override;
    void send(const SendBuffer& buffer) noexcept override;
    Ticket send(NodeId to, runtime::Packet& packet) noexcept override;
    bool in_process() const noexcept override { return link_.in_process; }

    Ticket transfer(NodeId to, std::span<const std::byte> message,
                    const niu::Memory& memory) noexcept override;
    TransferState state(const Ticket& ticket) const noexcept override;

    bool receive(Received& message) noexcept override { return link_.received.pop(message); }
    void release(const Received& message) noexcept override;
    bool waiting() const noexcept override { return !link_.received.empty(); }

    bool enter_barrier() noexcept override;
    BarrierState barrier() const noexcept override;

    PeerState state(NodeId node) const noexcept override {
        return link_.peers[node].state.load(std::memory_order_acquire);
    }
    std::uint32_t epoch(NodeId node) const noexcept override {
        return link_.peers[node].epoch.load(std::memory_order_acquire);
    }
    std::size_t max_message(NodeId node) const noexcept override {
        return link_.peers[node].max_message.load(std::memory_order_relaxed);
    }

  private:
    /// Messages to one node that may be on their way to the lcore and its NIU.
    static constexpr std::uint32_t kAhead = 64;

    bool may_send(NodeId to) const noexcept {
        return !link_.outgoing.full() &&
               sent_[to] - link_.peers[to].accepted.load(std::memory_order_acquire) < kAhead;
    }

    EndpointLink& link_;
    runtime::Pool& pool_;
    runtime::Packet open_;  ///< what buffer() has given out
    std::vector<std::uint32_t> sent_;
    std::vector<std::uint32_t> transfers_;
};

}  // namespace isoplane::noniso
