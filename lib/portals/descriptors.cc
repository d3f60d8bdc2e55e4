// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Memory descriptors come, change and go at their user's will.
#include <isoplane/portals/interface.hh>

namespace isoplane::portals {

namespace {

/// Whether there can be such memory.
bool exists(const void* start, Size length) {
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    return length == 0 || (start != nullptr && length <= UINTPTR_MAX - address);
}

std::span<const Segment> segments_of(const MdSpec& spec) {
    return {static_cast<const Segment*>(spec.start), static_cast<std::size_t>(spec.length)};
}

}  // namespace

Status Interface::check(const MdSpec& spec) const noexcept {
    if ((spec.options & kIovec) == 0)
        return exists(spec.start, spec.length) ? Status::kOk : Status::kMdIllegal;
    if (spec.length > static_cast<Size>(std::max(options_.limits.iovecs, 0))) return Status::kMdIllegal;
    if (spec.length > 0 && spec.start == nullptr) return Status::kMdIllegal;
    Size total = 0;
    for (const Segment& segment : segments_of(spec)) {
        if (!exists(segment.base, segment.length) || segment.length > ~total) return Status::kMdIllegal;
        total += segment.length;
    }
    return Status::kOk;
}

/// A queue of another interface makes the MD illegal; one that is nowhere is invalid.
Status Interface::find_events(Handle eq, EventQueue*& events) noexcept {
    events = nullptr;
    if (eq == kNoQueue) return Status::kOk;
    const HandleParts parts = HandleParts::unpack(eq);
    const bool could_be = parts.generation < HandleParts::kGenerations && parts.kind == Kind::kQueue;
    if (could_be && parts.interface != number_) return Status::kMdIllegal;
    events = queues_.find(eq);
    return events != nullptr ? Status::kOk : Status::kEqInvalid;
}

/// With a fresh threshold, and its offset at the beginning.
void Interface::set(Descriptor& md, const MdSpec& spec, EventQueue* events) {
    md.spec = spec;
    md.threshold = spec.threshold < 0 && spec.threshold != kInfinite ? 0 : spec.threshold;
    md.events = events;
    md.inactive = md.threshold == 0;
    if (!options_.planted.keeps_offset) [[likely]]
        md.local_offset = 0;
    if ((spec.options & kIovec) == 0) {
        md.plain = {spec.start, spec.length};
        md.total = spec.length;
        return;
    }
    const auto segments = segments_of(spec);
    md.iovec.assign(segments.begin(), segments.end());
    md.total = 0;
    for (const Segment& segment : segments)
        md.total += segment.length;
    if (options_.planted.counts_segments) [[unlikely]]
        md.total = spec.length;
}

Status Interface::make(const MdSpec& spec, Descriptor*& md) {
    EventQueue* events = nullptr;
    if (const Status status = check(spec); status != Status::kOk) return status;
    if (const Status status = find_events(spec.eq, events); status != Status::kOk) return status;
    md = descriptors_.take();
    if (md == nullptr) return Status::kNoSpace;
    set(*md, spec, events);
    return Status::kOk;
}

Status Interface::attach(Handle entry, const MdSpec& spec, Unlink on_exhaustion, Unlink on_no_fit,
                         Handle& md) {
    const Lock lock(mutex_);
    MatchEntry* const to = entries_.find(entry);
    if (to == nullptr) return Status::kMeInvalid;
    if (to->md != nullptr) return Status::kMeInUse;
    Descriptor* made = nullptr;
    if (const Status status = make(spec, made); status != Status::kOk) return status;
    made->on_exhaustion = on_exhaustion;
    made->on_no_fit = on_no_fit;
    made->entry = to;
    to->md = made;
    md = made->handle;
    return Status::kOk;
}

Status Interface::bind(const MdSpec& spec, Unlink on_exhaustion, Handle& md) {
    const Lock lock(mutex_);
    if (!is_open_) return Status::kNiInvalid;
    Descriptor* made = nullptr;
    if (const Status status = make(spec, made); status != Status::kOk) return status;
    made->on_exhaustion = on_exhaustion;
    md = made->handle;
    return Status::kOk;
}

Status Interface::unlink(Handle handle) {
    const Lock lock(mutex_);
    Descriptor* const md = descriptors_.find(handle);
    if (md == nullptr) return Status::kMdInvalid;
    if (md->pending > 0) return Status::kMdInUse;
    remove(*md);
    return Status::kOk;
}

/// The caller of an update of an MD with segments says in `old` where they go, and how many there is room
/// for; either way it learns where it had them itself, and how many there are.
void Interface::give_old(const Descriptor& md, MdSpec& old) const noexcept {
    if (md.has(kIovec) && (old.options & kIovec) != 0 && old.start != nullptr) {
        const std::size_t room = std::min<std::size_t>(md.iovec.size(), old.length);
        std::copy_n(md.iovec.begin(), room, static_cast<Segment*>(old.start));
    }
    old = md.spec;
    old.threshold = md.threshold;
}

Status Interface::test_settled(Handle test) noexcept {
    if (test == kNoQueue) return Status::kOk;
    const EventQueue* const queue = queues_.find(test);
    if (queue == nullptr) return Status::kEqInvalid;
    const bool settled = options_.planted.forgets_promises ? queue->unread() == 0 : queue->settled();
    return settled ? Status::kOk : Status::kMdNoUpdate;
}

Status Interface::update(Handle handle, MdSpec* old, const MdSpec* fresh, Handle test) {
    const Lock lock(mutex_);
    Descriptor* const md = descriptors_.find(handle);
    if (md == nullptr) return Status::kMdInvalid;
    const Status tested = test_settled(test);
    if (tested == Status::kEqInvalid) return tested;
    // What is new may be made of what is old, in the same place.
    MdSpec next{};
    if (fresh != nullptr && old != nullptr) fresh = &(next = *fresh);
    EventQueue* events = nullptr;
    Status status = fresh != nullptr ? check(*fresh) : Status::kOk;
    if (status == Status::kOk && fresh != nullptr) status = find_events(fresh->eq, events);
    if (old != nullptr) give_old(*md, *old);
    if (fresh == nullptr || status != Status::kOk) return status;
    if (tested != Status::kOk) return tested;
    if (md->pending > 0) return Status::kMdNoUpdate;
    set(*md, *fresh, events);
    return Status::kOk;
}

Status Interface::post(Handle base, const MatchSpec& match, Position position, const MdSpec& spec,
                       Unlink on_exhaustion, Handle test, Handle& entry, Handle& md) {
    const Lock lock(mutex_);
    MatchEntry* const beside = entries_.find(base);
    if (beside == nullptr) return Status::kMeInvalid;
    if (const Status status = check(spec); status != Status::kOk) return status;
    if (const Status status = test_settled(test); status != Status::kOk) return status;
    Status status{};
    MatchEntry* const made = make_entry(beside->portal, match, beside, position, status);
    if (made == nullptr) return status;
    Descriptor* its = nullptr;
    status = make(spec, its);
    if (status != Status::kOk) {
        remove(*made);
        return status;
    }
    its->on_exhaustion = on_exhaustion;
    its->entry = made;
    made->md = its;
    entry = made->handle;
    md = its->handle;
    return Status::kOk;
}

}  // namespace isoplane::portals
