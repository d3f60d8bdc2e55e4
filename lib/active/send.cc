// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/active/active.hh>

namespace isoplane::active {

using wire::ActiveType;

namespace {

bool has_words(ActiveType type) {
    return type == ActiveType::kRequest || type == ActiveType::kGet || type == ActiveType::kReply;
}
bool is_transfer(ActiveType type) {
    return type == ActiveType::kRequestTransfer || type == ActiveType::kReplyTransfer;
}

}  // namespace

/// All of it that is left. False when some still is: the NIU has no room.
bool Active::send(NodeId to, Outgoing& message, std::uint32_t* epoch) noexcept {
    do {
        if (!send_part(to, message, epoch)) return false;
    } while (message.transfer.at < message.transfer.size);
    return true;
}

/// As much as a frame holds. Parts of a request have to go to one life of the node: `epoch` is that, or
/// becomes it.
bool Active::send_part(NodeId to, Outgoing& message, std::uint32_t* epoch) noexcept {
    std::size_t size = wire::kActiveHeaderSize;
    std::size_t part = 0;
    if (is_transfer(message.header.type)) {
        size += wire::kActiveTransferSize;
        const std::size_t most = endpoint_.max_message(to);
        if (most <= size) return false;
        part = std::min<std::size_t>(message.transfer.size - message.transfer.at, most - size);
        size += part;
    } else if (has_words(message.header.type)) {
        size += wire::kActiveWordsSize;
    }
    const noniso::SendBuffer room = endpoint_.buffer(to, size);
    if (!room) return false;
    if (epoch != nullptr) {
        if (*epoch == 0) *epoch = room.epoch;
        if (*epoch != room.epoch) return false;
    }
    wire::encode_active(room.data.first<wire::kActiveHeaderSize>(), message.header);
    const std::span<std::byte> body = room.data.subspan(wire::kActiveHeaderSize);
    if (is_transfer(message.header.type)) {
        wire::encode_active_transfer(body.first<wire::kActiveTransferSize>(), message.transfer);
        std::copy_n(message.rest, part, body.data() + wire::kActiveTransferSize);
        message.transfer.at += static_cast<std::uint32_t>(part);
        message.rest += part;
    } else if (has_words(message.header.type)) {
        wire::encode_active_words(body.first<wire::kActiveWordsSize>(), message.words);
    }
    endpoint_.send(room);
    return true;
}

unsigned Active::send_waiting() noexcept {
    unsigned sent = 0;
    for (std::size_t to = 0; to < peers_.size(); ++to) {
        sent += send_answers(static_cast<NodeId>(to), peers_[to]);
        sent += send_requests(static_cast<NodeId>(to), peers_[to]);
    }
    return sent;
}

/// Whom they are for may be dead.
unsigned Active::send_answers(NodeId to, Peer& peer) noexcept {
    unsigned sent = 0;
    for (; !peer.answers_waiting.empty(); peer.answers_waiting.pop(), ++sent) {
        Answer& answer = peer.answers[peer.answers_waiting.front()];
        const bool in_vain =
            endpoint_.state(to) == noniso::PeerState::kDead || options_.planted.forget_replies;
        if (!in_vain && !send(to, answer.message, nullptr)) break;
        answer.waits = false;
        answer.kept = {};
        --waiting_;
    }
    return sent;
}

/// Some may have failed meanwhile, and their slots serve others.
unsigned Active::send_requests(NodeId to, Peer& peer) noexcept {
    unsigned sent = 0;
    for (; !peer.requests_waiting.empty(); peer.requests_waiting.pop(), ++sent) {
        Slot& slot = peer.slots[peer.requests_waiting.front()];
        if (slot.state == SlotState::kSending) {
            if (!send(to, slot.message, &slot.epoch)) break;
            slot.state = SlotState::kOpen;
            slot.until = {};
        }
        slot.waits = false;
        --waiting_;
    }
    return sent;
}

}  // namespace isoplane::active
