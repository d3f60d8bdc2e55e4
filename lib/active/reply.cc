// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cstring>
#include <isoplane/active/active.hh>
#include <utility>

namespace isoplane::active {

using wire::ActiveType;

Refusal Active::reply(NodeId to, Function handler, const Words& words) noexcept {
    if (const Refusal refusal = may_reply(to); refusal != Refusal::kNone) return refusal;
    if (const Refusal refusal = name_reply(handler); refusal != Refusal::kNone) return refusal;
    if (to == options_.node) return reply_here(handler, {.source = to, .words = words});
    answer(ActiveType::kReply, &words);
    return Refusal::kNone;
}

Refusal Active::reply_transfer(NodeId to, std::span<const std::byte> data, Word address, Function handler,
                               Word argument) noexcept {
    if (const Refusal refusal = may_reply(to); refusal != Refusal::kNone) return refusal;
    if (data.size() > UINT32_MAX) return Refusal::kTooLarge;
    if (const Refusal refusal = name_reply(handler); refusal != Refusal::kNone) return refusal;
    if (to == options_.node) {
        if (!may_land(address, data.size())) {
            served_.replied = served_.failed = true;
            fail_here(Reason::kNoMemory);
            return Refusal::kNone;
        }
        const std::span there(reinterpret_cast<std::byte*>(address), data.size());
        if (!data.empty()) std::memmove(there.data(), data.data(), data.size());
        return reply_here(handler, {.source = to, .is_transfer = true, .words = {argument}, .data = there});
    }
    answer_transfer(
        {.argument = argument, .address = address, .size = static_cast<std::uint32_t>(data.size())},
        data.data(), true);
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

Refusal Active::name_reply(const Function& handler) noexcept {
    const auto name = images_.name_of(handler.at);
    if (!name) return Refusal::kNoSuchCode;
    served_.header.handler = *name;
    served_.header.convention = static_cast<std::uint8_t>(handler.convention);
    return Refusal::kNone;
}

/// To the request that is being served; a reply has words. It goes now if it can, and nothing has to go
/// before it.
void Active::answer(ActiveType type, const Words* words) noexcept {
    served_.replied = true;
    served_.header.type = type;
    if (words != nullptr) counters_.replies.add();
    Peer& peer = peers_[served_.source];
    if (!must_wait(peer) && send_short(served_.source, served_.header, words)) [[likely]]
        return;
    Answer& place = wait(peer, {.header = served_.header}, 0);
    if (words != nullptr) place.words = *words;
}

void Active::answer_transfer(const wire::ActiveTransfer& transfer, const std::byte* data,
                             bool keep) noexcept {
    served_.replied = true;
    served_.header.type = ActiveType::kReplyTransfer;
    counters_.replies.add();
    Peer& peer = peers_[served_.source];
    Outgoing message{.header = served_.header, .transfer = transfer, .rest = data};
    std::uint32_t epoch = 0;
    if (!must_wait(peer) && send(served_.source, message, epoch)) return;
    Answer& place = wait(peer, message, epoch);
    if (!keep) return;
    place.kept.assign(message.rest, message.rest + (message.transfer.size - message.transfer.at));
    place.message.rest = place.kept.data();
}

/// In the place that its slot has for it.
Active::Answer& Active::wait(Peer& peer, const Outgoing& message, std::uint32_t epoch) noexcept {
    counters_.late.add();
    Answer& place = peer.answers[message.header.slot];
    place.message = message;
    place.epoch = epoch;
    if (!std::exchange(place.waits, true)) {
        peer.answers_waiting.push(message.header.slot);
        ++waiting_;
    }
    return place;
}

}  // namespace isoplane::active
