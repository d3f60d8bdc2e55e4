// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/sim/scheduler.hh>

namespace isoplane::sim {

using runtime::Duration;

Scheduler::Unit Scheduler::add() {
    const auto unit = static_cast<Unit>(states_.size());
    states_.push_back({Time::max(), now_, 0});
    plan(unit, now_ + draw(pace_.gap));
    return unit;
}

Scheduler::Unit Scheduler::next(Time limit) noexcept {
    while (!heap_.empty() && heap_.front().at <= limit) {
        const Entry entry = heap_.front();
        std::pop_heap(heap_.begin(), heap_.end(), later);
        heap_.pop_back();
        State& state = states_[entry.unit];
        if (state.next != entry.at) continue;
        state.next = Time::max();
        now_ = entry.at;
        return entry.unit;
    }
    now_ = std::max(now_, limit);
    return kNobody;
}

void Scheduler::polled(Unit unit, bool moved, Time arrival) noexcept {
    State& state = states_[unit];
    const Duration gap = draw_gap();
    state.ready = now_ + gap;
    state.empty_polls = moved ? 0 : std::min(state.empty_polls + 1, 30U);
    const Duration idle = std::min(gap * (std::int64_t{1} << state.empty_polls), pace_.idle);
    const Time at = moved ? state.ready : std::max(state.ready, std::min(arrival, now_ + idle));
    // What the unit sent to itself while it was polled may have planned it already.
    if (at < state.next || state.next < state.ready) plan(unit, at);
}

void Scheduler::bring_forward(Unit unit, Time at) noexcept {
    const State& state = states_[unit];
    at = std::max({at, state.ready, now_}) + draw(pace_.gap);
    if (at < state.next) plan(unit, at);
}

/// Allocates only until the heap has grown to what is usual: stale entries leave it as time passes them.
void Scheduler::plan(Unit unit, Time at) noexcept {
    states_[unit].next = at;
    heap_.push_back({at, unit});
    std::push_heap(heap_.begin(), heap_.end(), later);
}

Duration Scheduler::draw_gap() noexcept {
    const bool stalls = pace_.stall > 0 && random_.unit() < pace_.stall;
    return draw(stalls ? pace_.longest_stall : pace_.gap);
}

/// From 1 ns, so that time always goes on, to `most`.
Duration Scheduler::draw(Duration most) noexcept {
    const auto span = static_cast<std::uint64_t>(std::max<Duration::rep>(most.count(), 1));
    return Duration{1 + static_cast<Duration::rep>(random_.below(span))};
}

}  // namespace isoplane::sim
