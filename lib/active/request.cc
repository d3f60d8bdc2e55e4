// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cstring>
#include <isoplane/active/active.hh>

namespace isoplane::active {

using wire::ActiveType;

Ticket Active::request(NodeId to, Function handler, const Words& words) noexcept {
    FunctionName name;
    if (const Refusal refusal = may_request(to, handler, name); refusal != Refusal::kNone)
        return {.refusal = refusal, .to = to};
    if (to == options_.node)
        return request_here(handler, {.source = to, .is_request = true, .words = words}, Running::kRequest);
    Outgoing request{.words = words};
    request.header.type = ActiveType::kRequest;
    request.header.convention = static_cast<std::uint8_t>(handler.convention);
    request.header.handler = name;
    return send_request(to, request);
}

Ticket Active::transfer(NodeId to, std::span<const std::byte> data, Word address, Function handler,
                        Word argument) noexcept {
    FunctionName name;
    if (const Refusal refusal = may_request(to, handler, name); refusal != Refusal::kNone)
        return {.refusal = refusal, .to = to};
    if (data.size() > UINT32_MAX) return {.refusal = Refusal::kTooLarge, .to = to};
    if (to == options_.node) {
        const std::span there(reinterpret_cast<std::byte*>(address), data.size());
        if (!data.empty()) std::memmove(there.data(), data.data(), data.size());
        return request_here(
            handler,
            {.source = to, .is_request = true, .is_transfer = true, .words = {argument}, .data = there},
            Running::kRequest);
    }
    Outgoing request{.transfer = {.argument = argument,
                                  .address = address,
                                  .size = static_cast<std::uint32_t>(data.size())},
                     .rest = data.data()};
    request.header.type = ActiveType::kRequestTransfer;
    request.header.convention = static_cast<std::uint8_t>(handler.convention);
    request.header.handler = name;
    return send_request(to, request);
}

Ticket Active::get(NodeId to, Word address, std::span<std::byte> data, Function handler,
                   Word argument) noexcept {
    FunctionName name;
    if (const Refusal refusal = may_request(to, handler, name); refusal != Refusal::kNone)
        return {.refusal = refusal, .to = to};
    if (data.size() > UINT32_MAX) return {.refusal = Refusal::kTooLarge, .to = to};
    if (to == options_.node) {
        if (!data.empty())
            std::memmove(data.data(), reinterpret_cast<const std::byte*>(address), data.size());
        return request_here(handler, {.source = to, .is_transfer = true, .words = {argument}, .data = data},
                            Running::kReply);
    }
    Outgoing request{.words = {argument, reinterpret_cast<Word>(data.data()), address, data.size()}};
    request.header.type = ActiveType::kGet;
    request.header.convention = static_cast<std::uint8_t>(handler.convention);
    request.header.handler = name;
    return send_request(to, request, data);
}

Refusal Active::may_request(NodeId to, const Function& handler, FunctionName& name) noexcept {
    if (running_ != Running::kNothing) return Refusal::kInHandler;
    if (to >= peers_.size()) return Refusal::kNoSuchNode;
    const auto found = images_.name_of(handler.at);
    if (!found) return Refusal::kNoSuchCode;
    name = *found;
    return Refusal::kNone;
}

/// The first part of it has to go at once; else there is no request.
Ticket Active::send_request(NodeId to, const Outgoing& request, std::span<std::byte> landing) noexcept {
    if (endpoint_.state(to) == noniso::PeerState::kDead) return {.refusal = Refusal::kDead, .to = to};
    Peer& peer = peers_[to];
    Slot* const slot = free_slot(peer);
    if (slot == nullptr) return {.refusal = Refusal::kFull, .to = to};

    const std::uint16_t number = slot->message.header.number;
    Outgoing message = request;
    message.header.slot = static_cast<std::uint8_t>(slot - peer.slots.data());
    message.header.number = static_cast<std::uint16_t>(number + 1);
    message.header.program = options_.program;
    message.header.life = options_.life;
    std::uint32_t epoch = 0;
    if (!send_part(to, message, &epoch)) return {.refusal = Refusal::kFull, .to = to};

    slot->epoch = epoch;
    slot->until = {};
    slot->message = message;
    slot->landing = landing;
    slot->state = SlotState::kOpen;
    ++open_;
    counters_.requests.add();
    peer.hint = (message.header.slot + 1U) % options_.depth;
    if (slot->message.transfer.at < slot->message.transfer.size) {
        slot->state = SlotState::kSending;
        if (!slot->waits) {
            slot->waits = true;
            peer.requests_waiting.push(message.header.slot);
            ++waiting_;
        }
        send_requests(to, peer);
    }
    return {.slot = message.header.slot, .to = to, .number = message.header.number};
}

Active::Slot* Active::free_slot(Peer& peer) noexcept {
    if (peer.slots[peer.hint].state == SlotState::kFree) [[likely]]
        return &peer.slots[peer.hint];
    for (Slot& slot : peer.slots) {
        if (slot.state == SlotState::kFree) return &slot;
    }
    return nullptr;
}

Ticket Active::request_here(const Function& handler, const Call& call, Running as) noexcept {
    running_ = as;
    served_ = {.source = options_.node, .header = {}};
    run(handler, call);
    running_ = Running::kNothing;
    counters_.requests.add();
    counters_.handled.add();
    counters_.answered.add();
    return {.to = options_.node};
}

}  // namespace isoplane::active
