// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// What has come of it.
#include <algorithm>
#include <cstring>
#include <utility>

#include "endpoint.hh"

namespace isoplane::fi {

using namespace portals;

void Endpoint::look() {
    if (interface_->changes() == seen_ && unanswered_.empty() && later_ == 0) return;
    if (interface_->visit_events(queue_, [this](const Event& event) { handle(event); }) == Status::kEqDropped)
        [[unlikely]]
        complain("more has arrived at once than there is room to tell of: some of it is lost");
    seen_ = interface_->changes();
    if (!unanswered_.empty()) [[unlikely]] {
        const auto waiting = std::exchange(unanswered_, {});
        for (const auto& [from, request] : waiting)
            answer(from, request.data(), request.size());
    }
    if (later_ != 0) [[unlikely]]
        catch_up();
}

void Endpoint::handle(const Event& event) {
    switch (event.kind) {
        case EventKind::kPutStart:
            return on_arriving(event);
        case EventKind::kPutEnd:
            return on_put(event);
        case EventKind::kReplyEnd:
            return on_reply(event);
        case EventKind::kUnlink:
            return on_unlink(event);
        case EventKind::kSendEnd:
            if (Operation* operation = operation_of(event)) on_sent(*operation, event);
            return;
        case EventKind::kAck:
            if (Operation* operation = operation_of(event)) on_ack(*operation, event);
            return;
        case EventKind::kGetEnd:
            if (owner_of(event) == Owner::kOperation) {
                if (Operation* operation = operation_of(event)) on_taken(*operation, event);
            } else if (owner_of(event) == Owner::kRegion) {
                const Region* const region = domain_.regions().numbered(which_of(event));
                if (region != nullptr && region->reads != nullptr) region->reads->count(false);
                if (counters_.remote_read != nullptr) counters_.remote_read->count(false);
            }
            return;
        default:
            return;
    }
}

/// One that is put from memory at large is named by its offset, which means nothing to its receiver.
Operation* Endpoint::operation_of(const Event& event) noexcept {
    const Handle handle =
        owner_of(event) == Owner::kOperation ? which_of(event) : static_cast<Handle>(event.offset);
    return (HandleParts::unpack(handle).kind == Kind::kEntry ? answers_ : operations_).find(handle);
}

void Endpoint::on_sent(Operation& operation, const Event& event) {
    operation.has_left = true;
    if (event.failure != kSuccess || operation.is_doomed) return finish(operation, FI_EHOSTDOWN);
    using Kind = Operation::Kind;
    const bool is_done = operation.kind == Kind::kAnswer || operation.kind == Kind::kSend;
    if (is_done && !operation.awaits_ack) finish(operation, 0);
}

void Endpoint::on_ack(Operation& operation, const Event& event) {
    if (event.jid == kClosed) [[unlikely]]
        return finish(operation, FI_EHOSTDOWN);
    using Kind = Operation::Kind;
    // Its result says that it is done.
    if (operation.kind == Kind::kAtomic) return;
    // Of one to who has died. This may be another, long after: the offset names it, not its MD.
    if (event.failure != kSuccess) [[unlikely]] {
        if (operation.to == event.initiator.nid) finish(operation, FI_EHOSTDOWN);
        return;
    }
    const bool is_less = event.mlength < event.rlength;
    if (operation.kind == Kind::kWrite) return finish(operation, is_less ? FI_EACCES : 0);
    // Nothing of it was taken: it is got later.
    if (operation.kind == Kind::kOffer && event.mlength == 0 && is_less) return;
    finish(operation, 0);
}

/// What is offered has left. Where it is to be waited for, it is not there yet.
void Endpoint::on_taken(Operation& operation, const Event& event) {
    bool has_failed = event.failure != kSuccess;
    if (operation.awaits_ack && !has_failed) {
        if (event.rlength != 0) return;
        has_failed = event.offset == static_cast<Size>(Refusal::kGone);
    }
    finish(operation, has_failed ? FI_EHOSTDOWN : 0);
}

void Endpoint::on_put(const Event& event) {
    switch (owner_of(event)) {
        case Owner::kReceive:
            if (Receive* receive = receives_.find(which_of(event))) on_received(*receive, event);
            return;
        case Owner::kRegion:
            return tell_of_write(event);
        case Owner::kOperation:
            if (Operation* operation = operation_of(event)) {
                std::int32_t error = 0;
                std::memcpy(&error, operation->room, sizeof error);
                finish(*operation, event.failure != kSuccess ? FI_EHOSTDOWN : static_cast<int>(error));
            }
            return;
        default:
            return on_shelved(event);
    }
}

/// A message that nobody waits for begins: its place among them is that of its beginning.
void Endpoint::on_arriving(const Event& event) {
    const bool is_kept = owner_of(event) == Owner::kShelf;
    Shelved& list = shelved(event.portal);
    if (spare_.empty()) spare_.emplace_back();
    spare_.front() = {.from = event.initiator,
                      .bits = event.match_bits,
                      .length = event.rlength,
                      .landed = event.mlength,
                      .extra = event.hdr_data,
                      .is_kept = is_kept,
                      .buffer = is_kept ? which_of(event) : 0,
                      .data = is_kept ? shelf(event.portal).hold(event) : nullptr,
                      .claimant = nullptr,
                      .is_arriving = true,
                      .link = event.link};
    list.splice(list.end(), spare_, spare_.begin());
}

/// Most arrive at once: then it is the last.
Endpoint::Shelved* Endpoint::find_arriving(const Event& event, Shelved::iterator& at) {
    for (Shelved* list : {&shelved(event.portal), &promised_, &claimed_}) {
        const auto found = std::find_if(list->rbegin(), list->rend(), [&event](const Unexpected& message) {
            return message.is_arriving && message.link == event.link;
        });
        if (found == list->rend()) continue;
        at = std::prev(found.base());
        return list;
    }
    return nullptr;
}

/// All of it is there.
void Endpoint::on_shelved(const Event& event) {
    const bool is_kept = owner_of(event) == Owner::kShelf;
    if (event.portal == kRequests) {
        if (!is_kept) return;
        Shelf& its = shelf(event.portal);
        const std::uint32_t buffer = which_of(event);
        const std::byte* const data = its.hold(event);
        if (event.failure == kSuccess) answer(event.initiator, data, static_cast<std::size_t>(event.mlength));
        return its.release(buffer);
    }
    Shelved::iterator at;
    Shelved* const list = find_arriving(event, at);
    if (list == nullptr) return;
    at->is_arriving = false;
    const int error = event.failure != kSuccess ? FI_EHOSTDOWN : 0;
    if (list == &promised_) return keep_promise(at, error);
    if (error == 0) return;
    if (list == &claimed_) return fail(*at);
    drop(*list, at);
}

/// Who has claimed it is to hear that there will not be more of it.
void Endpoint::fail(Unexpected& message) {
    Extra extra = Extra::unpack(message.extra);
    extra.offer = kNone;
    message.extra = extra.pack();
    message.error = FI_EHOSTDOWN;
}

void Endpoint::on_received(Receive& receive, const Event& event) {
    const int error = event.failure != kSuccess ? FI_EHOSTDOWN : 0;
    void* const at = receive.is_multi && receive.buffer != nullptr
                         ? static_cast<std::byte*>(receive.buffer) + event.offset
                         : receive.buffer;
    report_receive(receive, event.initiator, event.match_bits, event.hdr_data, event.mlength, event.rlength,
                   at, error);
    const Handle offer = Extra::unpack(event.hdr_data).offer;
    if (event.mlength == 0 && event.rlength != 0 && offer != kNone) decline(event.initiator, offer);
    if (!receive.is_multi) receives_.give_back(receive);
}

void Endpoint::on_reply(const Event& event) {
    const bool has_failed = event.failure != kSuccess || event.jid == kClosed;
    if (owner_of(event) == Owner::kOperation) {
        if (Operation* operation = operation_of(event))
            finish(*operation, has_failed ? FI_EHOSTDOWN : event.mlength < event.rlength ? FI_EACCES : 0);
        return;
    }
    Receive* const part = receives_.find(which_of(event));
    if (part == nullptr) return;
    // Who offered it has gone, if there is less of it than was asked for.
    const bool is_lost = has_failed || event.mlength < event.rlength;
    report_receive(*part, part->from, part->bits, part->extra, is_lost ? 0 : event.mlength, part->length,
                   part->buffer, is_lost ? FI_EHOSTDOWN : 0);
    const Extra extra = Extra::unpack(part->extra);
    if (!is_lost && extra.is_awaited()) decline(part->from, extra.offer);
    const Handle whole = part->whole;
    receives_.give_back(*part);
    finish_part(whole);
}

void Endpoint::on_unlink(const Event& event) {
    if (owner_of(event) == Owner::kShelf) {
        if (!shelf(event.portal).unlinked(which_of(event))) [[unlikely]]
            later_ |= kRefill;
        return;
    }
    Receive* const receive = owner_of(event) == Owner::kReceive ? receives_.find(which_of(event)) : nullptr;
    if (receive == nullptr || !receive->is_multi) return;
    receive->is_full = true;
    if (receive->parts == 0) report_end(*receive, receive->error);
}

/// What waits for that node waits in vain. What the network still holds, it gives back first.
void Endpoint::lost(Nid nid) {
    operations_.for_each([nid](Operation& operation) { operation.is_doomed |= operation.to == nid; });
    receives_.for_each([nid](Receive& receive) {
        if (receive.from.nid == nid) receive.error = FI_EHOSTDOWN;
    });
    later_ |= kBury;
    // What it was to be asked for is not to be had any more, and no receive is to find it.
    for (Shelved& list : shelved_) {
        for (auto at = list.begin(); at != list.end();) {
            const auto its = at++;
            const bool is_offer = its->landed < its->length && Extra::unpack(its->extra).offer != kNone;
            if (its->from.nid == nid && is_offer) spare_.splice(spare_.begin(), list, its);
        }
    }
    for (Unexpected& message : claimed_)
        if (message.from.nid == nid && message.landed < message.length) fail(message);
}

void Endpoint::catch_up() {
    const std::uint8_t due = std::exchange(later_, std::uint8_t{0});
    if ((due & kRefill) != 0)
        for (Shelf& its : shelves_)
            if (!its.refill()) later_ |= kRefill;
    if ((due & kBury) != 0) bury();
}

void Endpoint::bury() {
    operations_.for_each([this](Operation& operation) {
        if (!operation.is_doomed) return;
        // The descriptor of an atomic operation is for its result: the request is put from elsewhere.
        const bool is_free = operation.has_left &&
                             (operation.md == kInvalid || interface_->unlink(operation.md) == Status::kOk);
        if (is_free)
            finish(operation, FI_EHOSTDOWN);
        else
            later_ |= kBury;
    });
    receives_.for_each([this](Receive& receive) {
        if (receive.error == 0 || (receive.is_multi && receive.is_full)) return;
        if (interface_->unlink(receive.md) != Status::kOk) {
            later_ |= kBury;
            return;
        }
        receive.is_full = true;
        if (receive.is_multi && receive.parts != 0) return;
        if (!receive.is_fetching) return report_end(receive, receive.error);
        report_receive(receive, receive.from, receive.bits, receive.extra, 0, receive.length, receive.buffer,
                       receive.error);
        const Handle whole = receive.whole;
        receives_.give_back(receive);
        finish_part(whole);
    });
}

}  // namespace isoplane::fi
