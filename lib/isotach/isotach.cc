// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/isotach/isotach.hh>
#include <isoplane/wire/isotach.hh>
#include <isoplane/wire/run.hh>
#include <utility>

namespace isoplane::isotach {

Isotach::Isotach(niu::Niu& niu, siu::Siu& siu, runtime::Pool& pool, Options options)
    : niu_(niu),
      siu_(siu),
      pool_(pool),
      options_(options),
      here_(niu.options().node),
      ordering_(siu, here_, niu.options().nodes),
      group_(niu.options().nodes.size()),
      payloads_(niu, siu.survives() ? SIZE_MAX / 2 : std::size_t{options_.max_message}),
      paranoid_(options_.paranoid ? std::make_unique<Paranoid>(here_, niu.options().nodes.size()) : nullptr),
      own_host_(wire::host_in_isotach(here_)),
      flags_(paranoid_ ? wire::kIsotachClocked : std::uint8_t{0}),
      in_front_(wire::kIsotachSize + (paranoid_ ? wire::kIsotachClockSize : 0)),
      needs_(here_, niu.options().nodes.size(), niu.options().coalesce, options_.max_message, in_front_),
      single_(pool),
      most_outstanding_(options_.most_outstanding),
      survival_(niu.options().nodes.size()),
      watch_(niu.options().pause()) {}

Isotach::~Isotach() {
    discard();
}

void Isotach::attach_to(niu::Dispatcher& dispatcher) noexcept {
    dispatcher.attach(wire::Protocol::kIsotach, this);
    dispatcher.attach(wire::Protocol::kPayload, &payloads_);
    dispatcher.attach(wire::Protocol::kToken, &siu_);
}

/// It does not while this host itself is not polled: what makes it go on may wait to be received.
inline void Isotach::note_standing(bool wanted) noexcept {
    if (!std::exchange(wanted_, wanted) || !wanted) return note_going_on();
    runtime::put_off(stands_since_, watch_.excess(now_), now_);
    stands_since_ = std::max(stands_since_, siu_.moved_at());
}

inline void Isotach::note_going_on() noexcept {
    watch_.note(now_);
    stands_since_ = now_;
}

unsigned Isotach::poll(runtime::Time now) noexcept {
    now_ = now;
    note_further();
    const unsigned payloads = payloads_.poll();
    if (siu_.survives()) tend_survival();
    const bool wanted = outstanding_ != 0 || ordering_.has_waiting() || !started() ||
                        ordering_.behind() != 0 || siu_.acting() || siu_.acts_waiting();
    siu_.want(wanted);
    unsigned pulses = 0;
    if (!survival_.arrival.waits) [[likely]]
        pulses = ordering_.advance([this](RunQueue& messages, Pulse pulse) { execute(messages, pulse); },
                                   [this](const Marker& marker) { complete(marker); },
                                   [this](Pulse pulse) {
                                       if (siu_.acts_waiting()) [[unlikely]]
                                           end_pulse(pulse);
                                   });
    if (pulses == 0) {
        note_standing(wanted);
        return payloads;
    }
    counters_.pulses.add(pulses);
    wanted_ = wanted;
    note_going_on();
    return pulses + payloads;
}

runtime::Duration Isotach::standing() const noexcept {
    return wanted_ ? now_ - stands_since_ : runtime::Duration{0};
}

std::size_t Isotach::max_message(NodeId to) const noexcept {
    return most_in_frame(to) != 0 ? options_.max_message : 0;
}

std::size_t Isotach::most_in_frame(NodeId to) const noexcept {
    const std::size_t frame = reaches(to) ? niu_.max_message(to) : 0;
    return frame > in_front_ ? frame - in_front_ : 0;
}

/// Puts it where it waits for its pulse.
void Isotach::keep(Ordering::Source& from, const wire::IsotachHeader& header,
                   const Delivery& message) noexcept {
    if (!ordering_.received(from, header.count, message)) [[unlikely]]
        counters_.out_of_sequence.add();
}

/// As nearly all are: each is the next of its host, of no earlier pulse than the one before it, and no more
/// than that. Another is taken by itself, and what is in a run with it.
inline niu::Taken Isotach::take_of_frame(const niu::Unread& unread) noexcept {
    Ordering::Source& from = ordering_.source(unread.source);
    const std::byte* const first = unread.messages.data();
    const std::byte* const end = first + unread.messages.size();
    const std::byte* at = first;
    std::uint32_t messages = 0;
    Pulse last_pulse = ordering_.executed() + 1;
    do {
        const std::byte* const header = at + wire::kMessageHeaderSize;
        if (!wire::is_whole_of(wire::Protocol::kIsotach, at) || !wire::is_plain_of(unread.source, header))
            break;
        const Pulse pulse = wire::isotach_layout::Pulse::get(header);
        const std::uint32_t count = wire::isotach_layout::Count::get(header);
        if (pulse < last_pulse || count != from.received + messages + 1) break;
        last_pulse = pulse;
        const wire::RunEnd run = wire::follow_run(header + wire::message_layout::Length::get(at), end);
        messages += 1 + run.messages;
        at = run.at;
    } while (at != end);
    if (messages == 0) return {};
    niu::Taken taken{.messages = messages, .held = messages};
    const Pulse first_pulse = wire::isotach_layout::Pulse::get(first + wire::kMessageHeaderSize);
    ordering_.received(from, unread.frame, first, messages, first_pulse, last_pulse);
    if (at != end && wire::is_short_token(at) &&
        siu_.take_short(unread.source, std::span<const std::byte, wire::kShortTokenSize>(
                                           at + wire::kMessageHeaderSize, wire::kShortTokenSize))) {
        at += wire::kMessageHeaderSize + wire::kShortTokenSize;
        ++taken.messages;
    }
    taken.bytes = static_cast<std::size_t>(at - first);
    return taken;
}

unsigned Isotach::take_in_place() noexcept {
    if (paranoid_) return 0;
    unsigned n = 0;
    do {
        const niu::Unread unread = niu_.unread();
        if (unread.messages.empty() || may_have_left(unread.source)) break;
        const niu::Taken taken = take_of_frame(unread);
        if (taken.messages == 0) break;
        niu_.take(taken);
        n += taken.messages;
    } while (niu_.has_received());
    return n;
}

void Isotach::take(const niu::Received& message) noexcept {
    Ordering::Source& from = ordering_.source(message.source);
    const bool in_run = message.step != 0;
    const wire::IsotachHeader header = in_run
                                           ? wire::step_from(from.last, message.step)
                                           : wire::decode_isotach(message.data.first<wire::kIsotachSize>());
    wire::assign(from.last, header);
    // Of a host that has left, all that counts is here; this is what came with the word that it has.
    const bool has_left = may_have_left(message.source) && niu_.state(message.source) != niu::PeerState::kUp;
    if (has_left) return niu_.release(message);
    if (header.flags == wire::kIsotachFlush && header.host == message.source)
        return take_flush(message, header);
    if (header.flags == wire::kIsotachHandover && header.host == message.source)
        return take_handover(message, header);
    Flagged flagged{.data = message.data.subspan(in_run ? 0 : wire::kIsotachSize)};
    if (header.host != message.source || !message.whole() || !take_flags(header.flags, message, flagged)) {
        counters_.malformed.add();
        return niu_.release(message);
    }
    if (paranoid_)
        paranoid_->arrived(header, flagged.clock, siu_.distance(header.host), ordering_.executed());
    keep(from, header,
         {.operation = header.operation,
          .isochron = header.isochron,
          .time = {header.pulse, Place::kWithin, header.host, header.rank},
          .data = flagged.data,
          .frame = message.frame,
          .payload = flagged.payload});
}

/// A clock in front of the data, or a pointer in its place: then the frame is not needed any more.
bool Isotach::take_flags(std::uint8_t flags, const niu::Received& message, Flagged& flagged) noexcept {
    if ((flags & ~(wire::kIsotachClocked | wire::kIsotachPointer)) != 0) return false;
    if ((flags & wire::kIsotachClocked) != 0) {
        if (flagged.data.size() < wire::kIsotachClockSize) return false;
        flagged.clock = wire::IsotachClock::get(flagged.data.data());
        flagged.data = flagged.data.subspan(wire::kIsotachClockSize);
    }
    if ((flags & wire::kIsotachPointer) != 0) {
        if (flagged.data.size() != wire::kPointerSize) return false;
        const std::uint32_t size = wire::PayloadSize::get(flagged.data.data());
        if (size == 0) return false;
        flagged.payload = payloads_.expect(message.source, size);
        if (flagged.payload == nullptr) return false;
        niu_.release(message);
    }
    return true;
}

/// Mostly all that waits of a host is for one pulse, and the program has received what was before it.
inline void Isotach::execute(RunQueue& messages, Pulse pulse) noexcept {
    if (paranoid_) [[unlikely]] {
        execute_with_care(messages, pulse);
    } else if (messages.last_pulse() <= pulse && deliveries_.empty()) [[likely]] {
        counters_.executed.add(messages.size());
        deliveries_.swap(messages);
    } else {
        counters_.executed.add(messages.move(pulse, deliveries_));
    }
}

/// Each by itself, as each is looked at.
[[gnu::noinline]] void Isotach::execute_with_care(RunQueue& messages, Pulse pulse) noexcept {
    for (; !messages.empty() && messages.first_pulse() <= pulse; messages.pop())
        execute(messages.first());
}

inline void Isotach::complete(const Marker& marker) noexcept {
    outstanding_ -= marker.isochrons;
    if (paranoid_) [[unlikely]]
        note_completed(marker);
}

[[gnu::noinline]] void Isotach::note_completed(const Marker& marker) noexcept {
    for (std::uint32_t i = 0; i < marker.isochrons; ++i)
        paranoid_->completed(marker.first + i, ordering_.executed() + 1);
}

/// Signals and barriers, which depend on nothing but what the group has done by now.
[[gnu::noinline]] void Isotach::end_pulse(Pulse pulse) noexcept {
    bool acted = false;
    bool changed = false;
    for (siu::GroupAct act; siu_.next_act(pulse, act); acted = true) {
        if (act.source == wire::kNoNode) {
            changed = survival_.change(pulse, group_);
            continue;
        }
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
        deliver({.kind = DeliveryKind::kSignal,
                 .channel = static_cast<std::uint16_t>(channel),
                 .isochron = registered_[channel],
                 .time = time});
        ++time.rank;
    }
    for (unsigned channel = 0; channel < wire::kBarrierChannels; ++channel) {
        const Barrier& barrier = barriers_[channel];
        const bool ours = group_.has_entered(here_, channel) && barrier.leaving == 0;
        if (!group_.completes(channel) || !ours) continue;
        deliver({.kind = DeliveryKind::kBarrier,
                 .channel = static_cast<std::uint16_t>(channel),
                 .isochron = barrier.entered,
                 .time = time});
        ++time.rank;
    }
    if (changed) {
        hand_over(pulse);
        deliver_changes(time);
    }
}

/// What comes behind a message waits for the payload of that.
bool Isotach::receive_with_care(Delivery& delivery) noexcept {
    while (waiting()) {
        delivery = deliveries_.first();
        deliveries_.pop();
        if (delivery.payload != nullptr) delivery.data = delivery.payload->bytes();
        if (delivery.kind == DeliveryKind::kMessage || notice(delivery)) return true;
    }
    return false;
}

/// A payload, or a packet of this host's own.
void Isotach::release_apart(Payload* payload, rte_mbuf* own) noexcept {
    if (payload != nullptr) {
        payloads_.release(payload);
    } else if (own != nullptr) {
        rte_pktmbuf_free(own);
        niu_.let_go(1);
    }
}

std::size_t Isotach::discard() noexcept {
    end_run();
    std::size_t freed = 0;
    for (; !deliveries_.empty(); deliveries_.pop()) {
        const Delivery delivery = deliveries_.first();
        freed += delivery.kind == DeliveryKind::kMessage ? 1 : 0;
        release(delivery);
    }
    ordering_.discard([&](const Delivery& message) {
        release(message);
        ++freed;
    });
    outstanding_ = 0;
    return freed + payloads_.discard();
}

}  // namespace isoplane::isotach
