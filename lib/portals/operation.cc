// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// The life of an operation on an MD. All of it runs under the lock, so that no reader ever sees a part of a
// step: an END is there when the MD is free of its operation, an UNLINK when MD and entry are gone.
#include <isoplane/portals/interface.hh>

namespace isoplane::portals {

/// nullptr when too many are in progress.
Interface::Pending* Interface::begin(Descriptor& md) noexcept {
    Pending* const pending = pending_.take();
    if (pending == nullptr) return nullptr;
    pending->md = &md;
    ++md.pending;
    return pending;
}

/// Takes one operation off the threshold.
void Interface::charge(Descriptor& md) noexcept {
    if (md.spec.threshold > 0) --md.spec.threshold;
    if (md.spec.threshold == 0) use_up(md, md.on_exhaustion == Unlink::kUnlink);
}

/// An operation has made it inactive.
void Interface::use_up(Descriptor& md, bool unlinks) noexcept {
    md.inactive = true;
    if (!unlinks || md.unlink_due) return;
    md.unlink_due = true;
    if (md.tells_single()) ++md.events->promised;
}

/// The MD is as the operation leaves it: tells so.
void Interface::start(Pending& pending) noexcept {
    Descriptor& md = *pending.md;
    pending.used_up = md.inactive;
    pending.event.md = md.handle;
    pending.event.spec = md.spec;
    if (md.tells_end()) ++md.events->promised;
    if (!md.tells_start()) return;
    tell(*md.events, pending.event, {});
    pending.link = pending.event.link;
}

void Interface::finish(Pending& pending, Failure failure) noexcept {
    Descriptor& md = *pending.md;
    --md.pending;
    Event event = pending.event;
    if (!pending.silent && md.tells_end()) {
        --md.events->promised;
        event.kind = end_of(event.kind);
        event.failure = failure;
        tell(*md.events, event, pending.link);
        pending.link = event.link;
    }
    if (pending.silent) {
        event.md = md.handle;
        event.spec = md.spec;
    }
    if (options_.planted.inactive_at_end && md.spec.threshold == 0) [[unlikely]]
        md.inactive = true;
    const bool is_cause = pending.used_up;
    const auto link = pending.link;
    pending_.give_back(pending);
    if (options_.planted.one_unlinks && !is_cause) [[unlikely]]
        return;
    unlink_if_due(md, event, link);
}

/// Of every operation that ends, whichever has used the MD up: the last one takes it along.
void Interface::unlink_if_due(Descriptor& md, Event event, std::optional<Sequence> link) noexcept {
    if (!md.unlink_due || md.pending > 0) return;
    if (md.tells_single()) {
        --md.events->promised;
        event.kind = EventKind::kUnlink;
        event.failure = kSuccess;
        tell(*md.events, event, link);
    }
    remove(md);
}

/// Without a link, the event is the first of its operation.
void Interface::tell(EventQueue& queue, Event& event, std::optional<Sequence> link) noexcept {
    event.link = link.value_or(queue.write);
    queue.post(event);
    ++changes_;
    changed_.notify_all();
}

}  // namespace isoplane::portals
