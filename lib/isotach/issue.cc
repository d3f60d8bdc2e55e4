// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Isochrons on their way out: whole, with one time.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <isoplane/isotach/isotach.hh>
#include <isoplane/wire/isotach.hh>
#include <isoplane/wire/run.hh>
#include <utility>

namespace isoplane::isotach {

/// Of this host.
inline void Isotach::put_front(std::byte* at, const wire::IsotachHeader& header) const noexcept {
    wire::encode_isotach(std::span<std::byte, wire::kIsotachSize>(at, wire::kIsotachSize), own_host_, header);
    if (paranoid_) [[unlikely]]
        wire::IsotachClock::put(at + wire::kIsotachSize, siu_.clock());
}

/// Behind another of the same pulse, in the same frame, it goes in a run with that.
[[gnu::always_inline]] inline void Isotach::send_in_frame(niu::Peer& peer, std::span<const std::byte> data,
                                                          const wire::IsotachHeader& header) noexcept {
    Ordering::Sent& sent = ordering_.source(peer.node).sent;
    const std::uint32_t ranks = header.rank - sent.rank;
    const std::uint32_t isochrons = header.isochron - sent.isochron;
    const bool steps = header.pulse == sent.pulse && header.flags == 0 &&
                       ranks <= wire::run_step::kMostRanks && isochrons <= wire::run_step::kMostIsochrons;
    sent = {header.pulse, header.rank, header.isochron};
    if (steps && peer.open.may_be_followed()) {
        const std::uint32_t step = wire::run_step::of(header.operation, isochrons, ranks);
        return niu_.send_in_run(peer, wire::Protocol::kIsotach, step, data);
    }
    put_front(niu::Niu::room_in(peer), header);
    niu_.send(peer, wire::Protocol::kIsotach, in_front_ + data.size(), data);
    if (header.flags == 0) niu::Niu::begin_run(peer);
}

/// The next isochron, over that distance, gets its time. Returns its number.
inline std::uint32_t Isotach::stamp(Pulse distance) noexcept {
    end_run();
    const Pulse pulse = siu_.stamp(distance);
    if (pulse != stamp_.pulse) stamp_ = {pulse, 0};
    const std::uint32_t number = next_isochron_++;
    if (paranoid_) [[unlikely]]
        paranoid_->stamped(number, siu_.clock(), distance, pulse);
    ordering_.mark(pulse, number);
    ++outstanding_;
    return number;
}

/// With the isochron that was issued last, whether or not it is a part of it. A packet or payload has the
/// data, if there is any.
inline void Isotach::issue_own(wire::Operation operation, std::uint32_t number,
                               std::span<const std::byte> data, rte_mbuf* packet, Payload* payload) noexcept {
    const bool at_once = options_.planted.markers_at_once;
    Delivery planted;
    Delivery& own = at_once ? planted : ordering_.issue(stamp_.pulse);
    own.kind = DeliveryKind::kMessage;
    own.operation = operation;
    own.channel = 0;
    own.isochron = number;
    own.time.pulse = stamp_.pulse;
    own.time.place = Place::kWithin;
    own.time.host = here_;
    own.time.rank = stamp_.rank++;
    own.data = data;
    own.frame = kNoFrame;
    own.own = packet;
    own.payload = payload;
    if (paranoid_) [[unlikely]]
        paranoid_->kept(number, own.time.pulse, own.time.rank);
    if (at_once) [[unlikely]]
        execute(own);
}

void Isotach::issue_own(Isochron::Part& part, std::uint32_t number) noexcept {
    const std::span<const std::byte> data = part.own_bytes();
    if (part.packet) niu_.keep(1);
    issue_own(part.operation, number, data, part.packet.release(), part.payload.release());
}

/// With the time of the one before it, but not right behind that in its frame: it says of itself what it is.
[[gnu::always_inline]] inline void Isotach::issue_further(niu::Peer& peer,
                                                          std::span<const std::byte> message) noexcept {
    const std::uint32_t further = last_.further++;
    const std::uint32_t count = siu_.announce(peer.node);
    counters_.copied_bytes.add(message.size());
    put_front(niu::Niu::room_in(peer), {.pulse = stamp_.pulse,
                                        .operation = wire::Operation::kMessage,
                                        .rank = stamp_.rank + further,
                                        .isochron = next_isochron_ + further,
                                        .count = count});
    niu_.send(peer, wire::Protocol::kIsotach, in_front_ + message.size(), message);
    niu::Niu::begin_run(peer);
}

/// Most isochrons are of one message that fits a frame, for which there is room or not: nothing else is
/// needed; an empty one to this host may stand before it. False, and nothing is done, when it cannot go this
/// way now.
[[gnu::always_inline]] inline bool Isotach::issue_alone(NodeId to, std::span<const std::byte> message,
                                                        wire::Operation operation,
                                                        std::optional<wire::Operation> own) noexcept {
    if (to == here_ || !payloads_.may_send(to) || !reaches(to)) return false;
    niu::Peer* const peer = niu_.with_room(to, in_front_ + message.size());
    if (peer == nullptr) return false;
    const std::uint32_t number = stamp(siu_.distance(to));
    if (own) {
        issue_own(*own, number, {}, nullptr, nullptr);
        counters_.further_parts.add();
    }
    // Before the message: stores wait in turn, and those to a packet for lines that another CPU may have.
    const std::uint32_t count = siu_.announce(to);
    siu_.want(true);
    counters_.copied_bytes.add(message.size());
    counters_.isochrons.add();
    send_in_frame(*peer, message,
                  {.pulse = stamp_.pulse,
                   .flags = flags_,
                   .operation = operation,
                   .rank = stamp_.rank++,
                   .isochron = number,
                   .count = count});
    last_ = {to, siu_.clock()};
    return true;
}

/// Most messages come right behind one to the same host, and get its time: what allowed that one to go allows
/// them. Mostly it is the last of a frame, too, and may be followed. Stores are what this is short of: the
/// CPU keeps few while it waits for a line of the packet.
[[gnu::always_inline]] inline bool Isotach::issue_behind(NodeId to,
                                                         std::span<const std::byte> message) noexcept {
    if (outstanding() >= most_outstanding_ || paranoid_) return false;
    niu::Peer* peer = niu_.in_run(to, in_front_ + message.size());
    if (peer == nullptr) {
        peer = niu_.with_room(to, in_front_ + message.size());
        if (peer == nullptr) return false;
        issue_further(*peer, message);
        return true;
    }
    ++last_.further;
    siu_.announce(to);
    counters_.copied_bytes.add(message.size());
    constexpr std::uint32_t kStep = wire::run_step::of(wire::Operation::kMessage, 1, 1);
    niu_.send_in_run(*peer, wire::Protocol::kIsotach, kStep, message);
    return true;
}

bool Isotach::send(NodeId to, std::span<const std::byte> message) noexcept {
    if (is_of_last_time(to) && issue_behind(to, message)) [[likely]]
        return true;
    if (may_issue() && issue_alone(to, message, wire::Operation::kMessage)) return true;
    if (to != here_ && message.size() <= most_in_frame(to) && !options_.planted.piecemeal) return held_back();
    single_.clear();
    const bool sent = single_.add(to, message) && send(single_);
    single_.clear();
    return sent;
}

bool Isotach::send_marked(NodeId to, std::span<const std::byte> accesses) noexcept {
    return may_issue() && issue_alone(to, accesses, wire::Operation::kAccesses, wire::Operation::kMarker);
}

bool Isotach::held_back() noexcept {
    counters_.held_back.add();
    return false;
}

bool Isotach::send(Isochron& isochron) noexcept {
    if (isochron.empty() || !siu_.started()) return false;
    if (options_.planted.piecemeal) [[unlikely]]
        return send_piecemeal(isochron);
    if (!may_issue()) return held_back();
    if (issue_simple(isochron)) {
        isochron.clear();
        return true;
    }
    if (!has_what_it_needs(isochron)) {
        niu_.put_back();
        return held_back();
    }
    if (survival_.some_left)
        isochron.drop_if([this](NodeId to, wire::Operation operation) { return is_lost(to, operation); });
    if (needs_.empty()) {
        issue_to_self(isochron);
    } else {
        issue(isochron);
    }
    niu_.put_back();
    counters_.isochrons.add();
    counters_.further_parts.add(isochron.size() - 1);
    isochron.clear();
    return true;
}

/// Of one copied message that goes alone, and perhaps an empty one to this host before it.
inline bool Isotach::issue_simple(Isochron& isochron) noexcept {
    const Isochron::Part& last = isochron.parts_.back();
    if (isochron.size() > 2 || last.packet || last.payload) return false;
    std::optional<wire::Operation> own;
    if (isochron.size() == 2) {
        const Isochron::Part& first = isochron.parts_.front();
        if (first.to != here_ || first.size != 0) return false;
        own = first.operation;
    }
    const std::span<const std::byte> message = isochron.bytes_of(last);
    const bool is_message = !own && last.operation == wire::Operation::kMessage;
    if (is_message && is_of_last_time(last.to) && issue_behind(last.to, message)) return true;
    return issue_alone(last.to, message, last.operation, own);
}

bool Isotach::has_what_it_needs(Isochron& isochron) noexcept {
    return find_needs(isochron, true) && needs_are_met() && hold_packets(isochron) && hold_payloads(isochron);
}

bool Isotach::fits(const Isochron& isochron) noexcept {
    if (!find_needs(isochron, false)) return false;
    unsigned frames = needs_.own();
    for (const Needs::Need& need : needs_) {
        if (need.credit() > most_frames(need.to)) return false;
        frames += need.frames;
    }
    return frames <= niu_.most_kept();
}

/// With what is left of the frames that are open, or without.
bool Isotach::find_needs(const Isochron& isochron, bool with_open) noexcept {
    return needs_.find(
        isochron, [&](NodeId to) { return with_open ? niu_.open_room(to) : 0; },
        [this](NodeId to) { return most_in_frame(to); },
        [this](NodeId to, wire::Operation operation) { return is_lost(to, operation); });
}

bool Isotach::needs_are_met() noexcept {
    unsigned frames = needs_.own();
    unsigned ready = needs_.own();
    for (const Needs::Need& need : needs_) {
        // What comes behind a payload must not use up the credit that the payload waits for, nor its turn.
        if (!payloads_.may_send(need.to) || !niu_.may_send(need.to, need.credit())) return false;
        frames += need.frames;
        ready += need.ready;
    }
    return niu_.set_aside(frames, ready);
}

/// What this host sends to itself stays in packets of its own.
bool Isotach::hold_packets(Isochron& isochron) noexcept {
    for (Isochron::Part& part : isochron.parts_) {
        if (part.to != here_ || part.packet || part.payload || part.size == 0) continue;
        runtime::Packet packet = pool_.packet();
        if (!packet) return false;
        char* room = rte_pktmbuf_append(packet.get(), static_cast<std::uint16_t>(part.size));
        std::memcpy(room, isochron.bytes_.data() + part.at, part.size);
        counters_.copied_bytes.add(part.size);
        part.packet = std::move(packet);
    }
    return true;
}

/// What fits a packet, or was short when it was written, may still be too large for a frame to its host.
bool Isotach::hold_payloads(Isochron& isochron) noexcept {
    if (!needs_.large()) return true;
    for (Isochron::Part& part : isochron.parts_) {
        if (part.to == here_ || part.payload || !part.is_large(most_in_frame(part.to))) continue;
        Payload::Handle payload = Payload::make(part.size);
        if (!payload) return false;
        std::ranges::copy(isochron.bytes_of(part), payload->bytes().begin());
        counters_.copied_bytes.add(part.size);
        part.payload = std::move(payload);
        part.packet.reset();
    }
    return true;
}

/// Nothing can fail from here on: so all of it is stamped with one time, and goes.
void Isotach::issue(Isochron& isochron) noexcept {
    Pulse distance = 0;
    for (const Needs::Need& need : needs_)
        distance = std::max(distance, siu_.distance(need.to));
    const std::uint32_t number = stamp(distance);
    for (Isochron::Part& part : isochron.parts_) {
        if (part.to == here_) {
            issue_own(part, number);
            continue;
        }
        const wire::IsotachHeader header{
            .pulse = stamp_.pulse,
            .flags = static_cast<std::uint8_t>(flags_ | (part.payload ? wire::kIsotachPointer : 0)),
            .operation = part.operation,
            .rank = stamp_.rank++,
            .isochron = number,
            .count = siu_.announce(part.to)};
        send_part(part, isochron.bytes_, header);
    }
    if (needs_.large()) {
        for (Isochron::Part& part : isochron.parts_)
            if (part.payload) payloads_.send(part.to, std::move(part.payload));
    }
    siu_.want(true);
}

niu::Peer& Isotach::with_granted_room(NodeId to, std::size_t size) noexcept {
    niu::Peer* const peer = niu_.with_room(to, in_front_ + size);
    assert(peer != nullptr);
    return *peer;
}

void Isotach::send_part(Isochron::Part& part, std::span<const std::byte> bytes,
                        const wire::IsotachHeader& header) noexcept {
    if (part.payload) {
        std::array<std::byte, wire::kPointerSize> pointer;
        wire::PayloadSize::put(pointer.data(), part.size);
        return send_in_frame(with_granted_room(part.to, pointer.size()), pointer, header);
    }
    if (part.packet) {
        char* at = rte_pktmbuf_prepend(part.packet.get(), static_cast<std::uint16_t>(in_front_));
        put_front(reinterpret_cast<std::byte*>(at), header);
        [[maybe_unused]] const bool sent = niu_.send(part.to, wire::Protocol::kIsotach, part.packet);
        assert(sent);
        return;
    }
    counters_.copied_bytes.add(part.size);
    send_in_frame(with_granted_room(part.to, part.size), bytes.subspan(part.at, part.size), header);
}

/// An isochron of this host to itself is executed with the one that it issued before; or at once, when that
/// has been.
void Isotach::issue_to_self(Isochron& isochron) noexcept {
    end_run();
    const std::uint32_t number = next_isochron_++;
    const bool at_once = ordering_.nothing_issued();
    if (after_.pulse != ordering_.executed()) after_ = {ordering_.executed(), 0};
    for (Isochron::Part& part : isochron.parts_) {
        if (!at_once) {
            issue_own(part, number);
            continue;
        }
        if (part.packet) niu_.keep(1);
        deliver({.operation = part.operation,
                 .isochron = number,
                 .time = {after_.pulse, Place::kAfter, here_, after_.rank++},
                 .data = part.own_bytes(),
                 .frame = kNoFrame,
                 .own = part.packet.release(),
                 .payload = part.payload.release()});
        counters_.executed.add();
    }
}

/// The planted defect: each message goes as soon as there is credit for it, with the time of then.
bool Isotach::send_piecemeal(Isochron& isochron) noexcept {
    while (!isochron.empty()) {
        Isochron one(pool_);
        one.bytes_ = isochron.bytes_;
        one.parts_.push_back(std::move(isochron.parts_.front()));
        if (!find_needs(one, true) || !needs_are_met() || !hold_packets(one) || !hold_payloads(one)) {
            niu_.put_back();
            isochron.parts_.front() = std::move(one.parts_.front());
            return false;
        }
        const std::uint32_t number = next_isochron_;
        if (needs_.empty()) {
            issue_to_self(one);
        } else {
            issue(one);
        }
        niu_.put_back();
        next_isochron_ = number;
        isochron.parts_.erase(isochron.parts_.begin());
    }
    ++next_isochron_;
    isochron.clear();
    return true;
}

}  // namespace isoplane::isotach
