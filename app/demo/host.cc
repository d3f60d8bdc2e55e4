// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "host.hh"

namespace isoplane::demo {

namespace {

/// Of a host at once: enough to keep the network busy, few enough to show what an isochron alone takes.
constexpr std::uint32_t kMostOutstanding = 16;
constexpr unsigned kBurst = 32;
constexpr unsigned kBarrier = 0;
constexpr std::uint32_t kSignalEvery = 50;

}  // namespace

Host::Host(const std::string& name, runtime::Input& from, runtime::Output& to, runtime::Pool& pool,
           const niu::Options& options, const topology::Paths& paths)
    : Stage(name),
      hosts_(static_cast<unsigned>(paths.topology().host_count())),
      self_(options.node),
      niu_(name, from, to, pool, options),
      dispatcher_(niu_),
      siu_(niu_, paths),
      isotach_(niu_, siu_, pool),
      isochron_(isotach_.isochron()),
      witness_(hosts_, self_) {
    takes_from(from);
    gives_to(to);
    isotach_.attach_to(dispatcher_);
    for (unsigned channel = 1; channel < wire::kSignalChannels; ++channel)
        isotach_.register_signal(channel);
}

unsigned Host::poll(runtime::Time now) {
    unsigned moved = niu_.poll(now);
    moved += dispatcher_.dispatch();
    moved += isotach_.poll(now);
    moved += execute(now);
    return moved + issue(now);
}

void Host::set_quiet(bool quiet) {
    niu_.set_quiet(quiet);
    siu_.be_quiet(quiet);
}

bool Host::is_ready() {
    if (!niu_.all_up() || !siu_.started()) return false;
    if (!joined_) joined_ = isotach_.join_barrier(kBarrier, isotach::BarrierMode::kStrong);
    return joined_ && isotach_.group_knows();
}

bool Host::rests(siu::Pulse pulse) const {
    return isochron_.empty() && isotach_.settled() && isotach_.ordering().behind() == 0 &&
           !isotach_.waiting() && !siu_.acting() && isotach_.ordering().executed() >= pulse;
}

unsigned Host::execute(runtime::Time now) {
    unsigned n = 0;
    for (isotach::Delivery delivery; n < kBurst && isotach_.receive(delivery); ++n) {
        witness_.see(delivery);
        if (delivery.kind != isotach::DeliveryKind::kMessage) continue;
        if (delivery.data.size() >= Script::kNote) {
            const std::int64_t sent_at = Note::read(delivery.data).sent_at;
            latency_.record(static_cast<std::uint64_t>(
                std::max<std::int64_t>(now.time_since_epoch().count() - sent_at, 0)));
        }
        isotach_.release(delivery);
    }
    return n;
}

unsigned Host::issue(runtime::Time now) {
    unsigned n = 0;
    while (n < kBurst && isotach_.outstanding() < kMostOutstanding) {
        if (isochron_.empty() && (!issuing_ || !act() || !build(now))) break;
        if (!isotach_.send(isochron_)) break;
        ++n;
    }
    return n;
}

/// What is to be done in the group before the next isochron. False while that cannot be done yet.
bool Host::act() {
    const std::uint32_t next = isotach_.next_isochron();
    if (acted_ == next) return true;
    // False while this host still waits for the others in the barrier before.
    if (next % kBarrierEvery == 0 && !isotach_.enter_barrier(kBarrier)) return false;
    if (next % kSignalEvery == 0) isotach_.send_signal(1 + self_ % (wire::kSignalChannels - 1));
    acted_ = next;
    return true;
}

bool Host::build(runtime::Time now) {
    const Script script(hosts_, self_, isotach_.next_isochron());
    const Note note{.sent_at = now.time_since_epoch().count(), .seen = witness_.pulse()};
    for (unsigned i = 0; i < script.messages().size(); ++i) {
        const auto room = isochron_.add(script.messages()[i].to, script.messages()[i].size);
        if (!room) {  // the pool is used up; what has come will be released
            isochron_.clear();
            return false;
        }
        note.write(*room);
        script.write(i, room->subspan(Script::kNote));
    }
    return true;
}

}  // namespace isoplane::demo
