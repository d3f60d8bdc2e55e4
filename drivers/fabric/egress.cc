// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_ether.h>

#include <algorithm>
#include <isoplane/fabric/damage.hh>
#include <isoplane/fabric/egress.hh>

namespace isoplane::fabric {

namespace {

/// What a frame costs on an Ethernet wire beside its bytes: preamble and start (8), check sequence (4),
/// inter-frame gap (12).
constexpr std::uint64_t kWireOverhead = 24;
constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

}  // namespace

void EgressCounters::clear() noexcept {
    for (runtime::Counter* counter : {&offered, &out, &lost, &duplicated, &reordered, &corrupted, &late,
                                      &delayed, &queue_full, &cut, &no_memory})
        counter->set(0);
}

Egress::Egress(std::uint64_t seed, std::uint64_t port, unsigned capacity, runtime::Pool& copies)
    : line_(capacity), limit_(std::min(capacity, settings_.queue)), fates_(seed, port), copies_(&copies) {}

void Egress::set(const Impairment& settings) noexcept {
    while (held_back_.size() != 0)
        let_go(last_due_);
    if (!settings.same_pace(settings_)) {
        line_.release();
        free_wire();
    }
    settings_ = settings;
    limit_ = std::min(line_.capacity(), settings.queue);
    harmless_ = settings.harmless();
    if (!settings.cut) return;
    counters_.cut.add(line_.clear());
    free_wire();
}

/// What comes next does not wait for what came before.
void Egress::free_wire() noexcept {
    last_due_ = Time::min();
    wire_free_ = Time{};
    bit_remainder_ = 0;
}

void Egress::refuse() noexcept {
    counters_.offered.add();
    counters_.cut.add();
    fates_.skip();
}

void Egress::impair(rte_mbuf* frame, Time now) noexcept {
    const Fate fate = fates_.next(settings_);
    if (settings_.cut) return drop(frame, counters_.cut);
    if (fate.lost) return drop(frame, counters_.lost);
    // Before anything is done to it: what is counted as corrupted or duplicated from here on also arrives.
    if (room() == 0) return drop(frame, counters_.queue_full);
    if (fate.corrupted) {
        if (rte_mbuf* damaged = corrupt(frame, fate.where); damaged != nullptr)
            return enqueue(damaged, fate.delay, now, false);
    }
    rte_mbuf* twin = nullptr;
    if (fate.duplicated && room() >= 2) {
        twin = copy(frame);
        if (twin != nullptr) counters_.duplicated.add();
    }
    if (fate.held_back && held_back_.size() < kMaxHeldBack) return hold_back(frame, twin, fate.delay, now);
    enqueue(frame, fate.delay, now, false);
    if (fate.late) keep_copy(frame, last_due_ + fate.after);
    if (twin != nullptr) enqueue(twin, fate.delay, now, false);
    ++passed_;
    while (held_back_.size() != 0 && passed_ - held_back_.front().since >= settings_.gap)
        let_go(now);
}

rte_mbuf* Egress::copy(const rte_mbuf* frame) noexcept {
    rte_mbuf* made = rte_pktmbuf_copy(frame, copies_->raw(), 0, UINT32_MAX);
    if (made == nullptr) counters_.no_memory.add();
    return made;
}

/// What has no room there does not come again.
void Egress::keep_copy(const rte_mbuf* frame, Time due) noexcept {
    if (late_.full()) return;
    if (rte_mbuf* made = copy(frame); made != nullptr) late_.push(made, due);
}

/// The frame damaged, or a damaged copy in its stead; nullptr when it cannot be, and then it is as it was.
rte_mbuf* Egress::corrupt(rte_mbuf* frame, std::uint64_t where) noexcept {
    if (frame->pkt_len <= RTE_ETHER_HDR_LEN) return nullptr;
    if (!is_ours_alone(frame)) {
        rte_mbuf* own = copy(frame);
        if (own == nullptr) return nullptr;
        rte_pktmbuf_free(frame);
        frame = own;
    }
    flip_bit(frame, where);
    counters_.corrupted.add();
    return frame;
}

void Egress::hold_back(rte_mbuf* frame, rte_mbuf* twin, runtime::Duration delay, Time now) noexcept {
    held_back_.slots[held_back_.tail++ % kMaxHeldBack] = {frame, twin, delay, now + settings_.hold, passed_};
    held_back_.frames += twin != nullptr ? 2U : 1U;
}

/// Moves the frame that has been held back longest into the line.
void Egress::let_go(Time now) noexcept {
    const HeldBack held = held_back_.front();
    ++held_back_.head;
    held_back_.frames -= held.twin != nullptr ? 2U : 1U;
    enqueue(held.frame, held.delay, now, passed_ != held.since);
    // The twin repeats a frame that its receiver has by then: a duplicate, not a late frame.
    if (held.twin != nullptr) enqueue(held.twin, held.delay, now, false);
}

void Egress::let_go_overdue(Time now) noexcept {
    while (held_back_.size() != 0 && held_back_.front().deadline <= now)
        let_go(now);
    while (late_.first_due() <= now)
        come_late(now);
}

/// Counted when it is inside, like a twin.
void Egress::come_late(Time now) noexcept {
    rte_mbuf* copy = late_.pop();
    if (settings_.cut || room() == 0) return rte_pktmbuf_free(copy);
    counters_.late.add();
    enqueue(copy, runtime::Duration{0}, now, false);
}

void Egress::enqueue(rte_mbuf* frame, runtime::Duration delay, Time now, bool late) noexcept {
    const Time due = std::max(last_due_, end_of_transmission(frame->pkt_len, now) + delay);
    if (due > now) counters_.delayed.add();
    line_.push(frame, due, late);
    last_due_ = due;
}

runtime::Time Egress::end_of_transmission(std::uint32_t bytes, Time now) noexcept {
    if (settings_.rate == 0) return now;
    const std::uint64_t bits = (bytes + kWireOverhead) * 8;
    const std::uint64_t scaled = bits * kNsPerSecond + bit_remainder_;
    bit_remainder_ = scaled % settings_.rate;
    wire_free_ =
        std::max(wire_free_, now) + runtime::Duration{static_cast<std::int64_t>(scaled / settings_.rate)};
    return wire_free_;
}

runtime::Time Egress::next_due() const noexcept {
    const Time first = std::min(line_.first_due(), late_.first_due());
    return held_back_.size() == 0 ? first : std::min(first, held_back_.front().deadline);
}

std::size_t Egress::discard() noexcept {
    std::size_t freed = line_.clear() + held_back_.frames;
    for (; held_back_.size() != 0; ++held_back_.head) {
        rte_pktmbuf_free(held_back_.front().frame);
        rte_pktmbuf_free(held_back_.front().twin);
    }
    held_back_.frames = 0;
    late_.clear();
    free_wire();
    return freed;
}

}  // namespace isoplane::fabric
