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
      nodes_(link.peers.size()) {
    link_.in_process = niu_.options().in_process;
}

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
    publish_next();
    return moved;
}

unsigned EndpointStage::send_waiting() noexcept {
    unsigned n = 0;
    for (EndpointLink::Outgoing message; n < runtime::kBurst && link_.outgoing.pop(message); ++n) {
        nodes_[message.to].to_send.push(message);
        ++waiting_;
    }
    for (std::size_t to = 0; (waiting_ != 0 || under_way_ != 0) && to < nodes_.size(); ++to) {
        Node& node = nodes_[to];
        follow_transfers(to);
        std::uint32_t accepted = 0;
        for (; !node.to_send.empty() && send(to, node.to_send.front()); node.to_send.pop())
            ++accepted;
        if (accepted == 0) continue;
        waiting_ -= accepted;
        n += accepted;
        count_accepted(to, accepted);
    }
    return n;
}

/// False: it has to wait.
bool EndpointStage::send(std::size_t to, EndpointLink::Outgoing& message) noexcept {
    const auto node = static_cast<NodeId>(to);
    // What was written for a peer that has started again since is not for the new one.
    if (niu_.state(node) != PeerState::kUp || message.epoch != niu_.peer(node).epoch) [[unlikely]] {
        lose(to, message);
        return true;
    }
    if (message.packet != nullptr) [[likely]] {
        runtime::Packet packet(message.packet);
        if (!niu_.send(node, protocol_, packet)) {
            static_cast<void>(packet.release());
            return false;
        }
        if (message.numbered != 0) follow(to, message.number, niu_.last_sent(node));
        return true;
    }
    const Ticket ticket = niu_.transfer(node, protocol_, {message.data, message.size}, message.memory);
    if (!ticket) return false;
    if (message.memory != nullptr) message.memory->give_back();
    follow(to, message.number, ticket);
    return true;
}

void EndpointStage::follow(std::size_t to, std::uint32_t number, const Ticket& ticket) noexcept {
    nodes_[to].waiting.push({number, ticket});
    nodes_[to].under_way.push({number, ticket});
    ++under_way_;
    follow_transfers(to);
}

/// With its peer, whose state says so.
void EndpointStage::lose(std::size_t to, EndpointLink::Outgoing& message) noexcept {
    rte_pktmbuf_free(message.packet);
    if (message.packet != nullptr && message.numbered == 0) return;
    if (message.memory != nullptr) message.memory->give_back();
    follow_transfers(to);
    end_life(to, message.epoch, message.number);
    link_.peers[to].transfers_sent.store(message.number + 1, std::memory_order_release);
    link_.peers[to].transfers_arrived.store(message.number + 1, std::memory_order_release);
}

void EndpointStage::follow_transfers(std::size_t to) noexcept {
    Node& node = nodes_[to];
    EndpointLink::PeerView& view = link_.peers[to];
    for (; !node.under_way.empty(); node.under_way.pop(), --under_way_) {
        const UnderWay& transfer = node.under_way.front();
        const TransferState state = niu_.state(transfer.ticket);
        if (state == TransferState::kLost) {
            end_life(to, transfer.ticket.epoch(), transfer.number);
        } else if (state != TransferState::kArrived) {
            break;
        }
        view.transfers_arrived.store(transfer.number + 1, std::memory_order_release);
    }
    for (; !node.waiting.empty(); node.waiting.pop()) {
        if (niu_.state(node.waiting.front().ticket) == TransferState::kWaiting) break;
        view.transfers_sent.store(node.waiting.front().number + 1, std::memory_order_release);
    }
}

/// From that transfer on, none of that life has arrived.
void EndpointStage::end_life(std::size_t to, std::uint32_t epoch, std::uint32_t number) noexcept {
    std::atomic<EndpointLink::Ended>& ended = link_.peers[to].ended;
    if (ended.load(std::memory_order_relaxed).epoch != epoch)
        ended.store({epoch, number}, std::memory_order_release);
}

/// The NIU has taken so many more messages to that node, or they are lost.
void EndpointStage::count_accepted(std::size_t to, std::uint32_t messages) noexcept {
    std::atomic<std::uint32_t>& total = link_.peers[to].accepted;
    total.store(total.load(std::memory_order_relaxed) + messages, std::memory_order_release);
}

/// Who answers at once answers the life that asks: not one before, of which he would hear first.
unsigned EndpointStage::hand_over() noexcept {
    unsigned n = 0;
    for (; !incoming_.empty(); ++n) {
        const NodeId source = incoming_.front().source;
        if (niu_.peer(source).epoch != link_.peers[source].epoch.load(std::memory_order_relaxed)) [[unlikely]]
            publish(source);
        if (!link_.received.push(incoming_.front())) break;
        incoming_.pop();
    }
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
    if (wanted == link_.barriers_completed.load(std::memory_order_relaxed)) {
        // One that is running is for the stage to complete whose program has entered it.
        if (barrier_.state() != BarrierState::kRunning) barrier_.poll();
        return;
    }
    const bool all_sent = waiting_ == 0 && link_.outgoing.empty();
    if (all_sent && barrier_.state() != BarrierState::kRunning) barrier_.enter();
    barrier_.poll();
    if (barrier_.state() == BarrierState::kBroken)
        link_.barrier_broken.store(true, std::memory_order_release);
    link_.barriers_completed.store(barrier_.completed(), std::memory_order_release);
}

/// One a poll, in turn: nobody waits for microseconds more.
void EndpointStage::publish_next() noexcept {
    publish(static_cast<NodeId>(next_published_));
    if (++next_published_ == link_.peers.size()) next_published_ = 0;
}

void EndpointStage::publish(NodeId node) noexcept {
    EndpointLink::PeerView& view = link_.peers[node];
    view.max_message.store(static_cast<std::uint32_t>(niu_.max_message(node)), std::memory_order_relaxed);
    // Before the state, and only of a peer that is up: who knows of an epoch can send in it.
    const std::uint32_t epoch = niu_.peer(node).epoch;
    const std::uint32_t before = view.epoch.load(std::memory_order_relaxed);
    if (niu_.state(node) == PeerState::kUp && epoch != before) {
        follow_transfers(node);
        end_life(node, before, view.transfers_arrived.load(std::memory_order_relaxed));
        view.epoch.store(epoch, std::memory_order_release);
    }
    view.state.store(niu_.state(node), std::memory_order_release);
}

std::size_t EndpointStage::discard() {
    std::size_t freed = 0;
    for (EndpointLink::Outgoing message; link_.outgoing.pop(message); ++freed)
        lose(message.to, message);
    for (std::size_t to = 0; to < nodes_.size(); ++to) {
        for (runtime::Fifo<EndpointLink::Outgoing>& queue = nodes_[to].to_send; !queue.empty();
             queue.pop(), ++freed)
            lose(to, queue.front());
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
    if (size > max_message(to) || state(to) != PeerState::kUp || !may_send(to)) return {};
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
    link_.outgoing.push({.packet = m, .to = buffer.to, .epoch = buffer.epoch});
    ++sent_[buffer.to];
}

Ticket RemoteEndpoint::send(NodeId to, runtime::Packet& packet) noexcept {
    using niu::Refusal;
    if (state(to) != PeerState::kUp) return {to, Refusal::kNotUp};
    if (!may_send(to)) return {to, Refusal::kFull};
    const Ticket ticket(to, link_.peers[to].epoch.load(std::memory_order_acquire), transfers_[to]++);
    link_.outgoing.push({.packet = packet.release(),
                         .number = ticket.last(),
                         .to = to,
                         .numbered = 1,
                         .epoch = ticket.epoch()});
    ++sent_[to];
    return ticket;
}

Ticket RemoteEndpoint::transfer(NodeId to, std::span<const std::byte> message,
                                const niu::Memory& memory) noexcept {
    using niu::Refusal;
    if (message.size() > UINT32_MAX) return {to, Refusal::kTooLarge};
    if (state(to) != PeerState::kUp) return {to, Refusal::kNotUp};
    if (!may_send(to)) return {to, Refusal::kFull};
    const Ticket ticket(to, link_.peers[to].epoch.load(std::memory_order_acquire), transfers_[to]++);
    if (memory) memory.region()->take_part();
    link_.outgoing.push({.data = message.data(),
                         .memory = memory.region(),
                         .size = static_cast<std::uint32_t>(message.size()),
                         .number = ticket.last(),
                         .to = to,
                         .epoch = ticket.epoch()});
    ++sent_[to];
    return ticket;
}

/// How its life ended comes last: the lcore writes it before anything that only it explains.
TransferState RemoteEndpoint::state(const Ticket& ticket) const noexcept {
    const EndpointLink::PeerView& view = link_.peers[ticket.to()];
    niu::Progress progress{.epoch = view.epoch.load(std::memory_order_acquire),
                           .arrived = view.transfers_arrived.load(std::memory_order_acquire),
                           .sent = view.transfers_sent.load(std::memory_order_acquire)};
    const EndpointLink::Ended ended = view.ended.load(std::memory_order_acquire);
    progress.ended = ended.epoch;
    progress.ended_at = ended.at;
    return progress.of(ticket);
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
