// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/isotach/isotach.hh>
#include <isoplane/wire/isotach.hh>
#include <utility>

namespace isoplane::isotach {

Isotach::Isotach(niu::Niu& niu, siu::Siu& siu, runtime::Pool& pool, Options options)
    : niu_(niu),
      siu_(siu),
      pool_(pool),
      options_(options),
      here_(niu.options().node),
      ordering_(siu, here_, niu.options().nodes.size()),
      group_(niu.options().nodes.size()),
      payloads_(niu, options_.max_message),
      paranoid_(options_.paranoid ? std::make_unique<Paranoid>(here_, niu.options().nodes.size()) : nullptr),
      flags_(paranoid_ ? wire::kIsotachClocked : std::uint8_t{0}),
      in_front_(wire::kIsotachSize + (paranoid_ ? wire::kIsotachClockSize : 0)),
      needs_(here_, niu.options().nodes.size(), niu.options().coalesce, options_.max_message, in_front_),
      counts_(niu.options().nodes.size()) {}

Isotach::~Isotach() {
    discard();
}

void Isotach::attach_to(niu::Dispatcher& dispatcher) noexcept {
    dispatcher.attach(wire::Protocol::kIsotach, this);
    dispatcher.attach(wire::Protocol::kPayload, &payloads_);
    dispatcher.attach(wire::Protocol::kToken, &siu_);
}

unsigned Isotach::poll(runtime::Time now) noexcept {
    now_ = now;
    const unsigned payloads = payloads_.poll();
    const bool wanted = !siu_.started() || outstanding_ != 0 || ordering_.waiting() != 0 ||
                        ordering_.behind() != 0 || siu_.acting() || siu_.acts_waiting();
    wanted_since_ = wanted ? std::min(wanted_since_, now) : runtime::Time::max();
    siu_.want(wanted);
    const unsigned pulses =
        ordering_.advance([this](NodeId host, const Waiting& what) { execute(host, what); },
                          [this](Pulse pulse) { end_pulse(pulse); });
    counters_.pulses.add(pulses);
    if (pulses != 0) executed_at_ = now;
    return pulses + payloads;
}

runtime::Duration Isotach::standing() const noexcept {
    if (wanted_since_ == runtime::Time::max()) return runtime::Duration{0};
    return now_ - std::max({wanted_since_, siu_.moved_at(), executed_at_});
}

std::size_t Isotach::max_message(NodeId to) const noexcept {
    return most_in_frame(to) != 0 ? options_.max_message : 0;
}

std::size_t Isotach::most_in_frame(NodeId to) const noexcept {
    const std::size_t frame = niu_.max_message(to);
    return frame > in_front_ ? frame - in_front_ : 0;
}

void Isotach::take(const niu::Received& message) noexcept {
    const wire::IsotachHeader header = wire::decode_isotach(message.data.first<wire::kIsotachSize>());
    if (header.host != message.source || !message.whole()) [[unlikely]] {
        counters_.malformed.add();
        return niu_.release(message);
    }
    Waiting waiting{.pulse = header.pulse,
                    .rank = header.rank,
                    .isochron = header.isochron,
                    .operation = header.operation,
                    .data = message.data.subspan(wire::kIsotachSize),
                    .frame = message.frame};
    std::optional<Pulse> clock;
    if (header.flags != 0 && !take_flags(header, message, waiting, clock)) [[unlikely]] {
        counters_.malformed.add();
        return niu_.release(message);
    }
    if (paranoid_) [[unlikely]]
        paranoid_->arrived(header, clock, siu_.distance(header.host), ordering_.executed());
    if (!ordering_.received(message.source, header.count, waiting)) counters_.out_of_sequence.add();
}

/// A clock in front of the data, or a pointer in its place: then the frame is not needed any more.
bool Isotach::take_flags(const wire::IsotachHeader& header, const niu::Received& message, Waiting& waiting,
                         std::optional<Pulse>& clock) noexcept {
    if ((header.flags & ~(wire::kIsotachClocked | wire::kIsotachPointer)) != 0) return false;
    if ((header.flags & wire::kIsotachClocked) != 0) {
        if (waiting.data.size() < wire::kIsotachClockSize) return false;
        clock = wire::IsotachClock::get(waiting.data.data());
        waiting.data = waiting.data.subspan(wire::kIsotachClockSize);
    }
    if ((header.flags & wire::kIsotachPointer) != 0) {
        if (waiting.data.size() != wire::kPointerSize) return false;
        const std::uint32_t size = wire::PayloadSize::get(waiting.data.data());
        if (size == 0) return false;
        waiting.payload = payloads_.expect(message.source, size);
        if (waiting.payload == nullptr) return false;
        niu_.release(message);
    }
    return true;
}

void Isotach::execute(NodeId host, const Waiting& what) noexcept {
    if (what.kind == Waiting::Kind::kMarker) {
        outstanding_ -= 1 + what.further;
        if (paranoid_) [[unlikely]] {
            for (std::uint32_t i = 0; i <= what.further; ++i)
                paranoid_->completed(what.isochron + i, ordering_.executed() + 1);
        }
        return;
    }
    const LogicalTime time{what.pulse, Place::kWithin, host, what.rank};
    if (paranoid_) [[unlikely]]
        paranoid_->executed(time, ordering_.executed() + 1, siu_.ended());
    deliver({.time = time,
             .isochron = what.isochron,
             .operation = what.operation,
             .data = what.data,
             .frame = what.frame,
             .own = what.own,
             .payload = what.payload});
    counters_.executed.add();
}

void Isotach::deliver(const Delivery& delivery) noexcept {
    if (paranoid_) [[unlikely]]
        paranoid_->given(delivery.time);
    deliveries_.push(delivery);
}

/// Signals and barriers, which depend on nothing but what the group has done by now.
void Isotach::end_pulse(Pulse pulse) noexcept {
    bool acted = false;
    for (siu::GroupAct act; siu_.next_act(pulse, act); acted = true) {
        group_.apply(act.source, act.word);
        if (act.source != here_) continue;
        for (unsigned channel = 0; channel < wire::kBarrierChannels; ++channel) {
            if ((act.word & wire::group_leave(channel)) != 0) --barriers_[channel].leaving;
        }
    }
    if (!acted) return;
    LogicalTime time{pulse, Place::kEnd, 0, 0};
    const std::uint32_t signals = group_.take_signals() & (signals_ | wire::group_signal(kResetSignal));
    for (unsigned channel = 0; channel < wire::kSignalChannels; ++channel) {
        if ((signals & wire::group_signal(channel)) == 0) continue;
        deliver({.kind = DeliveryKind::kSignal, .time = time, .channel = channel});
        ++time.rank;
    }
    for (unsigned channel = 0; channel < wire::kBarrierChannels; ++channel) {
        const Barrier& barrier = barriers_[channel];
        const bool ours = group_.has_entered(here_, channel) && barrier.leaving == 0;
        if (!group_.completes(channel) || !ours) continue;
        deliver(
            {.kind = DeliveryKind::kBarrier, .time = time, .isochron = barrier.entered, .channel = channel});
        ++time.rank;
    }
}

/// What comes behind a message waits for the payload of that.
bool Isotach::receive(Delivery& delivery) noexcept {
    while (waiting()) {
        delivery = deliveries_.front();
        deliveries_.pop();
        if (delivery.payload != nullptr) delivery.data = delivery.payload->bytes();
        if (delivery.kind == DeliveryKind::kMessage || notice(delivery)) [[likely]]
            return true;
    }
    return false;
}

void Isotach::release(const Delivery& delivery) noexcept {
    if (delivery.payload != nullptr) {
        payloads_.release(delivery.payload);
    } else if (delivery.own != nullptr) {
        rte_pktmbuf_free(delivery.own);
    } else if (delivery.kind == DeliveryKind::kMessage) {
        niu_.release({.frame = delivery.frame});
    }
}

std::size_t Isotach::discard() noexcept {
    std::size_t freed = 0;
    for (; !deliveries_.empty(); deliveries_.pop()) {
        freed += deliveries_.front().kind == DeliveryKind::kMessage ? 1 : 0;
        release(deliveries_.front());
    }
    ordering_.discard([&](const Waiting& what) {
        if (what.kind == Waiting::Kind::kMarker) return;
        release({.frame = what.frame, .own = what.own, .payload = what.payload});
        ++freed;
    });
    outstanding_ = 0;
    return freed + payloads_.discard();
}

}  // namespace isoplane::isotach
