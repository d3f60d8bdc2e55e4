// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What becomes a frame: the steps that every message takes on its way out, in line with who takes them.
#pragma once

#include <algorithm>
#include <cstring>
#include <isoplane/niu/niu.hh>
#include <isoplane/wire/crc_words.hh>

#include "layout.hh"
#include "message.hh"

namespace isoplane::niu {

/// Remembers that somebody waits when it is for credit: if the update is lost, it has to be asked for.
inline bool Niu::may_open(Peer& peer, Urgency urgency) noexcept {
    if (peer.state != PeerState::kUp || peer.out.full()) return false;
    const std::uint32_t reserve = urgency == Urgency::kOrdinary ? peer.reserve : 0;
    if (peer.allowance.covers(peer.out.next() + reserve)) [[likely]]
        return true;
    wait_for_credit(peer);
    return false;
}

/// If a frame is open. From here on it has its number, and only its header will change.
inline void Niu::close_frame(Peer& peer) noexcept {
    rte_mbuf* m = peer.open.packet;
    if (m == nullptr) return;
    std::byte* payload = rte_pktmbuf_mtod_offset(m, std::byte*, overhead_);
    const auto length = static_cast<std::uint16_t>(peer.open.at - payload);
    const std::span unsummed(peer.open.summed, peer.open.at);
    const std::uint32_t before = peer.open.crc;
    const Origin origin = peer.open.origin;
    peer.open = {};
    if (length == 0) {  // room was asked for and never used
        --kept_;
        peer.ahead.take_back(peer.out.next());
        return rte_pktmbuf_free(m);
    }
    m->data_len = static_cast<std::uint16_t>(overhead_ + length);
    m->pkt_len = m->data_len;
    stock_.note_written(kPayloadAt - RTE_PKTMBUF_HEADROOM + length);
    peer.out.push(m, checks_payload(peer) ? wire::quick_crc32c(unsummed, before) : 0, length, origin);
}

/// An empty packet for the next frame; nullptr when none may be opened.
inline rte_mbuf* Niu::new_frame(Peer& peer, Urgency urgency) noexcept {
    close_frame(peer);
    if (!may_open(peer, urgency) || pool_share_used(peer, urgency)) return nullptr;
    rte_mbuf* m = nullptr;
    if (!aside_.empty()) {
        m = aside_.back();
        aside_.pop_back();
    } else {
        m = packet();
    }
    if (m == nullptr) [[unlikely]]
        return nullptr;
    ++kept_;
    m->data_off = static_cast<std::uint16_t>(kPayloadAt - overhead_);
    return m;
}

/// One message, or fragment, alone in its frame: copied and checked in one pass.
inline void Niu::fill_frame(Peer& peer, rte_mbuf* m, const wire::MessageHeader& header,
                            std::span<const std::byte> part) noexcept {
    std::byte* const at = payload_of_new(m);
    const std::uint64_t word = wire::message_word(header);
    std::memcpy(at, &word, sizeof word);
    std::byte* const data = at + wire::kMessageHeaderSize;
    std::uint32_t crc = 0;
    if (checks_payload(peer)) [[likely]] {
        wire::CrcOfWords before;
        before.add(word);
        crc = wire::quick_copy_crc32c(data, part, before.value());
    } else {
        std::copy(part.begin(), part.end(), data);
    }
    const auto length = static_cast<std::uint16_t>(wire::kMessageHeaderSize + part.size());
    m->data_len = static_cast<std::uint16_t>(overhead_ + length);
    m->pkt_len = m->data_len;
    stock_.note_written(kPayloadAt - RTE_PKTMBUF_HEADROOM + length);
    peer.out.push(m, crc, length);
    counters_.copied_bytes.add(part.size());
}

}  // namespace isoplane::niu
