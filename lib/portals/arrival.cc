// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// What others ask of this process, and what they answer.
#include <isoplane/portals/interface.hh>

namespace isoplane::portals {

namespace {

/// Of what this message begins where it arrives.
EventKind start_of(MessageType type) {
    switch (type) {
        case MessageType::kPut:
            return EventKind::kPutStart;
        case MessageType::kGet:
            return EventKind::kGetStart;
        case MessageType::kGetPut:
            return EventKind::kGetPutStart;
        default:
            return EventKind::kReplyStart;
    }
}

}  // namespace

Landing Interface::arrive(const Header& header) {
    const Lock lock(mutex_);
    Descriptor* md = nullptr;
    Range range;
    if (!accept(header, md, range)) return {};
    Pending& pending = *pending_.take();
    const Pieces where = commit(pending, *md, header, range);
    return {pending.handle, where};
}

void Interface::landed(Operation operation, Failure failure) {
    const Lock lock(mutex_);
    Pending* const pending = pending_.find(operation);
    if (pending != nullptr && land(*pending, failure)) pending_.give_back(*pending);
}

void Interface::sent(Operation operation, Failure failure) {
    const Lock lock(mutex_);
    Pending* const pending = pending_.find(operation);
    if (pending == nullptr) return;
    finish(*pending, failure);
    pending_.give_back(*pending);
}

void Interface::deliver(const Header& header, std::span<const std::byte> data) {
    const Lock lock(mutex_);
    Descriptor* md = nullptr;
    Range range;
    if (!accept(header, md, range)) return;
    Pending here;
    // What a get-put answers with may have to stay for longer.
    const bool stays = header.type == MessageType::kGetPut;
    Pending& pending = stays ? *pending_.take() : here;
    const Pieces where = commit(pending, *md, header, range);
    copy(where, data.first(static_cast<std::size_t>(where.length)));
    if (land(pending, kSuccess) && stays) pending_.give_back(pending);
}

/// Everything that is done with a message before its data, and all of one without: false then, and for one
/// that finds no place.
bool Interface::accept(const Header& header, Descriptor*& md, Range& range) {
    if (!is_open_) return false;
    md = find_place(header, range);
    if (md == nullptr) {
        const bool is_answer = header.type == MessageType::kReply || header.type == MessageType::kAck;
        if (!is_answer || !options_.planted.drops_uncounted) count(Register::kDropCount, header.payload());
        return false;
    }
    switch (header.type) {
        case MessageType::kAck:
            acknowledge(*md, header, range);
            return false;
        case MessageType::kGet:
            send_reply(*md, header, range);
            return false;
        default:
            return true;
    }
}

/// The message has its place, and the MD is as it will be afterwards. Returns where the data goes.
Pieces Interface::commit(Pending& pending, Descriptor& md, const Header& header, const Range& range) {
    charge(md);
    if (header.type != MessageType::kReply) {
        if (!md.has(kManageRemote)) md.local_offset = range.offset + range.length;
        if (md.is_exhausted()) use_up(md, md.on_exhaustion == Unlink::kUnlink);
        if (options_.planted.inactive_at_end) [[unlikely]]
            md.inactive = false;
    }
    begin(pending, md, start_of(header.type), header, range);
    tell_start(pending);

    if (header.type == MessageType::kGet) return {};
    count(Register::kRecvCount, range.length);
    if (header.type == MessageType::kGetPut) {
        pending.is_answered = true;
        pending.swapped.resize(static_cast<std::size_t>(range.length));
        pending.segment = {pending.swapped.data(), range.length};
        return {{&pending.segment, 1}, 0, range.length};
    }
    const bool wants_ack = header.type == MessageType::kPut && header.md != kNone;
    pending.is_answered = wants_ack && (!md.has(kAckDisable) || options_.planted.acks_all);
    return md.pieces(range.offset, range.length);
}

void Interface::acknowledge(Descriptor& md, const Header& header, const Range& range) noexcept {
    count(Register::kRecvCount, 0);
    charge(md);
    const Deed deed{&header, range, md.threshold};
    std::optional<Sequence> link;
    if (md.tells_single()) link = tell(md, EventKind::kAck, deed, kSuccess, {});
    unlink_if_due(md, deed, link);
}

void Interface::send_reply(Descriptor& md, const Header& header, const Range& range) {
    const Header answer = answer_to(header, MessageType::kReply, range.length);
    const Pieces data = md.pieces(range.offset, range.length);
    Pending here;
    const bool is_sent = nal_.inject(*this, answer, data);
    Pending& pending = is_sent ? here : *pending_.take();
    commit(pending, md, header, range);
    count(Register::kSendCount, range.length);
    if (is_sent)
        finish(pending, kSuccess);
    else
        nal_.submit(*this, answer, data, pending.handle);
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

/// All of its data is here. Returns whether that is its end; if not, it ends when its answer has been sent.
bool Interface::land(Pending& pending, Failure failure) {
    if (pending.is_answered && failure == kSuccess) {
        const Header& message = *pending.deed.message;
        const Size length = pending.deed.moved.length;
        if (message.type == MessageType::kPut) {
            // It is in the stream before anybody can know of the put, and ask for more.
            nal_.submit(*this, answer_to(message, MessageType::kAck, length), {}, kNone);
        } else {
            swap(pending);
            count(Register::kSendCount, length);
            const Header answer = answer_to(message, MessageType::kReply, length);
            const Pieces data{{&pending.segment, 1}, 0, length};
            if (!nal_.inject(*this, answer, data)) {
                nal_.submit(*this, answer, data, pending.handle);
                return false;
            }
        }
    }
    finish(pending, failure);
    return true;
}

/// All of a get-put's data is here. No other may come between, even to the same memory by another interface.
void Interface::swap(Pending& pending) {
    static SpinLock swaps;
    const Lock lock(swaps);
    std::size_t at = 0;
    const Range& moved = pending.deed.moved;
    pending.md->pieces(moved.offset, moved.length).for_each([&](std::span<std::byte> piece) {
        std::swap_ranges(piece.begin(), piece.end(),
                         pending.swapped.begin() + static_cast<std::ptrdiff_t>(at));
        at += piece.size();
    });
}

}  // namespace isoplane::portals
