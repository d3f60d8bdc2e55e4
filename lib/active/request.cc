// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cstring>
#include <isoplane/active/active.hh>

namespace isoplane::active {

using wire::ActiveType;

Ticket Active::request(NodeId to, Function handler, const Words& words) noexcept {
    wire::ActiveHeader header;
    const Refusal refusal = may_request(to, ActiveType::kRequest, handler, header);
    if (refusal != Refusal::kNone) return {.refusal = refusal, .to = to};
    if (to == options_.node)
        return request_here(handler, {.source = to, .is_request = true, .words = words}, Running::kRequest);
    return send_words(to, header, words);
}

Ticket Active::get(NodeId to, Word address, std::span<std::byte> data, Function handler,
                   Word argument) noexcept {
    wire::ActiveHeader header;
    const Refusal refusal = may_request(to, ActiveType::kGet, handler, header);
    if (refusal != Refusal::kNone) return {.refusal = refusal, .to = to};
    if (data.size() > UINT32_MAX) return {.refusal = Refusal::kTooLarge, .to = to};
    if (to == options_.node) {
        if (!may_leave(address, data.size())) return refuse_here(Reason::kNoMemory);
        if (!data.empty())
            std::memmove(data.data(), reinterpret_cast<const std::byte*>(address), data.size());
        return request_here(handler, {.source = to, .is_transfer = true, .words = {argument}, .data = data},
                            Running::kReply);
    }
    return send_words(to, header, {argument, reinterpret_cast<Word>(data.data()), address, data.size()},
                      data);
}

/// The first part of it has to go at once; else there is no request.
Ticket Active::transfer(NodeId to, std::span<const std::byte> data, Word address, Function handler,
                        Word argument) noexcept {
    Outgoing message;
    wire::ActiveHeader& header = message.header;
    Refusal refusal = may_request(to, ActiveType::kRequestTransfer, handler, header);
    if (refusal != Refusal::kNone) return {.refusal = refusal, .to = to};
    if (data.size() > UINT32_MAX) return {.refusal = Refusal::kTooLarge, .to = to};
    if (to == options_.node) {
        if (!may_land(address, data.size())) return refuse_here(Reason::kNoMemory);
        const std::span there(reinterpret_cast<std::byte*>(address), data.size());
        if (!data.empty()) std::memmove(there.data(), data.data(), data.size());
        return request_here(
            handler,
            {.source = to, .is_request = true, .is_transfer = true, .words = {argument}, .data = there},
            Running::kRequest);
    }
    Slot* slot = nullptr;
    refusal = claim(to, header, slot);
    if (refusal != Refusal::kNone) return {.refusal = refusal, .to = to};
    message.transfer = {
        .argument = argument, .address = address, .size = static_cast<std::uint32_t>(data.size())};
    message.rest = data.data();
    std::uint32_t epoch = 0;
    if (!send_part(to, message, epoch)) return {.refusal = Refusal::kFull, .to = to};
    slot->message = message;
    Peer& peer = peers_[to];
    open(peer, *slot, epoch);
    if (message.transfer.at < message.transfer.size) {
        slot->state = SlotState::kSending;
        if (!slot->waits) {
            slot->waits = true;
            peer.requests_waiting.push(header.slot);
            ++waiting_;
        }
        send_requests(to, peer);
    }
    return {.slot = header.slot, .to = to, .number = header.number};
}

Refusal Active::may_request(NodeId to, ActiveType type, const Function& handler,
                            wire::ActiveHeader& header) noexcept {
    if (running_ != Running::kNothing) return Refusal::kInHandler;
    if (to >= peers_.size()) return Refusal::kNoSuchNode;
    const auto name = images_.name_of(handler.at);
    if (!name) return Refusal::kNoSuchCode;
    header.type = type;
    header.convention = static_cast<std::uint8_t>(handler.convention);
    header.handler = *name;
    return Refusal::kNone;
}

/// A free slot, which stays free if the message cannot go.
Refusal Active::claim(NodeId to, wire::ActiveHeader& header, Slot*& slot) noexcept {
    Peer& peer = peers_[to];
    const noniso::PeerState state = endpoint_.state(to);
    peer.was_up = peer.was_up || state == noniso::PeerState::kUp;
    const bool gone = state == noniso::PeerState::kUnknown && peer.was_up;
    if (gone || state == noniso::PeerState::kDead) return Refusal::kDead;
    slot = free_slot(peer);
    if (slot == nullptr) return Refusal::kFull;
    header.slot = static_cast<std::uint8_t>(slot - peer.slots.data());
    header.number = static_cast<std::uint16_t>(slot->message.header.number + 1);
    header.program = options_.program;
    header.life = options_.life;
    return Refusal::kNone;
}

Ticket Active::send_words(NodeId to, wire::ActiveHeader& header, const Words& words,
                          std::span<std::byte> landing) noexcept {
    Slot* slot = nullptr;
    const Refusal refusal = claim(to, header, slot);
    if (refusal != Refusal::kNone) return {.refusal = refusal, .to = to};
    std::uint32_t epoch = 0;
    if (!send_short(to, header, &words, &epoch)) return {.refusal = Refusal::kFull, .to = to};
    slot->message.header = header;
    slot->landing = landing;
    open(peers_[to], *slot, epoch);
    return {.slot = header.slot, .to = to, .number = header.number};
}

void Active::open(Peer& peer, Slot& slot, std::uint32_t epoch) noexcept {
    slot.epoch = epoch;
    slot.until = {};
    slot.state = SlotState::kOpen;
    ++open_;
    counters_.requests.add();
    peer.hint = slot.message.header.slot + 1U;
    if (peer.hint == options_.depth) peer.hint = 0;
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
    if (!served_.failed) counters_.answered.add();
    return {.to = options_.node};
}

/// As another node would.
Ticket Active::refuse_here(Reason reason) noexcept {
    counters_.requests.add();
    counters_.refused.add();
    fail_here(reason);
    return {.to = options_.node};
}

void Active::fail_here(Reason reason) noexcept {
    counters_.failed.add();
    failures_.push({{.to = options_.node}, reason});
}

}  // namespace isoplane::active
