// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// What others ask of this process, and what they answer.
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

EventKind start_of(MessageType type) {
    switch (type) {
        case MessageType::kPut:
            return EventKind::kPutStart;
        case MessageType::kGet:
            return EventKind::kGetStart;
        default:
            return EventKind::kGetPutStart;
    }
}

}  // namespace

Landing Interface::arrive(const Header& header) {
    const Lock lock(mutex_);
    if (!is_open_) return {};
    if (header.target == id_) [[likely]] {
        switch (header.type) {
            case MessageType::kPut:
            case MessageType::kGet:
            case MessageType::kGetPut:
                return request(header);
            case MessageType::kReply:
                return reply(header);
            case MessageType::kAck:
                acknowledge(header);
                return {};
        }
    }
    drop(header);
    return {};
}

void Interface::drop(const Header& header) noexcept {
    ++counters_[static_cast<int>(Register::kDropCount)];
    counters_[static_cast<int>(Register::kDropLength)] += header.payload();
}

void Interface::receive(Size bytes) noexcept {
    ++counters_[static_cast<int>(Register::kRecvCount)];
    counters_[static_cast<int>(Register::kRecvLength)] += bytes;
}

Landing Interface::request(const Header& header) {
    Range range;
    Descriptor* md = nullptr;
    const bool too_long = header.type == MessageType::kGetPut &&
                          header.length > static_cast<Size>(std::max(options_.limits.max_getput, 0));
    if (!too_long && admits(header)) md = translate(header, range);
    if (md != nullptr) return begin_request(*md, header, range);
    drop(header);
    return {};
}

bool Interface::admits(const Header& header) const noexcept {
    if (header.portal >= portals_.size() + (options_.planted.one_portal_more ? 1 : 0)) return false;
    if (header.cookie >= access_.size()) return false;
    const AccessEntry& entry = access_[header.cookie];
    return (entry.uid == kAny || entry.uid == header.uid) &&
           (entry.portal == kAny || entry.portal == header.portal) &&
           (entry.jid == kAny || entry.jid == header.jid) &&
           (entry.id.nid == kAny || entry.id.nid == header.initiator.nid) &&
           (entry.id.pid == kAny || entry.id.pid == header.initiator.pid);
}

/// Finds the MD of a request, and where in it the data goes.
Descriptor* Interface::translate(const Header& header, Range& range) noexcept {
    if (pending_.live() >= kMostObjects) return nullptr;
    MatchList& list = portals_[std::min<std::size_t>(header.portal, portals_.size() - 1)];
    for (MatchEntry *entry = list.head, *next = nullptr; entry != nullptr; entry = next) {
        next = entry->after;
        if (!entry->spec.matches(header.initiator, header.match_bits)) continue;
        if (options_.planted.literal_match && (entry->spec.bits & entry->spec.ignore) != 0) continue;
        Descriptor* const md = entry->md;
        if (md == nullptr || !md->serves(needed(header.type))) continue;
        if (const auto fits = fit(*md, header)) {
            range = *fits;
            return md;
        }
        if (options_.planted.stop_at_no_fit) [[unlikely]]
            return nullptr;
        if (md->on_no_fit == Unlink::kUnlink) retire(*md, header);
    }
    return nullptr;
}

std::optional<Range> Interface::fit(const Descriptor& md, const Header& header) const noexcept {
    const Size offset = md.has(kManageRemote) ? header.remote_offset : md.local_offset;
    if (offset > md.total) return std::nullopt;
    const Size room = md.total - offset;
    if (header.length <= room) return Range{offset, header.length};
    if (md.has(kTruncate)) return Range{offset, room};
    return std::nullopt;
}

/// What has no room for a request goes, as its user has asked for.
void Interface::retire(Descriptor& md, const Header& header) noexcept {
    use_up(md, true);
    Event event = event_of(start_of(header.type), header, {md.local_offset, 0});
    event.md = md.handle;
    event.spec = md.spec;
    unlink_if_due(md, event, {});
}

/// `range` is what of an MD was moved.
Event Interface::event_of(EventKind kind, const Header& header, const Range& range) const noexcept {
    const bool has_data = header.type == MessageType::kPut || header.type == MessageType::kGetPut;
    return {.kind = kind,
            .initiator = header.initiator,
            .uid = header.uid,
            .jid = header.jid,
            .portal = header.portal,
            .match_bits = header.match_bits,
            .rlength = header.length,
            .mlength = range.length,
            .offset = range.offset,
            .md = kInvalid,
            .spec = {},
            .hdr_data = has_data ? header.hdr_data : 0,
            .link = 0,
            .failure = kSuccess,
            .sequence = 0};
}

Header Interface::answer_to(const Header& header, MessageType type, Size mlength) const noexcept {
    Header answer = header;
    answer.type = type;
    answer.target = header.initiator;
    answer.initiator = id_;
    answer.uid = options_.uid;
    answer.jid = options_.jid;
    answer.hdr_data = 0;
    answer.mlength = mlength;
    return answer;
}

Landing Interface::begin_request(Descriptor& md, const Header& header, const Range& range) {
    Pending& pending = *begin(md);
    if (!md.has(kManageRemote)) md.local_offset = range.offset + range.length;
    charge(md);
    if (md.is_exhausted()) use_up(md, md.on_exhaustion == Unlink::kUnlink);
    if (options_.planted.inactive_at_end) [[unlikely]]
        md.inactive = false;
    pending.event = event_of(start_of(header.type), header, range);
    start(pending);

    const Pieces memory = md.pieces(range.offset, range.length);
    switch (header.type) {
        case MessageType::kPut:
            receive(range.length);
            if (header.md != kNone && (!md.has(kAckDisable) || options_.planted.acks_all))
                pending.answer = answer_to(header, MessageType::kAck, range.length);
            return {pending.handle, memory};
        case MessageType::kGetPut:
            receive(range.length);
            pending.answer = answer_to(header, MessageType::kReply, range.length);
            pending.swapped.resize(static_cast<std::size_t>(range.length));
            pending.segment = {pending.swapped.data(), range.length};
            return {pending.handle, {{&pending.segment, 1}, 0, range.length}};
        default:
            nal_.submit(*this, answer_to(header, MessageType::kReply, range.length), memory, pending.handle);
            ++counters_[static_cast<int>(Register::kSendCount)];
            counters_[static_cast<int>(Register::kSendLength)] += range.length;
            return {};
    }
}

/// All of a get-put's data is here. No other may come between, even to the same memory by another interface.
void Interface::swap(Pending& pending) {
    static std::mutex swaps;
    const Lock lock(swaps);
    std::size_t at = 0;
    pending.md->pieces(pending.event.offset, pending.event.mlength).for_each([&](std::span<std::byte> piece) {
        std::swap_ranges(piece.begin(), piece.end(),
                         pending.swapped.begin() + static_cast<std::ptrdiff_t>(at));
        at += piece.size();
    });
}

void Interface::landed(Operation operation, Failure failure) {
    const Lock lock(mutex_);
    Pending* const pending = pending_.find(operation);
    if (pending == nullptr) return;
    if (failure != kSuccess || !pending->answer) return finish(*pending, failure);
    const Header answer = *pending->answer;
    if (answer.type == MessageType::kAck) {
        // It is in the stream before anybody can know of the put, and ask for more.
        nal_.submit(*this, answer, {}, kNone);
        return finish(*pending, failure);
    }
    swap(*pending);
    nal_.submit(*this, answer, {{&pending->segment, 1}, 0, answer.mlength}, operation);
    ++counters_[static_cast<int>(Register::kSendCount)];
    counters_[static_cast<int>(Register::kSendLength)] += answer.mlength;
}

void Interface::sent(Operation operation, Failure failure) {
    const Lock lock(mutex_);
    if (Pending* const pending = pending_.find(operation)) finish(*pending, failure);
}

/// The MD that an answer is for; nullptr when it is gone, or has had all the operations it was there for.
Descriptor* Interface::find_answered(const Header& header) noexcept {
    Descriptor* const md = descriptors_.find(header.md);
    return md != nullptr && md->generation == header.md_generation && !md->inactive ? md : nullptr;
}

void Interface::acknowledge(const Header& header) {
    Descriptor* const md = find_answered(header);
    if (md == nullptr) {
        if (!options_.planted.drops_uncounted) drop(header);
        return;
    }
    receive(0);
    charge(*md);
    Event event = event_of(EventKind::kAck, header, {header.remote_offset, header.mlength});
    event.md = md->handle;
    event.spec = md->spec;
    std::optional<Sequence> link;
    if (md->tells_single()) {
        tell(*md->events, event, {});
        link = event.link;
    }
    unlink_if_due(*md, event, link);
}

/// Every MD takes replies, and cuts them off at its end.
Landing Interface::reply(const Header& header) {
    Descriptor* const md = find_answered(header);
    if (md == nullptr || header.return_offset > md->total || header.mlength > header.length ||
        pending_.live() >= kMostObjects) {
        if (!options_.planted.drops_uncounted) drop(header);
        return {};
    }
    const Range range{header.return_offset, std::min(header.mlength, md->total - header.return_offset)};
    receive(range.length);
    Pending& pending = *begin(*md);
    charge(*md);
    pending.event = event_of(EventKind::kReplyStart, header, range);
    start(pending);
    return {pending.handle, md->pieces(range.offset, range.length)};
}

}  // namespace isoplane::portals
