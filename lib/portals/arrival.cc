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
    pending.message = header;
    commit(pending, *md, pending.message, range);
    return {pending.handle, place_of(pending)};
}

void Interface::landed(Operation operation, Failure failure) {
    const Lock lock(mutex_);
    Pending* const pending = pending_.find(operation);
    if (pending != nullptr && land(*pending, failure)) pending_.give_back(*pending);
}

/// Where nobody waits for it any more nothing has been dropped, either.
void Interface::give_up(const Header& answer) {
    {
        const Lock lock(mutex_);
        Range range;
        Drop why{};
        Descriptor* const md = is_open_ ? find_place(answer, range, why) : nullptr;
        if (md == nullptr) return;
        if (answer.type == MessageType::kAck) return acknowledge(*md, answer, range, kFailed);
    }
    landed(arrive(answer).operation, kFailed);
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
    const auto used = data.first(static_cast<std::size_t>(range.length));
    if (header.type == MessageType::kGetPut) [[unlikely]] {
        // What it answers with may have to stay for longer.
        Pending& pending = *pending_.take();
        pending.message = header;
        commit(pending, *md, pending.message, range);
        copy(place_of(pending), used);
        if (land(pending, kSuccess)) pending_.give_back(pending);
        return;
    }
    Course course;
    commit(course, *md, header, range);
    copy(md->pieces(range.offset, range.length), used);
    if (course.is_answered) send_ack(course);
    finish(course, kSuccess);
}

/// Everything that is done with a message before its data, and all of one without: false then, and for one
/// that finds no place.
bool Interface::accept(const Header& header, Descriptor*& md, Range& range) {
    if (!is_open_) return false;
    Drop why = Drop::kProcess;
    md = find_place(header, range, why);
    if (md == nullptr) [[unlikely]] {
        if (header.is_answer() && options_.planted.drops_uncounted) return false;
        count(Register::kDropCount, header.payload());
        ++drops_[static_cast<std::size_t>(why)];
        return false;
    }
    switch (header.type) {
        case MessageType::kAck:
            count(Register::kRecvCount, 0);
            acknowledge(*md, header, range, kSuccess);
            return false;
        case MessageType::kGet:
            send_reply(*md, header, range);
            return false;
        default:
            return true;
    }
}

/// The message has its place, and the MD is as it will be afterwards.
void Interface::commit(Course& course, Descriptor& md, const Header& header, Range range) noexcept {
    charge(md);
    if (header.type != MessageType::kReply) {
        if (!md.has(kManageRemote)) md.local_offset = range.offset + range.length;
        if (md.is_exhausted()) use_up(md, md.on_exhaustion == Unlink::kUnlink);
        if (options_.planted.inactive_at_end) [[unlikely]]
            md.inactive = false;
    }
    begin(course, md, start_of(header.type), header, range);
    tell_start(course);

    if (header.type == MessageType::kGet) return;
    count(Register::kRecvCount, range.length);
    const bool wants_ack = header.type == MessageType::kPut && header.md != kNone;
    course.is_answered = header.type == MessageType::kGetPut ||
                         (wants_ack && (!md.has(kAckDisable) || options_.planted.acks_all));
}

/// Where its data goes.
Pieces Interface::place_of(Pending& pending) {
    const Range moved = pending.deed.moved;
    if (pending.message.type != MessageType::kGetPut) return pending.md->pieces(moved.offset, moved.length);
    pending.swapped.resize(static_cast<std::size_t>(moved.length));
    pending.segment = {pending.swapped.data(), moved.length};
    return {{&pending.segment, 1}, 0, moved.length};
}

void Interface::acknowledge(Descriptor& md, const Header& header, Range range, Failure failure) noexcept {
    charge(md);
    const Deed deed{&header, range, md.threshold};
    const bool tells = md.tells_single();
    const Sequence link = tells ? tell(md, EventKind::kAck, deed, failure, nullptr) : 0;
    unlink_if_due(md, deed, tells ? &link : nullptr);
}

void Interface::send_reply(Descriptor& md, const Header& header, Range range) {
    const Header answer = answer_to(header, MessageType::kReply, range.length);
    const Pieces data = md.pieces(range.offset, range.length);
    count(Register::kSendCount, range.length);
    if (nal_.inject(*this, answer, data)) {
        Course course;
        commit(course, md, header, range);
        return finish(course, kSuccess);
    }
    Pending& pending = *pending_.take();
    pending.message = header;
    commit(pending, md, pending.message, range);
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

/// It is in the stream before anybody can know of the put, and ask for more.
void Interface::send_ack(const Course& course) {
    const Header answer = answer_to(*course.deed.message, MessageType::kAck, course.deed.moved.length);
    nal_.submit(*this, answer, {}, kNone);
}

/// All of its data is here. Returns whether that is its end; if not, it ends when its answer has been sent.
bool Interface::land(Pending& pending, Failure failure) {
    if (pending.is_answered && failure == kSuccess) {
        if (pending.message.type == MessageType::kPut) {
            send_ack(pending);
        } else {
            swap(pending);
            const Size length = pending.deed.moved.length;
            count(Register::kSendCount, length);
            const Header answer = answer_to(pending.message, MessageType::kReply, length);
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
    const std::lock_guard lock(swaps);
    std::size_t at = 0;
    const Range& moved = pending.deed.moved;
    pending.md->pieces(moved.offset, moved.length).for_each([&](std::span<std::byte> piece) {
        std::swap_ranges(piece.begin(), piece.end(),
                         pending.swapped.begin() + static_cast<std::ptrdiff_t>(at));
        at += piece.size();
    });
}

}  // namespace isoplane::portals
