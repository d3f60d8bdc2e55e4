// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/program.hh"

#include <algorithm>
#include <cstring>
#include <utility>

namespace isoplane::sim {

using isotach::BarrierMode;
using isotach::BarrierState;

std::uint64_t content_of(std::span<const std::byte> bytes) {
    std::uint64_t hash = 0xcbf29ce484222325 ^ bytes.size();
    for (const std::byte byte : bytes)
        hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3;
    return hash;
}

Program::Program(isotach::Isotach& isotach, const niu::Options& options, const Scenario& scenario,
                 std::vector<Event>& events)
    : isotach_(isotach),
      host_(options.node),
      traffic_(scenario.traffic),
      random_(scenario.seed, 1999 + options.epoch),
      events_(events),
      isochron_(isotach.isochron()),
      to_issue_(scenario.traffic.isochrons) {
    for (unsigned channel = 1; channel < wire::kSignalChannels; ++channel)
        isotach_.register_signal(channel);
    for (std::size_t host = 0; host < options.nodes.size(); ++host)
        if (!options.nodes[host].empty()) known_.push_back(static_cast<std::uint16_t>(host));
    const auto after = std::ranges::upper_bound(known_, host_);
    next_ = after == known_.end() ? known_.front() : *after;
}

Program::~Program() {
    release(kept_.size());
}

unsigned Program::poll(runtime::Time now) {
    if (traffic_.duration != runtime::Duration{0}) {
        if (until_ == runtime::Time::max()) until_ = now + traffic_.duration;
        to_issue_ = now < until_ ? traffic_.eagerness + 1 : 0;  // more than one poll can use up
    }
    if (traffic_.fickle && isotach_.deliverable() != 0) change_mind();
    return receive() + send();
}

unsigned Program::receive() {
    isotach::Delivery delivery;
    unsigned n = 0;
    for (; n < 32 && isotach_.receive(delivery); ++n)
        note(delivery);
    if (n == 0 || kept_.size() > 8) release(n == 0 ? kept_.size() : random_.below(kept_.size() + 1));
    return n;
}

void Program::note(const isotach::Delivery& d) {
    const LogicalTime time{d.time.pulse, static_cast<Place>(d.time.place), d.time.host, d.time.rank};
    last_ = time.pulse;
    const auto channel = static_cast<std::uint8_t>(d.channel);
    switch (d.kind) {
        case isotach::DeliveryKind::kMessage: {
            const std::uint64_t content = content_of(d.data);
            // Which part it is shows when all is known.
            events_.push_back(Delivery{time, d.time.host, d.isochron, 0, content});
            kept_.push_back({d, content});
            ++delivered_;
            break;
        }
        case isotach::DeliveryKind::kSignal:
            events_.push_back(SignalNotice{channel, time});
            break;
        case isotach::DeliveryKind::kBarrier:
            events_.push_back(BarrierNotice{channel, time});
            break;
        case isotach::DeliveryKind::kLeft:
        case isotach::DeliveryKind::kJoined:
            events_.push_back(
                MembershipNotice{d.channel, d.kind == isotach::DeliveryKind::kJoined, d.isochron, time});
            if (isochron_.empty() || isotach_.fits(isochron_)) break;
            isochron_.clear();
            parts_.clear();
            break;
    }
}

/// In any order; what was received must not have changed meanwhile.
void Program::release(std::size_t n) {
    for (; n > 0; --n) {
        const std::size_t i = random_.below(kept_.size());
        const Kept kept = kept_[i];
        kept_[i] = kept_.back();
        kept_.pop_back();
        if (content_of(kept.delivery.data) != kept.content && complaint_.empty())
            complaint_ = "host " + std::to_string(host_) + ": a message has changed while it was kept";
        isotach_.release(kept.delivery);
    }
}

/// Says only what was done: who claims to have moved something is polled again at once.
unsigned Program::send() {
    unsigned issued = 0;
    for (std::uint64_t tries = random_.below(traffic_.eagerness + 1); tries > 0; --tries) {
        if (isochron_.empty()) {
            if (to_issue_ == 0 || !isotach_.started()) break;
            if (random_.below(100) < traffic_.acts && (traffic_.fickle || isotach_.deliverable() == 0)) act();
            build();
        }
        if (!issue()) break;
        ++issued;
    }
    return issued;
}

void Program::build() {
    parts_.clear();
    const bool to_self = random_.below(100) < traffic_.self && traffic_.workload == Workload::kRandom;
    for (std::uint64_t n = some_parts(); n > 0; --n) {
        const std::uint16_t to = to_self ? host_ : some_host(n);
        const auto room = isochron_.add(to, some_size(to));
        if (!room) break;
        fill(*room);
        parts_.push_back({to, content_of(*room)});
    }
    if (isochron_.empty()) return;
    if (!isotach_.fits(isochron_)) return isochron_.clear();
    --to_issue_;
}

std::uint64_t Program::some_parts() {
    return traffic_.workload == Workload::kAll ? known_.size() : 1 + random_.below(traffic_.most_parts);
}

/// For the parts of an isochron, counted from 1.
std::uint16_t Program::some_host(std::uint64_t part) {
    switch (traffic_.workload) {
        case Workload::kPairs:
            return next_;
        case Workload::kAll:
            return known_[part - 1];
        case Workload::kRandom:
            break;
    }
    return known_[random_.below(known_.size())];
}

std::size_t Program::some_size(std::uint16_t to) {
    const std::size_t in_frame = to == host_ ? 200 : isotach_.most_in_frame(to);
    const std::uint64_t chance = random_.below(100);
    const std::size_t most =
        chance < traffic_.large_parts ? std::min(24 * in_frame, isotach_.max_message(to)) : in_frame;
    const bool is_long = chance < traffic_.large_parts + traffic_.long_parts;
    return random_.below((is_long ? most : std::min<std::size_t>(most, 64)) + 1);
}

void Program::fill(std::span<std::byte> out) {
    while (!out.empty()) {
        const std::uint64_t word = random_.next();
        const std::size_t n = std::min(out.size(), sizeof word);
        std::memcpy(out.data(), &word, n);
        out = out.subspan(n);
    }
}

bool Program::issue() {
    if (isochron_.empty()) return false;
    const std::uint32_t number = isotach_.next_isochron();
    const Pulse clock = isotach_.siu().clock();
    const bool waits = isotach_.outstanding() != 0;
    if (!isotach_.send(isochron_)) return false;
    ++issued_;
    messages_ += parts_.size();
    const bool abroad =
        std::any_of(parts_.begin(), parts_.end(), [&](const Part& p) { return p.destination != host_; });
    const Pulse stamp = abroad || waits ? isotach_.last_stamp() : 0;
    events_.push_back(Issue{number, clock, stamp, std::exchange(parts_, {})});
    return true;
}

void Program::act() {
    const auto signal = static_cast<std::uint8_t>(random_.below(wire::kSignalChannels));
    const auto barrier = static_cast<std::uint8_t>(random_.below(wire::kBarrierChannels));
    if (traffic_.fickle && random_.below(3) == 0) {
        if (random_.below(2) == 0) return change_registration(signal);
        if (!enter(barrier)) join(barrier);
        return;
    }
    switch (random_.below(4)) {
        case 0:
            if (isotach_.send_signal(signal)) events_.push_back(SignalSent{signal, isotach_.acted_at()});
            break;
        case 1:
            join(barrier);
            break;
        case 2:
            enter(barrier);
            break;
        default:
            // Seldom, or no barrier would ever have many members.
            if (random_.below(4) == 0) leave(barrier);
            break;
    }
}

bool Program::join(std::uint8_t barrier) {
    const bool weak = traffic_.fickle && random_.below(2) == 0;
    const BarrierMode mode = weak ? BarrierMode::kWeak : BarrierMode::kStrong;
    if (!isotach_.join_barrier(barrier, mode)) return false;
    // Until the others know of it, they complete barriers without this host.
    const Pulse known = isotach_.acted_at() + isotach_.siu().greatest_distance();
    events_.push_back(BarrierJoined{barrier, known, false});
    return true;
}

bool Program::enter(std::uint8_t barrier) {
    if (!isotach_.enter_barrier(barrier)) return false;
    const bool strong = isotach_.barrier_mode(barrier) == BarrierMode::kStrong;
    events_.push_back(BarrierEntered{barrier, isotach_.acted_at(), strong});
    return true;
}

void Program::leave(std::uint8_t barrier) {
    if (isotach_.barrier(barrier) == BarrierState::kApart) return;
    isotach_.leave_barrier(barrier);
    events_.push_back(BarrierLeft{barrier, isotach_.acted_at()});
}

/// Also of what is registered already, or is not.
void Program::change_registration(std::uint8_t signal) {
    if (random_.below(4) != 0) {
        if (isotach_.register_signal(signal))
            events_.push_back(SignalRegistered{signal, isotach_.ordering().executed()});
    } else if (isotach_.clear_signal(signal)) {
        events_.push_back(SignalCleared{signal, received()});
    }
}

/// While something waits to be received: perhaps a notice, which it is not to have any more.
void Program::change_mind() {
    if (!isotach_.started() || random_.below(200) >= traffic_.acts) return;
    if (random_.below(4) == 0) leave(static_cast<std::uint8_t>(random_.below(wire::kBarrierChannels)));
    const auto signal = static_cast<std::uint8_t>(random_.below(wire::kSignalChannels));
    for (std::uint64_t times = 1 + random_.below(3); times > 0; --times)
        change_registration(signal);
}

/// The last pulse of which it has certainly received all.
Pulse Program::received() const {
    if (isotach_.deliverable() == 0) return isotach_.ordering().executed();
    return last_ == 0 ? 0 : last_ - 1;
}

}  // namespace isoplane::sim
