// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// An endpoint whose NIU is polled by an lcore: the program at one end of three rings, a stage beside the NIU
/// at the other. Messages are not copied on their way, but for small ones that are to share a frame.
#pragma once

#include <atomic>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/runtime/stage.hh>
#include <isoplane/runtime/value_ring.hh>
#include <vector>

#include <isoplane/noniso/endpoint.hh>
#include <isoplane/runtime/fifo.hh>

namespace isoplane::noniso {

/// What the program and the lcore share.
struct EndpointLink {
    /// Links of one process have different names.
    explicit EndpointLink(std::size_t nodes, const std::string& name = "endpoint")
        : outgoing(name + "_outgoing", kRingSize),
          received(name + "_received", kRingSize),
          released(name + "_released", 4 * kRingSize),
          peers(nodes) {}

    struct Outgoing {
        rte_mbuf* packet = nullptr;  ///< whose data is the message
        std::uint32_t to = 0;
        std::uint32_t epoch = 0;  ///< of the life that it is for
    };
    struct PeerView {
        std::atomic<PeerState> state{PeerState::kUnknown};
        std::atomic<std::uint32_t> max_message{0};
        std::atomic<std::uint32_t> epoch{0};     ///< in which it was up last
        std::atomic<std::uint32_t> accepted{0};  ///< messages that the NIU has taken
    };
    static constexpr unsigned kRingSize = 1024;

    runtime::ValueRing<Outgoing> outgoing;
    runtime::ValueRing<Received> received;
    runtime::ValueRing<niu::FrameTable::Id> released;
    std::vector<PeerView> peers;
    std::atomic<std::uint32_t> barriers_wanted{0};
    std::atomic<std::uint32_t> barriers_completed{0};
    std::atomic<bool> barrier_broken{false};
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
    unsigned send_waiting() noexcept;
    void count_accepted(std::size_t to, std::uint32_t messages) noexcept;
    unsigned hand_over() noexcept;
    unsigned take_releases() noexcept;
    void tend_barrier(std::uint32_t wanted) noexcept;
    void publish_peer() noexcept;

    EndpointLink& link_;
    niu::Niu& niu_;
    niu::Dispatcher& dispatcher_;
    Barrier& barrier_;
    wire::Protocol protocol_;
    std::vector<runtime::Fifo<rte_mbuf*>>
        to_send_;              ///< by node: so that none waits for the credit of another
    std::size_t waiting_ = 0;  ///< in all of them
    runtime::Fifo<Received> incoming_;
    std::size_t next_published_ = 0;
};

/// The program's end.
class RemoteEndpoint final : public Endpoint {
  public:
    RemoteEndpoint(EndpointLink& link, runtime::Pool& pool)
        : link_(link), pool_(pool), sent_(link.peers.size()) {}

    using Endpoint::send;
    SendBuffer buffer(NodeId to, std::size_t size) noexcept override;
    void send(const SendBuffer& buffer) noexcept override;

    bool receive(Received& message) noexcept override { return link_.received.pop(message); }
    void release(const Received& message) noexcept override;
    bool waiting() const noexcept override { return !link_.received.empty(); }

    bool enter_barrier() noexcept override;
    BarrierState barrier() const noexcept override;

    PeerState state(NodeId node) const noexcept override {
        return link_.peers[node].state.load(std::memory_order_acquire);
    }
    std::size_t max_message(NodeId node) const noexcept override {
        return link_.peers[node].max_message.load(std::memory_order_relaxed);
    }

  private:
    /// Messages to one node that may be on their way to the lcore and its NIU.
    static constexpr std::uint32_t kAhead = 64;

    EndpointLink& link_;
    runtime::Pool& pool_;
    runtime::Packet open_;  ///< what buffer() has given out
    std::vector<std::uint32_t> sent_;
};

}  // namespace isoplane::noniso
