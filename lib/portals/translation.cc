// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Where a message that arrives finds its place.
#include <isoplane/portals/interface.hh>

namespace isoplane::portals {

namespace {

unsigned needed(MessageType type) {
    switch (type) {
        case MessageType::kPut:
            return kOpPut;
        case MessageType::kGet:
            return kOpGet;
        default:
            return kOpPut | kOpGet;
    }
}

bool fits(const Descriptor& md, const Header& header, Range& range) noexcept {
    range.offset = md.has(kManageRemote) ? header.remote_offset : md.local_offset;
    if (range.offset > md.total) return false;
    const Size room = md.total - range.offset;
    range.length = std::min(header.length, room);
    return header.length <= room || md.has(kTruncate);
}

}  // namespace

/// The MD that a message is for, and the part of it that is asked for or answered; nullptr when it is for
/// none, and why.
Descriptor* Interface::find_place(const Header& header, Range& range, Drop& why) noexcept {
    if (header.target != id_) [[unlikely]]
        return nullptr;
    return header.is_answer() ? find_answered(header, range, why) : find_asked(header, range, why);
}

Descriptor* Interface::find_asked(const Header& header, Range& range, Drop& why) noexcept {
    const bool is_too_long = header.type == MessageType::kGetPut &&
                             header.length > static_cast<Size>(std::max(options_.limits.max_getput, 0));
    const auto drop = [&why](Drop reason) {
        why = reason;
        return nullptr;
    };
    if (is_too_long) [[unlikely]]
        return drop(Drop::kTooLong);
    if (!admits(header)) [[unlikely]]
        return drop(header.portal >= portals_.size() ? Drop::kPortal : Drop::kAccess);
    if (pending_.is_full()) [[unlikely]]
        return drop(Drop::kBusy);
    Descriptor* const md = translate(header, range);
    return md != nullptr ? md : drop(Drop::kMatch);
}

/// That MD is not there when it has gone, or has had all the operations it was there for. Every one takes
/// replies, and cuts them off at its end.
Descriptor* Interface::find_answered(const Header& header, Range& range, Drop& why) noexcept {
    why = Drop::kAnswer;
    Descriptor* const md = descriptors_.find(header.md);
    if (md == nullptr || md->generation != header.md_generation || md->inactive) return nullptr;
    if (header.type == MessageType::kAck) {
        range = {header.remote_offset, header.mlength};
        return md;
    }
    if (header.return_offset > md->total || header.mlength > header.length) return nullptr;
    if (pending_.is_full()) {
        why = Drop::kBusy;
        return nullptr;
    }
    range = {header.return_offset, std::min(header.mlength, md->total - header.return_offset)};
    return md;
}

bool Interface::admits(const Header& header) const noexcept {
    if (header.portal >= portals_.size() + (options_.planted.one_portal_more ? 1 : 0)) return false;
    if (header.cookie >= access_.size()) return false;
    const AccessEntry& entry = access_[header.cookie];
    return (entry.uid == kAny || entry.uid == header.uid || options_.planted.admits_all_users) &&
           (entry.portal == kAny || entry.portal == header.portal) &&
           (entry.jid == kAny || entry.jid == header.jid) &&
           (entry.id.nid == kAny || entry.id.nid == header.initiator.nid) &&
           (entry.id.pid == kAny || entry.id.pid == header.initiator.pid);
}

Descriptor* Interface::translate(const Header& header, Range& range) noexcept {
    MatchList& list = portals_[std::min<std::size_t>(header.portal, portals_.size() - 1)];
    for (MatchEntry *entry = list.head, *next = nullptr; entry != nullptr; entry = next) {
        next = entry->after;
        if (!entry->matches(header.initiator, header.match_bits)) continue;
        if (options_.planted.literal_match && (entry->bits & entry->ignore) != 0) continue;
        Descriptor* const md = entry->md;
        if (md == nullptr || !md->serves(needed(header.type))) continue;
        if (fits(*md, header, range)) return md;
        if (options_.planted.stop_at_no_fit) [[unlikely]]
            return nullptr;
        if (md->on_no_fit != Unlink::kUnlink) continue;
        // What has no room for a request goes, as its user has asked for.
        use_up(*md, true);
        unlink_if_due(*md, {&header, {md->local_offset, 0}, md->threshold}, nullptr);
    }
    return nullptr;
}

}  // namespace isoplane::portals
