// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <sched.h>

#include <isoplane/noniso/remote_endpoint.hh>

namespace isoplane::noniso {

EndpointStage::EndpointStage(std::string name, EndpointLink& link, niu::Niu& niu, niu::Dispatcher& dispatcher,
                             Barrier& barrier, wire::Protocol protocol)
    : Stage(std::move(name)),
      link_(link),
      niu_(niu),
      dispatcher_(dispatcher),
      barrier_(barrier),
      protocol_(protocol),
      to_send_(link.peers.size()) {}

EndpointStage::~EndpointStage() {
    discard();
}

unsigned EndpointStage::poll(runtime::Time /*now*/) {
    // Before what the program sent is looked for: what it sent before it asked for a barrier goes before
    // that.
    const std::uint32_t barriers_wanted = link_.barriers_wanted.load(std::memory_order_acquire);
    const unsigned received = dispatcher_.dispatch();
    const unsigned moved = take_releases() + send_waiting() + hand_over() + received;
    tend_barrier(barriers_wanted);
    publish_peer();
    return moved;
}

unsigned EndpointStage::send_waiting() noexcept {
    unsigned n = 0;
    for (EndpointLink::Outgoing message; n < runtime::kBurst && link_.outgoing.pop(message); ++n) {
        // What was written for a peer that has started again since is not for the new one.
        if (message.epoch != niu_.peer(static_cast<NodeId>(message.to)).epoch) [[unlikely]] {
            rte_pktmbuf_free(message.packet);
            count_accepted(message.to, 1);
            continue;
        }
        to_send_[message.to].push(message.packet);
        ++waiting_;
    }
    for (std::size_t to = 0; waiting_ != 0 && to < to_send_.size(); ++to) {
        runtime::Fifo<rte_mbuf*>& queue = to_send_[to];
        std::uint32_t accepted = 0;
        for (; !queue.empty(); queue.pop(), ++accepted) {
            runtime::Packet packet(queue.front());
            if (niu_.send(static_cast<NodeId>(to), protocol_, packet)) continue;
            if (niu_.state(static_cast<NodeId>(to)) == PeerState::kUp) {
                static_cast<void>(packet.release());
                break;
            }
            // Lost with its peer, whose state says so; the packet goes here.
        }
        if (accepted == 0) continue;
        waiting_ -= accepted;
        n += accepted;
        count_accepted(to, accepted);
    }
    return n;
}

/// The NIU has taken so many more messages to that node, or they are lost.
void EndpointStage::count_accepted(std::size_t to, std::uint32_t messages) noexcept {
    std::atomic<std::uint32_t>& total = link_.peers[to].accepted;
    total.store(total.load(std::memory_order_relaxed) + messages, std::memory_order_release);
}

unsigned EndpointStage::hand_over() noexcept {
    unsigned n = 0;
    for (; !incoming_.empty() && link_.received.push(incoming_.front()); ++n)
        incoming_.pop();
    return n;
}

unsigned EndpointStage::take_releases() noexcept {
    unsigned n = 0;
    Received done;
    for (; link_.released.pop(done.frame); ++n)
        niu_.release(done);
    return n;
}

void EndpointStage::tend_barrier(std::uint32_t wanted) noexcept {
    if (wanted == link_.barriers_completed.load(std::memory_order_relaxed)) return;
    const bool all_sent = waiting_ == 0 && link_.outgoing.empty();
    if (all_sent && barrier_.state() != BarrierState::kRunning) barrier_.enter();
    barrier_.poll();
    if (barrier_.state() == BarrierState::kBroken)
        link_.barrier_broken.store(true, std::memory_order_release);
    link_.barriers_completed.store(barrier_.completed(), std::memory_order_release);
}

/// One a poll, in turn: nobody waits for microseconds more.
void EndpointStage::publish_peer() noexcept {
    const auto node = static_cast<NodeId>(next_published_);
    EndpointLink::PeerView& view = link_.peers[node];
    view.max_message.store(static_cast<std::uint32_t>(niu_.max_message(node)), std::memory_order_relaxed);
    // Before the state, and only of a peer that is up: who knows of an epoch can send in it.
    if (niu_.state(node) == PeerState::kUp)
        view.epoch.store(niu_.peer(node).epoch, std::memory_order_release);
    view.state.store(niu_.state(node), std::memory_order_release);
    if (++next_published_ == link_.peers.size()) next_published_ = 0;
}

std::size_t EndpointStage::discard() {
    std::size_t freed = 0;
    for (EndpointLink::Outgoing message; link_.outgoing.pop(message); ++freed)
        rte_pktmbuf_free(message.packet);
    for (runtime::Fifo<rte_mbuf*>& queue : to_send_) {
        for (; !queue.empty(); queue.pop(), ++freed)
            rte_pktmbuf_free(queue.front());
    }
    waiting_ = 0;
    take_releases();
    for (Received message; link_.received.pop(message);)
        niu_.release(message);
    for (; !incoming_.empty(); incoming_.pop())
        niu_.release(incoming_.front());
    return freed;
}

SendBuffer RemoteEndpoint::buffer(NodeId to, std::size_t size) noexcept {
    if (size > max_message(to) || state(to) != PeerState::kUp || link_.outgoing.full()) return {};
    if (sent_[to] - link_.peers[to].accepted.load(std::memory_order_acquire) >= kAhead) return {};
    const std::uint32_t epoch = link_.peers[to].epoch.load(std::memory_order_acquire);
    open_ = pool_.packet();
    if (!open_) return {};
    auto* data =
        reinterpret_cast<std::byte*>(rte_pktmbuf_append(open_.get(), static_cast<std::uint16_t>(size)));
    return {{data, size}, to, wire::Protocol::kNoniso, true, epoch};
}

void RemoteEndpoint::send(const SendBuffer& buffer) noexcept {
    rte_mbuf* m = open_.release();
    rte_pktmbuf_trim(m, static_cast<std::uint16_t>(rte_pktmbuf_data_len(m) - buffer.data.size()));
    link_.outgoing.push({m, buffer.to, buffer.epoch});
    ++sent_[buffer.to];
}

/// The lcore takes releases with every poll: a full ring is not full for long.
void RemoteEndpoint::release(const Received& message) noexcept {
    while (!link_.released.push(message.frame))
        sched_yield();
}

bool RemoteEndpoint::enter_barrier() noexcept {
    if (barrier() == BarrierState::kRunning || barrier() == BarrierState::kBroken) return false;
    link_.barriers_wanted.store(link_.barriers_wanted.load(std::memory_order_relaxed) + 1,
                                std::memory_order_release);
    return true;
}

BarrierState RemoteEndpoint::barrier() const noexcept {
    const std::uint32_t wanted = link_.barriers_wanted.load(std::memory_order_relaxed);
    if (link_.barrier_broken.load(std::memory_order_acquire)) return BarrierState::kBroken;
    if (wanted == 0) return BarrierState::kNone;
    return link_.barriers_completed.load(std::memory_order_acquire) == wanted ? BarrierState::kComplete
                                                                              : BarrierState::kRunning;
}

}  // namespace isoplane::noniso
