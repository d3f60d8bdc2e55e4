// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cstring>
#include <isoplane/active/active.hh>

namespace isoplane::active {

using wire::ActiveType;

Refusal Active::reply(NodeId to, Function handler, const Words& words) noexcept {
    if (const Refusal refusal = may_reply(to); refusal != Refusal::kNone) return refusal;
    if (to == options_.node) return reply_here(handler, {.source = to, .words = words});
    const auto name = images_.name_of(handler.at);
    if (!name) return Refusal::kNoSuchCode;
    served_.header.handler = *name;
    served_.header.convention = static_cast<std::uint8_t>(handler.convention);
    answer(ActiveType::kReply, {.words = words}, false);
    return Refusal::kNone;
}

Refusal Active::reply_transfer(NodeId to, std::span<const std::byte> data, Word address, Function handler,
                               Word argument) noexcept {
    if (const Refusal refusal = may_reply(to); refusal != Refusal::kNone) return refusal;
    if (data.size() > UINT32_MAX) return Refusal::kTooLarge;
    if (to == options_.node) {
        const std::span there(reinterpret_cast<std::byte*>(address), data.size());
        if (!data.empty()) std::memmove(there.data(), data.data(), data.size());
        return reply_here(handler, {.source = to, .is_transfer = true, .words = {argument}, .data = there});
    }
    const auto name = images_.name_of(handler.at);
    if (!name) return Refusal::kNoSuchCode;
    served_.header.handler = *name;
    served_.header.convention = static_cast<std::uint8_t>(handler.convention);
    answer(ActiveType::kReplyTransfer,
           {.transfer = {.argument = argument,
                         .address = address,
                         .size = static_cast<std::uint32_t>(data.size())},
            .rest = data.data()},
           true);
    return Refusal::kNone;
}

Refusal Active::may_reply(NodeId to) const noexcept {
    if (options_.planted.reply_anywhere && to != options_.node) return Refusal::kNone;
    if (running_ == Running::kReply) return Refusal::kInHandler;
    if (running_ == Running::kNothing) return Refusal::kNoRequest;
    if (to != served_.source) return Refusal::kNotSender;
    return served_.replied ? Refusal::kReplied : Refusal::kNone;
}

Refusal Active::reply_here(const Function& handler, const Call& call) noexcept {
    served_.replied = true;
    running_ = Running::kReply;
    run(handler, call);
    running_ = Running::kRequest;
    counters_.replies.add();
    return Refusal::kNone;
}

/// To the request that is being served, in the place that its slot has for it. It goes now if it can, and
/// nothing has to go before it.
void Active::answer(ActiveType type, Outgoing message, bool keep) noexcept {
    served_.replied = true;
    message.header = served_.header;
    message.header.type = type;
    counters_.replies.add(type == ActiveType::kReply || type == ActiveType::kReplyTransfer ? 1 : 0);
    Peer& peer = peers_[served_.source];
    if (peer.answers_waiting.empty() && send(served_.source, message, nullptr)) return;
    counters_.late.add();
    Answer& place = peer.answers[message.header.slot];
    place.message = message;
    if (keep) {
        const std::size_t left = message.transfer.size - message.transfer.at;
        place.kept.assign(message.rest, message.rest + left);
        place.message.rest = place.kept.data();
    }
    if (place.waits) return;
    place.waits = true;
    peer.answers_waiting.push(message.header.slot);
    ++waiting_;
}

}  // namespace isoplane::active
