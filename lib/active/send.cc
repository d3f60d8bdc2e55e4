// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/active/active.hh>

namespace isoplane::active {

using wire::ActiveType;

/// With words, or without any. False when the NIU has no room. The life of the node that it goes to becomes
/// `epoch`.
bool Active::send_short(NodeId to, const wire::ActiveHeader& header, const Words* words,
                        std::uint32_t* epoch) noexcept {
    constexpr std::size_t kSize = wire::kActiveHeaderSize + wire::kActiveWordsSize;
    const noniso::SendBuffer room = endpoint_.buffer(to, words != nullptr ? kSize : wire::kActiveHeaderSize);
    if (!room) return false;
    if (epoch != nullptr) *epoch = room.epoch;
    wire::encode_active(room.data.first<wire::kActiveHeaderSize>(), header);
    if (words != nullptr)
        wire::encode_active_words(room.data.subspan<wire::kActiveHeaderSize, wire::kActiveWordsSize>(),
                                  *words);
    endpoint_.send(room);
    return true;
}

/// All of a transfer that is left. False when some still is: the NIU has no room.
bool Active::send(NodeId to, Outgoing& message, std::uint32_t& epoch) noexcept {
    do {
        if (!send_part(to, message, epoch)) return false;
    } while (message.transfer.at < message.transfer.size);
    return true;
}

/// As much as a frame holds. All parts have to go to one life of the node: `epoch` is that, or becomes it.
bool Active::send_part(NodeId to, Outgoing& message, std::uint32_t& epoch) noexcept {
    constexpr std::size_t kHeaders = wire::kActiveHeaderSize + wire::kActiveTransferSize;
    const std::size_t most = endpoint_.max_message(to);
    if (most <= kHeaders) return false;
    const std::size_t part =
        std::min<std::size_t>(message.transfer.size - message.transfer.at, most - kHeaders);
    const noniso::SendBuffer room = endpoint_.buffer(to, kHeaders + part);
    if (!room) return false;
    if (epoch == 0) epoch = room.epoch;
    if (epoch != room.epoch) return false;
    wire::encode_active(room.data.first<wire::kActiveHeaderSize>(), message.header);
    wire::encode_active_transfer(room.data.subspan<wire::kActiveHeaderSize, wire::kActiveTransferSize>(),
                                 message.transfer);
    endpoint_.send(room, {message.rest, part});
    message.transfer.at += static_cast<std::uint32_t>(part);
    message.rest += part;
    peers_[to].moved = now_;
    return true;
}

bool Active::send_answer(NodeId to, Answer& answer) noexcept {
    const wire::ActiveHeader& header = answer.message.header;
    if (header.type == ActiveType::kReplyTransfer) return send(to, answer.message, answer.epoch);
    return send_short(to, header, header.type == ActiveType::kReply ? &answer.words : nullptr);
}

unsigned Active::send_waiting() noexcept {
    unsigned sent = 0;
    for (std::size_t to = 0; to < peers_.size(); ++to) {
        sent += send_answers(static_cast<NodeId>(to), peers_[to]);
        sent += send_requests(static_cast<NodeId>(to), peers_[to]);
    }
    return sent;
}

/// Who has asked is dead, has been gone for as long as he waits for an answer, or has started again: as his
/// requests say, which may be here before the endpoint knows of it; or as that says of one of whose answer a
/// part has gone.
bool Active::is_in_vain(NodeId to, Peer& peer, const Answer& answer) const noexcept {
    const noniso::PeerState state = endpoint_.state(to);
    if (state != noniso::PeerState::kUp) {
        if (peer.down_since == Time{}) peer.down_since = now_;
        if (state == noniso::PeerState::kDead || now_ - peer.down_since >= options_.limit) return true;
    } else {
        peer.down_since = {};
        if (answer.epoch != 0 && endpoint_.epoch(to) != answer.epoch) return true;
    }
    return answer.message.header.life != peer.life || options_.planted.forget_replies;
}

unsigned Active::send_answers(NodeId to, Peer& peer) noexcept {
    unsigned sent = 0;
    for (; !peer.answers_waiting.empty(); peer.answers_waiting.pop(), ++sent) {
        Answer& answer = peer.answers[peer.answers_waiting.front()];
        if (!is_in_vain(to, peer, answer) && !send_answer(to, answer)) break;
        answer.waits = false;
        answer.kept = {};
        --waiting_;
    }
    if (peer.answers_waiting.empty()) peer.down_since = {};
    return sent;
}

/// Some may have failed meanwhile, and their slots serve others.
unsigned Active::send_requests(NodeId to, Peer& peer) noexcept {
    unsigned sent = 0;
    for (; !peer.requests_waiting.empty(); peer.requests_waiting.pop(), ++sent) {
        Slot& slot = peer.slots[peer.requests_waiting.front()];
        if (slot.state == SlotState::kSending) {
            if (!send(to, slot.message, slot.epoch)) break;
            slot.state = SlotState::kOpen;
            slot.until = {};
        }
        slot.waits = false;
        --waiting_;
    }
    return sent;
}

}  // namespace isoplane::active
