// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Where messages go, and those that were there before their receive.
#include <algorithm>
#include <cstring>

#include "endpoint.hh"

namespace isoplane::fi {

using namespace portals;

namespace {

constexpr std::uint64_t completion_of(Portal portal) {
    return FI_RECV | (portal == kTagged ? FI_TAGGED : FI_MSG);
}

/// How much of a segment is left behind what has been used.
iovec rest_of(const Segment& all, Size used) {
    return {static_cast<std::byte*>(all.base) + used, static_cast<std::size_t>(all.length - used)};
}

}  // namespace

Endpoint::Shelved::iterator Endpoint::find_shelved(const Incoming& in, const ProcessId& from) {
    Shelved& list = shelved(in.portal);
    return std::find_if(list.begin(), list.end(), [&](const Unexpected& message) {
        return ((message.bits ^ in.tag) & ~in.ignore) == 0 && (from == kAnyone || from == message.from);
    });
}

void Endpoint::report_receive(const Receive& receive, const ProcessId& from, Bits bits, std::uint64_t word,
                              Size moved, Size length, void* at, int error) {
    const Extra extra = Extra::unpack(word);
    if (error == 0 && moved < length) error = FI_ETRUNC;
    if (counters_.receive != nullptr) counters_.receive->count(error != 0);
    if (receives_to_ == nullptr || (!receive.reports && error == 0)) return;
    const bool has_source = (caps_ & FI_SOURCE) != 0;
    receives_to_->write({.context = receive.context,
                         .flags = receive.flags | (extra.has_data ? FI_REMOTE_CQ_DATA : 0),
                         .length = static_cast<std::size_t>(moved),
                         .buffer = at,
                         .data = extra.data,
                         .tag = bits,
                         .source = has_source ? vector_->name_of(from) : FI_ADDR_NOTAVAIL,
                         .cut_off = static_cast<std::size_t>(length - moved),
                         .error = error});
}

/// It ends without a message: it failed, was cancelled, or has no more room.
void Endpoint::report_end(Receive& receive, int error) {
    if (counters_.receive != nullptr && error != 0) counters_.receive->count(true);
    if (receives_to_ != nullptr)
        receives_to_->write({.context = receive.context,
                             .flags = error != 0 ? receive.flags : FI_MULTI_RECV,
                             .error = error});
    receives_.give_back(receive);
}

/// Takes a message off the shelf.
void Endpoint::drop(Shelved& list, Shelved::iterator at, Refusal why) {
    if (at->is_arriving) return promised_.splice(promised_.end(), list, at);
    const Extra extra = Extra::unpack(at->extra);
    if (at->is_kept) shelf(Shelf::portal_of(at->buffer)).release(at->buffer);
    if (at->landed < at->length && extra.offer != kNone) decline(at->from, extra.offer, why);
    spare_.splice(spare_.begin(), list, at);
}

/// Whoever offers a message of which nothing is wanted, or nothing more, learns so by a request for nothing.
void Endpoint::decline(const ProcessId& from, Handle offer, Refusal why) {
    MdSpec spec{.start = &number_,
                .length = 0,
                .threshold = 1,
                .max_size = 0,
                .options = kStartDisable | kUnlinkDisable,
                .user_ptr = nullptr,
                .eq = kNoQueue};
    Handle md = kInvalid;
    if (interface_->bind(spec, Unlink::kUnlink, md) != Status::kOk) return;
    interface_->get(md, Range{},
                    {.process = from,
                     .portal = kOffers,
                     .cookie = 0,
                     .match_bits = offer,
                     .remote_offset = static_cast<Size>(why)});
}

/// Gets what its sender has kept. False when it cannot be now.
bool Endpoint::fetch(const Unexpected& message, const Incoming& in, Segments& to, Handle whole) {
    Receive* const part = receives_.take();
    if (part == nullptr) return false;
    part->context = in.context;
    part->flags = completion_of(in.portal);
    part->reports = reports(in.flags, false);
    part->is_multi = false;
    part->is_fetching = true;
    part->error = 0;
    part->parts = 0;
    part->whole = whole;
    part->from = message.from;
    part->buffer = to.count != 0 ? to.all[0].base : nullptr;
    part->bits = message.bits;
    part->extra = message.extra;
    part->length = message.length;
    MdSpec spec{.start = nullptr,
                .length = 0,
                .threshold = 1,
                .max_size = 0,
                .options = kStartDisable | kUnlinkDisable,
                .user_ptr = mark(Owner::kReceive, part->handle),
                .eq = queue_};
    to.fill(spec);
    const Range range{0, std::min<Size>(to.length, message.length)};
    const Target target{.process = message.from,
                        .portal = kOffers,
                        .cookie = 0,
                        .match_bits = Extra::unpack(message.extra).offer,
                        .remote_offset = 0};
    if (interface_->bind(spec, Unlink::kUnlink, part->md) != Status::kOk ||
        interface_->get(part->md, range, target) != Status::kOk) {
        receives_.give_back(*part);
        return false;
    }
    if (network().is_lost(message.from.nid)) {
        part->error = FI_EHOSTDOWN;
        later_ |= kBury;
    }
    return true;
}

/// What is there of a message, which is all that there will be.
void Endpoint::hand_over(const Unexpected& message, const Incoming& in, Segments& to, int error) {
    const Size moved = std::min<Size>(message.landed, to.length);
    if (moved != 0) copy(to.pieces(), std::span(message.data, static_cast<std::size_t>(moved)));
    Receive done;
    done.context = in.context;
    done.flags = completion_of(in.portal);
    done.reports = reports(in.flags, false);
    // Without an offer, it was too much for the shelf, and is lost.
    const bool is_lost = message.landed < message.length && Extra::unpack(message.extra).offer == kNone;
    report_receive(done, message.from, message.bits, message.extra, moved, message.length,
                   to.count != 0 ? to.all[0].base : nullptr,
                   error != 0 ? error
                   : is_lost  ? FI_ENOBUFS
                              : 0);
}

/// Hands a message that came before it to a receive.
Endpoint::Delivery Endpoint::deliver(Shelved& list, Shelved::iterator at, const Incoming& in, Segments& to,
                                     Handle whole) {
    if (at->is_arriving) {
        at->promise = std::make_unique<Promise>(
            Promise{in, std::vector<iovec>(in.pieces.begin(), in.pieces.end()), whole});
        promised_.splice(promised_.end(), list, at);
        return Delivery::kLater;
    }
    if (at->landed < at->length && Extra::unpack(at->extra).offer != kNone && to.length != 0) {
        if (!fetch(*at, in, to, whole)) return Delivery::kNotNow;
        spare_.splice(spare_.begin(), list, at);
        return Delivery::kLater;
    }
    hand_over(*at, in, to, at->error);
    drop(list, at);
    return Delivery::kDone;
}

/// The message is there now.
void Endpoint::keep_promise(Shelved::iterator at, int error) {
    const std::unique_ptr<Promise> promise = std::move(at->promise);
    if (promise == nullptr) return drop(promised_, at);
    Segments to(promise->pieces);
    if (error != 0) {
        hand_over(*at, promise->in, to, error);
        drop(promised_, at);
        return finish_part(promise->whole);
    }
    switch (deliver(promised_, at, promise->in, to, promise->whole)) {
        case Delivery::kDone:
            return finish_part(promise->whole);
        case Delivery::kLater:
            return;
        case Delivery::kNotNow:
            // There are so many receives that none can be made for this one; it is not to be forgotten.
            hand_over(*at, promise->in, to, FI_ENOMEM);
            drop(promised_, at);
            return finish_part(promise->whole);
    }
}

ssize_t Endpoint::receive(const Incoming& in) {
    if (!is_enabled()) return -FI_EOPBADSTATE;
    const bool is_directed = in.from != FI_ADDR_UNSPEC && (caps_ & FI_DIRECTED_RECV) != 0;
    const ProcessId from = is_directed ? process(in.from) : kAnyone;
    if (in.pieces.size() > kSegments || (is_directed && from.nid >= network().size())) return -FI_EINVAL;
    if ((in.flags & FI_PEEK) != 0) return peek(in, from);
    if ((in.flags & FI_CLAIM) != 0) return claim(in);
    if (receives_.is_full()) {
        network().progress();
        return -FI_EAGAIN;
    }
    Segments to(in.pieces);
    if ((in.flags & FI_MULTI_RECV) != 0) return post_multi(in, to, from);
    Shelved& list = shelved(in.portal);
    if (const auto at = find_shelved(in, from); at != list.end()) {
        return deliver(list, at, in, to, kInvalid) != Delivery::kNotNow ? 0 : -FI_EAGAIN;
    }
    Receive& receive = *receives_.take();
    receive.context = in.context;
    receive.flags = completion_of(in.portal);
    receive.reports = reports(in.flags, false);
    receive.is_multi = false;
    if (from != kAnyone && network().is_lost(from.nid)) {
        report_end(receive, FI_EHOSTDOWN);
        return 0;
    }
    return post(receive, in, to, from);
}

ssize_t Endpoint::post(Receive& receive, const Incoming& in, Segments& to, const ProcessId& from) {
    receive.is_fetching = false;
    receive.is_full = false;
    receive.error = 0;
    receive.whole = kInvalid;
    receive.from = from;
    receive.buffer = to.count != 0 ? to.all[0].base : nullptr;
    MdSpec spec{.start = nullptr,
                .length = 0,
                .threshold = 1,
                .max_size = 0,
                .options = kOpPut | kStartDisable | kTruncate | kUnlinkDisable,
                .user_ptr = mark(Owner::kReceive, receive.handle),
                .eq = queue_};
    to.fill(spec);
    const MatchSpec match{.id = from, .bits = in.tag, .ignore = in.ignore, .unlink = Unlink::kUnlink};
    Handle entry = kInvalid;
    const Status status = interface_->post(shelf(in.portal).border(), match, Position::kBefore, spec,
                                           Unlink::kUnlink, kNoQueue, entry, receive.md);
    if (status == Status::kOk) return 0;
    receives_.give_back(receive);
    return error_of(status);
}

/// Takes what is there first, one message behind the other. It is full when the next has no room, which those
/// behind that are not to overtake. One that is longer than all of the buffer is cut off.
ssize_t Endpoint::post_multi(const Incoming& in, Segments& to, const ProcessId& from) {
    if (to.count != 1) return -FI_EINVAL;
    Receive& receive = *receives_.take();
    receive.context = in.context;
    receive.flags = completion_of(in.portal);
    receive.reports = reports(in.flags, false);
    receive.is_multi = true;
    receive.is_fetching = false;
    receive.is_full = false;
    receive.error = 0;
    receive.parts = 0;
    receive.whole = kInvalid;
    receive.from = from;
    receive.md = kInvalid;
    const Segment all = to.all[0];
    Shelved& list = shelved(in.portal);
    Size used = 0;
    bool is_untouched = true;
    ssize_t problem = 0;
    while (!receive.is_full) {
        const auto at = find_shelved(in, from);
        if (at == list.end()) break;
        const Size length = at->length;
        receive.is_full = length > all.length - used;
        if (receive.is_full && !is_untouched) break;
        const iovec room = rest_of(all, used);
        Incoming part = in;
        part.pieces = {&room, 1};
        Segments here(part.pieces);
        const Delivery delivery = deliver(list, at, part, here, receive.handle);
        if (delivery == Delivery::kNotNow) {
            problem = -FI_EAGAIN;
            break;
        }
        if (delivery == Delivery::kLater) ++receive.parts;
        used += std::min<Size>(length, room.iov_len);
        is_untouched = false;
        receive.is_full |= all.length - used < least_room_;
    }
    if (problem == 0 && !receive.is_full) {
        problem = attach_multi(receive, in, rest_of(all, used));
        if (problem == 0 && from != kAnyone && network().is_lost(from.nid)) {
            receive.error = FI_EHOSTDOWN;
            later_ |= kBury;
        }
        if (problem == 0) return 0;
    }
    if (is_untouched) {
        receives_.give_back(receive);
        return problem;
    }
    // Whatever it was, what has come is in it: it is given back early.
    receive.is_full = true;
    if (receive.parts == 0) report_end(receive, 0);
    return 0;
}

/// What has no room in it makes it go.
ssize_t Endpoint::attach_multi(Receive& receive, const Incoming& in, const iovec& room) {
    receive.buffer = room.iov_base;
    const MdSpec spec{.start = room.iov_base,
                      .length = room.iov_len,
                      .threshold = kInfinite,
                      .max_size = least_room_,
                      .options = kOpPut | kStartDisable | kMaxSize,
                      .user_ptr = mark(Owner::kReceive, receive.handle),
                      .eq = queue_};
    const MatchSpec match{.id = receive.from, .bits = in.tag, .ignore = in.ignore, .unlink = Unlink::kUnlink};
    Handle entry = kInvalid;
    Status status = interface_->insert_entry(shelf(in.portal).border(), match, Position::kBefore, entry);
    if (status != Status::kOk) return error_of(status);
    status = interface_->attach(entry, spec, Unlink::kUnlink, Unlink::kUnlink, receive.md);
    if (status != Status::kOk) interface_->unlink_entry(entry);
    return error_of(status);
}

/// One more of the messages that came before it is in a buffer for several, if it is one.
void Endpoint::finish_part(Handle whole) {
    Receive* const receive = whole != kInvalid ? receives_.find(whole) : nullptr;
    if (receive != nullptr && --receive->parts == 0 && receive->is_full) report_end(*receive, receive->error);
}

ssize_t Endpoint::peek(const Incoming& in, const ProcessId& from) {
    network().progress();
    Shelved& list = shelved(in.portal);
    const auto at = find_shelved(in, from);
    const bool is_there = at != list.end();
    if (receives_to_ != nullptr && (!is_there || reports(in.flags, false))) {
        const Extra extra = is_there ? Extra::unpack(at->extra) : Extra{};
        receives_to_->write({.context = in.context,
                             .flags = completion_of(in.portal) | (extra.has_data ? FI_REMOTE_CQ_DATA : 0),
                             .length = is_there ? static_cast<std::size_t>(at->length) : 0,
                             .data = extra.data,
                             .tag = is_there ? at->bits : in.tag,
                             .source = is_there ? vector_->name_of(at->from) : FI_ADDR_NOTAVAIL,
                             .error = is_there ? 0 : FI_ENOMSG});
    }
    if (!is_there) return 0;
    if ((in.flags & FI_DISCARD) != 0) {
        drop(list, at);
    } else if ((in.flags & FI_CLAIM) != 0) {
        at->claimant = in.context;
        claimed_.splice(claimed_.end(), list, at);
    }
    return 0;
}

ssize_t Endpoint::claim(const Incoming& in) {
    const auto at = std::find_if(claimed_.begin(), claimed_.end(),
                                 [&](const Unexpected& message) { return message.claimant == in.context; });
    if (at == claimed_.end()) return -FI_EINVAL;
    if ((in.flags & FI_DISCARD) != 0) {
        Receive done;
        done.context = in.context;
        done.flags = completion_of(in.portal);
        done.reports = reports(in.flags, false);
        report_receive(done, at->from, at->bits, at->extra, 0, 0, nullptr, 0);
        drop(claimed_, at);
        return 0;
    }
    Segments to(in.pieces);
    return deliver(claimed_, at, in, to, kInvalid) != Delivery::kNotNow ? 0 : -FI_EAGAIN;
}

/// One that is being filled completes as it would have; one for several messages ends when those have come
/// that have begun to.
ssize_t Endpoint::cancel(void* context) {
    if (!is_enabled()) return -FI_EOPBADSTATE;
    look();
    Receive* found = nullptr;
    receives_.for_each([&](Receive& receive) {
        if (receive.context == context && !receive.is_fetching && found == nullptr) found = &receive;
    });
    if (found == nullptr) return -FI_ENOENT;
    if (found->is_multi) {
        if (found->is_full) return 0;
        found->error = FI_ECANCELED;
        bury();
    } else if (interface_->unlink(found->md) == Status::kOk) {
        report_end(*found, FI_ECANCELED);
    }
    return 0;
}

}  // namespace isoplane::fi
