// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cstring>
#include <isoplane/active/active.hh>

namespace isoplane::active {

using wire::ActiveMessage;
using wire::ActiveType;

namespace {

bool is_transfer(const ActiveMessage& message) {
    return message.header.type == ActiveType::kRequestTransfer ||
           message.header.type == ActiveType::kReplyTransfer;
}

/// Puts a part of a transfer where it goes.
void land(const ActiveMessage& message) {
    if (message.data.empty()) return;
    std::memcpy(reinterpret_cast<std::byte*>(message.transfer.address) + message.transfer.at,
                message.data.data(), message.data.size());
}

Call call_of(NodeId source, const ActiveMessage& message) {
    const bool is_request = wire::is_request(message.header.type);
    if (!is_transfer(message)) return {.source = source, .is_request = is_request, .words = message.words};
    return {.source = source,
            .is_request = is_request,
            .is_transfer = true,
            .words = {message.transfer.argument},
            .data = {reinterpret_cast<std::byte*>(message.transfer.address), message.transfer.size}};
}

}  // namespace

void Active::take(const niu::Received& received) noexcept {
    const auto message = received.whole() ? wire::decode_active(received.data) : std::nullopt;
    if (!message || received.source >= peers_.size()) return counters_.malformed.add();
    if (message->header.program != options_.program) return counters_.foreign.add();
    if (wire::is_request(message->header.type)) {
        serve(received.source, *message);
    } else {
        complete(received.source, *message);
    }
}

/// Nothing of a transfer lands whose handler is not known: its address would mean as little.
void Active::serve(NodeId source, const ActiveMessage& message) noexcept {
    served_ = {.source = source, .header = message.header};
    peers_[source].life = message.header.life;
    if (message.header.type == ActiveType::kGet) return serve_get(message);
    const bool all = !is_transfer(message) || message.ends();
    const void* const function = function_of(message.header);
    if (function == nullptr) {
        if (all) refuse(Reason::kUnknownCode);
        return;
    }
    if (is_transfer(message)) {
        if (!may_land(message.transfer.address, message.transfer.size)) {
            if (all) refuse(Reason::kNoMemory);
            return;
        }
        land(message);
    }
    if (!all) return;
    running_ = Running::kRequest;
    run({function, static_cast<Convention>(message.header.convention)}, call_of(source, message));
    running_ = Running::kNothing;
    handled();
}

void Active::handled() noexcept {
    counters_.handled.add();
    if (served_.replied && !options_.planted.acknowledge_twice) return;
    counters_.acknowledgements.add();
    answer(ActiveType::kAcknowledgement);
}

void Active::serve_get(const ActiveMessage& message) noexcept {
    const auto [argument, landing, address, size] = message.words;
    if (size > UINT32_MAX) return refuse(Reason::kProtocol);
    if (!may_leave(address, size)) return refuse(Reason::kNoMemory);
    counters_.handled.add();
    answer_transfer({.argument = argument, .address = landing, .size = static_cast<std::uint32_t>(size)},
                    reinterpret_cast<const std::byte*>(address), false);
}

void Active::refuse(Reason reason) noexcept {
    counters_.refused.add();
    served_.header.reason = static_cast<std::uint8_t>(reason);
    answer(ActiveType::kRefusal);
}

/// The slot is free before the handler runs: what it does has nothing to do with it.
void Active::complete(NodeId source, const ActiveMessage& message) noexcept {
    Peer& peer = peers_[source];
    if (message.header.slot >= options_.depth) return counters_.stray.add();
    Slot& slot = peer.slots[message.header.slot];
    if (!is_answer_to(slot, message)) return counters_.stray.add();
    const bool all = !is_transfer(message) || message.ends();
    if (slot.state == SlotState::kGivenUp) {
        if (all) end(peer, slot, SlotState::kFree);
        return counters_.stray.add();
    }
    if (message.header.type == ActiveType::kRefusal)
        return fail(source, slot, static_cast<Reason>(message.header.reason));
    if (message.header.type != ActiveType::kAcknowledgement) {
        const bool lands = is_transfer(message) && slot.message.header.type == ActiveType::kGet;
        if (lands && (message.transfer.address != reinterpret_cast<Word>(slot.landing.data()) ||
                      message.transfer.size != slot.landing.size()))
            return fail(source, slot, Reason::kProtocol);
        const void* const function = function_of(message.header);
        if (function == nullptr) return fail(source, slot, Reason::kUnknownCode);
        if (is_transfer(message)) {
            if (!may_land(message.transfer.address, message.transfer.size))
                return fail(source, slot, Reason::kNoMemory);
            land(message);
            peer.moved = now_;
        }
        if (!all) return;
        end(peer, slot, SlotState::kFree);
        running_ = Running::kReply;
        run({function, static_cast<Convention>(message.header.convention)}, call_of(source, message));
        running_ = Running::kNothing;
    } else {
        end(peer, slot, SlotState::kFree);
    }
    counters_.answered.add();
}

/// Not before all of the request has gone.
bool Active::is_answer_to(const Slot& slot, const ActiveMessage& message) const noexcept {
    if (slot.state != SlotState::kOpen && slot.state != SlotState::kGivenUp) return false;
    return message.header.number == slot.message.header.number && message.header.life == options_.life;
}

const void* Active::function_of(const wire::ActiveHeader& header) noexcept {
    return header.convention < kConventions ? images_.find(header.handler) : nullptr;
}

#ifdef __clang__  // whose sanitizer holds a function's type against the call
[[clang::no_sanitize("function")]]
#endif
/// In C's calling conventions a function that takes fewer words than it is given does not notice, nor does
/// one that takes an int where it is given a word: so K&R C has always called.
void Active::run(const Function& function, const Call& call) noexcept {
    const auto code = reinterpret_cast<std::uintptr_t>(function.at);
    const auto [first, second, third, fourth] = call.words;
    void* const data = call.data.data();
    const auto size = static_cast<Word>(call.data.size());
    switch (function.convention) {
        case Convention::kCall:
            return reinterpret_cast<Handler>(code)(*this, call);
        case Convention::kPlain:
            if (call.is_transfer)
                return reinterpret_cast<void (*)(Word, void*, Word)>(code)(first, data, size);
            return reinterpret_cast<void (*)(Word, Word, Word, Word)>(code)(first, second, third, fourth);
        case Convention::kSource:
            if (call.is_transfer)
                return reinterpret_cast<void (*)(Word, void*, Word, Word)>(code)(call.source, data, size,
                                                                                 first);
            return reinterpret_cast<void (*)(Word, Word, Word, Word, Word)>(code)(call.source, first, second,
                                                                                  third, fourth);
    }
}

}  // namespace isoplane::active
