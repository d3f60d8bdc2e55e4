// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// The life of an operation on an MD. All of it runs under the lock, so that no reader ever sees a part of a
// step: an END is there when the MD is free of its operation, an UNLINK when MD and entry are gone.
#include <isoplane/portals/interface.hh>

namespace isoplane::portals {

/// The MD is as the operation leaves it. The message stays as long as the operation goes on.
void Interface::begin(Course& course, Descriptor& md, EventKind start, const Header& message,
                      Range moved) noexcept {
    course.md = &md;
    course.start = start;
    course.deed.message = &message;
    course.deed.moved = moved;
    course.deed.threshold = md.threshold;
    course.is_told = false;
    course.is_silent = false;
    course.is_answered = false;
    course.has_used_up = md.inactive;
    ++md.pending;
}

void Interface::tell_start(Course& course) noexcept {
    Descriptor& md = *course.md;
    if (md.tells_end()) ++md.events->promised;
    if (!md.tells_start()) return;
    course.link = tell(md, course.start, course.deed, kSuccess, nullptr);
    course.is_told = true;
}

/// Takes one operation off the threshold.
void Interface::charge(Descriptor& md) noexcept {
    if (md.threshold > 0) --md.threshold;
    if (md.threshold == 0) use_up(md, md.on_exhaustion == Unlink::kUnlink);
}

/// An operation has made it inactive.
void Interface::use_up(Descriptor& md, bool unlinks) noexcept {
    md.inactive = true;
    if (!unlinks || md.unlink_due) return;
    md.unlink_due = true;
    if (md.tells_unlink()) ++md.events->promised;
}

void Interface::finish(Course& course, Failure failure) noexcept {
    Descriptor& md = *course.md;
    --md.pending;
    if (course.is_silent) {
        course.deed.threshold = md.threshold;
    } else if (md.tells_end()) {
        --md.events->promised;
        const Sequence* const link = course.is_told ? &course.link : nullptr;
        course.link = tell(md, end_of(course.start), course.deed, failure, link);
        course.is_told = true;
    }
    if (options_.planted.inactive_at_end && md.threshold == 0) [[unlikely]]
        md.inactive = true;
    if (options_.planted.one_unlinks && !course.has_used_up) [[unlikely]]
        return;
    unlink_if_due(md, course.deed, course.is_told ? &course.link : nullptr);
}

/// Of every operation that ends, whichever has used the MD up: the last one takes it along.
void Interface::unlink_if_due(Descriptor& md, const Deed& deed, const Sequence* link) noexcept {
    if (!md.unlink_due || md.pending > 0) return;
    if (md.tells_unlink()) {
        --md.events->promised;
        tell(md, EventKind::kUnlink, deed, kSuccess, link);
    }
    remove(md);
}

/// Without a link, the event is the first of its operation. Returns its link.
Sequence Interface::tell(const Descriptor& md, EventKind kind, const Deed& deed, Failure failure,
                         const Sequence* link) noexcept {
    const Header& message = *deed.message;
    const bool has_data = message.type == MessageType::kPut || message.type == MessageType::kGetPut;
    Event& event = md.events->next();
    event.kind = kind;
    event.initiator = message.initiator;
    event.uid = message.uid;
    event.jid = message.jid;
    event.portal = message.portal;
    event.match_bits = message.match_bits;
    event.rlength = message.length;
    event.mlength = deed.moved.length;
    event.offset = deed.moved.offset;
    event.md = md.handle;
    event.spec = md.spec;
    event.spec.threshold = deed.threshold;
    event.hdr_data = has_data ? message.hdr_data : 0;
    event.link = link != nullptr ? *link : event.sequence;
    event.failure = failure;
    md.events->post();
    changed();
    return event.link;
}

/// There is something to see for who waits.
void Interface::changed() noexcept {
    changes_.store(changes() + 1, std::memory_order_release);
    if (sleepers_ > 0) changed_.notify_all();
}

void Interface::count(Register messages, Size bytes) noexcept {
    const auto index = static_cast<std::size_t>(messages);
    ++counters_[index];
    counters_[index + 1] += bytes;  // every register of messages has that of their bytes behind it
}

}  // namespace isoplane::portals
