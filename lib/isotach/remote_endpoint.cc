// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <sched.h>

#include <isoplane/isotach/remote_endpoint.hh>

namespace isoplane::isotach {

EndpointLink::EndpointLink(const Isotach& isotach, runtime::Pool& pool, unsigned deliveries)
    : delivered("isotach_delivered", deliveries), hosts(isotach.hosts()), most_frames(isotach.most_frames()) {
    for (std::uint32_t i = 0; i < kIsochrons; ++i) {
        isochrons.emplace_back(pool);
        empty.push(i);
    }
}

EndpointStage::~EndpointStage() {
    discard();
}

unsigned EndpointStage::poll(runtime::Time now) {
    const unsigned moved = take_releases() + serve_requests();
    const unsigned time = isotach_.poll(now);
    if (isotach_.group_knows()) link_.known_acts.store(acts_, std::memory_order_relaxed);
    publish_host();
    return moved + time + hand_over();
}

/// In their order: what cannot be done yet holds up the rest.
unsigned EndpointStage::serve_requests() noexcept {
    unsigned n = 0;
    for (; n < runtime::kBurst; ++n) {
        if (!waits_ && !link_.requests.pop(request_)) break;
        waits_ = !serve(request_);
        if (waits_) break;
    }
    return n;
}

/// The program's end has seen to it that nothing but an isochron has to wait.
bool EndpointStage::serve(const EndpointLink::Request& request) noexcept {
    using Action = EndpointLink::Action;
    if (request.action != Action::kSend) ++acts_;
    switch (request.action) {
        case Action::kSend: {
            Isochron& isochron = link_.isochrons[request.what];
            if (!isotach_.send(isochron)) {
                isotach_.forget_lost(isochron);
                if (!isochron.empty()) return false;
            }
            link_.empty.push(request.what);
            break;
        }
        case Action::kRegisterSignal:
            isotach_.register_signal(request.what);
            break;
        case Action::kClearSignal:
            isotach_.clear_signal(request.what);
            break;
        case Action::kSendSignal:
            isotach_.send_signal(request.what);
            break;
        case Action::kJoinBarrier:
            isotach_.join_barrier(request.what, request.mode);
            break;
        case Action::kLeaveBarrier:
            isotach_.leave_barrier(request.what);
            break;
        case Action::kEnterBarrier:
            isotach_.enter_barrier(request.what);
            break;
    }
    return true;
}

bool EndpointStage::next() noexcept {
    if (filter_ != nullptr) return filter_->pass_on(delivery_, link_.delivered.empty());
    return isotach_.receive(delivery_);
}

unsigned EndpointStage::hand_over() noexcept {
    unsigned n = 0;
    for (; holds_ || next(); ++n) {
        holds_ = !link_.delivered.push(delivery_);
        if (holds_) break;
    }
    return n;
}

unsigned EndpointStage::take_releases() noexcept {
    unsigned n = 0;
    for (EndpointLink::Released done; link_.released.pop(done); ++n)
        isotach_.release({.frame = done.frame, .own = done.own, .payload = done.payload});
    return n;
}

/// One a poll, in turn: nobody waits for microseconds more.
void EndpointStage::publish_host() noexcept {
    const auto host = static_cast<NodeId>(next_published_);
    EndpointLink::HostView& view = link_.hosts[host];
    // A host that has been heard, but is not up, has sizes already.
    const unsigned frames = isotach_.most_frames(host);
    view.most_frames.store(frames, std::memory_order_relaxed);
    view.most_in_frame.store(frames != 0 ? static_cast<std::uint32_t>(isotach_.most_in_frame(host)) : 0,
                             std::memory_order_release);
    view.left.store(isotach_.has_left(host), std::memory_order_relaxed);
    if (++next_published_ == link_.hosts.size()) next_published_ = 0;
}

std::size_t EndpointStage::discard() {
    std::size_t freed = take_releases();
    for (Isochron& isochron : link_.isochrons)
        isochron.clear();
    if (holds_) isotach_.release(delivery_);
    holds_ = false;
    for (Delivery delivery; link_.delivered.pop(delivery); ++freed)
        isotach_.release(delivery);
    return freed;
}

bool RemoteEndpoint::send(Isochron& isochron) noexcept {
    std::uint32_t slot = 0;
    if (isochron.empty() || !fits(isochron) || link_.requests.full() || !link_.empty.pop(slot)) return false;
    link_.isochrons[slot].swap(isochron);
    return link_.requests.push({.action = EndpointLink::Action::kSend, .what = slot});
}

bool RemoteEndpoint::send(NodeId to, std::span<const std::byte> message) noexcept {
    const bool sent = single_.add(to, message) && send(single_);
    single_.clear();
    return sent;
}

bool RemoteEndpoint::fits(const Isochron& isochron) noexcept {
    const bool sized = needs_.find(
        isochron, [](NodeId) { return std::size_t{0}; }, [this](NodeId to) { return most_in_frame(to); },
        [this](NodeId to, wire::Operation operation) {
            return wire::is_of_copies(operation) && link_.hosts[to].left.load(std::memory_order_relaxed);
        });
    if (!sized) return false;
    unsigned frames = needs_.own();
    for (const Needs::Need& need : needs_) {
        if (need.credit() > link_.hosts[need.to].most_frames.load(std::memory_order_relaxed)) return false;
        frames += need.frames;
    }
    return frames <= link_.most_frames;
}

bool RemoteEndpoint::ask(EndpointLink::Action action, unsigned channel, BarrierMode mode) noexcept {
    if (!link_.requests.push({.action = action, .what = channel, .mode = mode})) return false;
    ++acts_;
    return true;
}

bool RemoteEndpoint::register_signal(unsigned channel) noexcept {
    if (!is_signal(channel) || (signals_ & wire::group_signal(channel)) != 0) return false;
    if (!ask(EndpointLink::Action::kRegisterSignal, channel)) return false;
    signals_ |= wire::group_signal(channel);
    ++registered_[channel];
    return true;
}

bool RemoteEndpoint::clear_signal(unsigned channel) noexcept {
    if (!is_signal(channel) || !ask(EndpointLink::Action::kClearSignal, channel)) return false;
    signals_ &= ~wire::group_signal(channel);
    return true;
}

bool RemoteEndpoint::send_signal(unsigned channel) noexcept {
    const bool registered = is_signal(channel) && (signals_ & wire::group_signal(channel)) != 0;
    if (!registered && channel != kResetSignal) return false;
    return ask(EndpointLink::Action::kSendSignal, channel);
}

bool RemoteEndpoint::join_barrier(unsigned channel, BarrierMode mode) noexcept {
    if (channel >= barriers_.size() || barriers_[channel].state != BarrierState::kApart) return false;
    if (!ask(EndpointLink::Action::kJoinBarrier, channel, mode)) return false;
    barriers_[channel].state = BarrierState::kHolding;
    barriers_[channel].mode = mode;
    return true;
}

bool RemoteEndpoint::leave_barrier(unsigned channel) noexcept {
    if (channel >= barriers_.size()) return false;
    if (barriers_[channel].state == BarrierState::kApart) return true;
    if (!ask(EndpointLink::Action::kLeaveBarrier, channel)) return false;
    barriers_[channel].state = BarrierState::kApart;
    return true;
}

bool RemoteEndpoint::enter_barrier(unsigned channel) noexcept {
    if (channel >= barriers_.size() || barriers_[channel].state != BarrierState::kHolding) return false;
    if (!ask(EndpointLink::Action::kEnterBarrier, channel)) return false;
    barriers_[channel].state = BarrierState::kEntered;
    ++barriers_[channel].entered;
    return true;
}

bool RemoteEndpoint::receive(Delivery& delivery) noexcept {
    while (link_.delivered.pop(delivery)) {
        if (delivery.kind == DeliveryKind::kSignal && delivery.channel != kResetSignal &&
            ((signals_ & wire::group_signal(delivery.channel)) == 0 ||
             registered_[delivery.channel] != delivery.isochron))
            continue;  // cleared while it was on its way here
        if (delivery.kind == DeliveryKind::kBarrier) {
            Barrier& barrier = barriers_[delivery.channel];
            if (barrier.state != BarrierState::kEntered || barrier.entered != delivery.isochron) continue;
            barrier.state = BarrierState::kHolding;
        }
        return true;
    }
    return false;
}

/// The lcore takes releases with every poll: a full ring is not full for long.
void RemoteEndpoint::release(const Delivery& delivery) noexcept {
    if (delivery.kind != DeliveryKind::kMessage) return;
    while (!link_.released.push({.own = delivery.own, .payload = delivery.payload, .frame = delivery.frame}))
        sched_yield();
}

}  // namespace isoplane::isotach
