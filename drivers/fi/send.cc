// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cstring>

#include "endpoint.hh"

namespace isoplane::fi {

using namespace portals;

namespace {

/// Messages to another endpoint of this process arrive all at once, however many there are: they take little
/// room on its shelf.
constexpr std::size_t kMostToSelf = 256;

constexpr bool awaits_delivery(std::uint64_t flags) {
    return (flags & FI_DELIVERY_COMPLETE) != 0;
}

}  // namespace

bool Endpoint::reports(std::uint64_t flags, bool transmits) const noexcept {
    if ((transmits ? sends_ : receives_to_) == nullptr) return false;
    return !is_selective(transmits) || (flags & FI_COMPLETION) != 0;
}

/// nullptr when there are as many as there may be.
Operation* Endpoint::begin(Operation::Kind kind, const ProcessId& to, std::uint64_t flags,
                           std::uint64_t completion, void* context) {
    Slots<Operation>& slots = kind == Operation::Kind::kAnswer ? answers_ : operations_;
    Operation* const operation = slots.take();
    if (operation == nullptr) return nullptr;
    operation->kind = kind;
    operation->reports = completion != 0 && (flags & kSilent) == 0 && reports(flags, true);
    operation->awaits_ack = kind == Operation::Kind::kWrite || awaits_delivery(flags);
    operation->has_left = false;
    operation->is_doomed = false;
    operation->context = context;
    operation->flags = completion;
    operation->to = to.nid;
    operation->md = kInvalid;
    return operation;
}

/// It never came to anything.
ssize_t Endpoint::give_up(Operation& operation, Status status) {
    if (operation.md != kInvalid) interface_->unlink(operation.md);
    operations_.give_back(operation);
    return error_of(status);
}

/// Its user may change the data as soon as the call returns.
void Endpoint::keep(Operation& operation, Segments& data) const {
    copy(std::span(operation.room, data.length), data.pieces());
    data.all[0] = {operation.room, data.length};
    data.count = 1;
}

Status Endpoint::put_short(Operation& operation, Segments& data, const Target& target, std::uint64_t extra) {
    const AckRequest ack = operation.awaits_ack ? AckRequest::kAck : AckRequest::kNoAck;
    if (data.count <= 1) {
        const auto at = reinterpret_cast<std::uintptr_t>(data.all[0].base);
        const Range range{data.length == 0 ? 0 : at - 1, data.length};
        return interface_->put(all_memory_, range, ack, target, extra);
    }
    MdSpec spec{.start = nullptr,
                .length = 0,
                .threshold = operation.awaits_ack ? 2 : 1,
                .max_size = 0,
                .options = kStartDisable,
                .user_ptr = mark(Owner::kOperation, operation.handle),
                .eq = queue_};
    data.fill(spec);
    const Status status = interface_->bind(spec, Unlink::kUnlink, operation.md);
    if (status != Status::kOk) return status;
    return interface_->put(operation.md, {}, ack, target, extra);
}

/// The other takes it now, or gets it later; and says when it has it, if that is waited for.
Status Endpoint::put_offer(Operation& operation, Segments& data, const Target& target, Extra extra) {
    extra.offer = operation.handle | (operation.awaits_ack ? Extra::kAwaited : 0);
    const MatchSpec match{.id = target.process, .bits = extra.offer, .ignore = 0, .unlink = Unlink::kUnlink};
    MdSpec spec{.start = nullptr,
                .length = 0,
                .threshold = kInfinite,
                .max_size = 0,
                .options = kOpGet | kManageRemote | kStartDisable,
                .user_ptr = mark(Owner::kOperation, operation.handle),
                .eq = queue_};
    data.fill(spec);
    Handle entry = kInvalid;
    Status status = interface_->attach_entry(kOffers, match, Position::kBefore, entry);
    if (status != Status::kOk) return status;
    status = interface_->attach(entry, spec, Unlink::kRetain, Unlink::kRetain, operation.md);
    if (status != Status::kOk) {
        interface_->unlink_entry(entry);
        return status;
    }
    return interface_->put(operation.md, {}, AckRequest::kAck, target, extra.pack());
}

ssize_t Endpoint::send(const Outgoing& out) {
    if (!is_enabled()) return -FI_EOPBADSTATE;
    const ProcessId to = process(out.to);
    if (to.nid >= network().size() || out.pieces.size() > kSegments) return -FI_EINVAL;
    if (network().is_lost(to.nid)) return -FI_EHOSTDOWN;
    Segments data(out.pieces);
    const bool is_kept = (out.flags & FI_INJECT) != 0;
    if (is_kept && data.length > kInjectSize) return -FI_EMSGSIZE;
    const std::size_t most = to.nid == network().node() ? kMostToSelf : Shelf::kMost;
    const bool is_short = data.length <= most;

    const std::uint64_t completion = FI_SEND | (out.portal == kTagged ? FI_TAGGED : FI_MSG);
    Operation* const operation = begin(is_short ? Operation::Kind::kSend : Operation::Kind::kOffer, to,
                                       out.flags, completion, out.context);
    if (operation == nullptr) {
        network().progress();
        return -FI_EAGAIN;
    }
    if (is_kept) keep(*operation, data);
    const Target target{.process = to,
                        .portal = out.portal,
                        .cookie = 0,
                        .match_bits = out.tag,
                        .remote_offset = operation->handle};
    const bool has_data = (out.flags & FI_REMOTE_CQ_DATA) != 0;
    const Extra extra{.has_data = has_data, .data = static_cast<std::uint32_t>(out.data)};
    const Status status = is_short ? put_short(*operation, data, target, extra.pack())
                                   : put_offer(*operation, data, target, extra);
    if (status != Status::kOk) return give_up(*operation, status);
    push_out(out.flags);
    return 0;
}

/// What is sent is not to wait until its user calls again.
void Endpoint::push_out(std::uint64_t flags) {
    if ((flags & FI_MORE) == 0) network().progress();
}

void Endpoint::finish(Operation& operation, int error) {
    using Kind = Operation::Kind;
    if (operation.md != kInvalid) interface_->unlink(operation.md);
    if (operation.kind == Kind::kAnswer) return answers_.give_back(operation);
    Counter* const counter = (operation.flags & FI_READ) != 0    ? counters_.read
                             : (operation.flags & FI_WRITE) != 0 ? counters_.write
                                                                 : counters_.send;
    if (counter != nullptr) counter->count(error != 0);
    // Who wants no completions of what goes well is told of what does not.
    if (sends_ != nullptr && (operation.reports || error != 0))
        sends_->write({.context = operation.context, .flags = operation.flags, .error = error});
    operations_.give_back(operation);
}

}  // namespace isoplane::fi
