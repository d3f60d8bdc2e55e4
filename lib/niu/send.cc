// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <cassert>
#include <isoplane/niu/niu.hh>
#include <isoplane/wire/crc32c.hh>
#include <isoplane/wire/isotach.hh>

#include "layout.hh"
#include "message.hh"

namespace isoplane::niu {

namespace {

/// Up to here a copy into a frame that others share costs less than a frame.
constexpr std::size_t kWorthCopying = 256;

}  // namespace

/// Remembers that somebody waits when it is for credit: if the update is lost, it has to be asked for.
bool Niu::may_open(Peer& peer, Urgency urgency) noexcept {
    if (peer.state != PeerState::kUp || peer.out.full()) return false;
    const std::uint32_t reserve = urgency == Urgency::kUrgent ? 0 : peer.reserve;
    if (peer.allowance.covers(peer.out.next() + reserve)) [[likely]]
        return true;
    wait_for_credit(peer);
    return false;
}

void Niu::wait_for_credit(Peer& peer) noexcept {
    if (peer.stalled) return;
    peer.stalled = true;
    peer.ask_at = now_ + peer.rtt.timeout();
    arm(peer, peer.ask_at);
}

bool Niu::open_frame(Peer& peer, Urgency urgency) noexcept {
    close_frame(peer);
    if (!may_open(peer, urgency) || pool_share_used(urgency)) return false;
    rte_mbuf* m = nullptr;
    if (!aside_.empty()) {
        m = aside_.back();
        aside_.pop_back();
    } else {
        m = packet();
    }
    if (m == nullptr) return false;
    ++kept_;
    m->data_off = static_cast<std::uint16_t>(m->data_off + kAlignment);
    std::byte* payload = rte_pktmbuf_mtod_offset(m, std::byte*, kOverhead);
    peer.open = {m, payload, payload + peer.max_payload};
    return true;
}

/// If a frame is open. From here on it has its number, and only its header will change.
void Niu::close_frame(Peer& peer) noexcept {
    rte_mbuf* m = peer.open.packet;
    if (m == nullptr) return;
    std::byte* payload = rte_pktmbuf_mtod_offset(m, std::byte*, kOverhead);
    const auto length = static_cast<std::uint16_t>(peer.open.at - payload);
    peer.open = {};
    if (length == 0) {  // room was asked for and never used
        --kept_;
        return rte_pktmbuf_free(m);
    }
    m->data_len = static_cast<std::uint16_t>(kOverhead + length);
    m->pkt_len = m->data_len;
    keep(peer, m, {payload, length});
}

/// Until it is acknowledged.
void Niu::keep(Peer& peer, rte_mbuf* packet, std::span<const std::byte> payload) noexcept {
    keep(peer, packet, payload.size(), checks_payload(peer) ? wire::crc32c(payload) : 0);
}

void Niu::keep(Peer& peer, rte_mbuf* packet, std::size_t length, std::uint32_t crc) noexcept {
    peer.out.push(packet, crc, static_cast<std::uint16_t>(length));
}

SendBuffer Niu::buffer(NodeId to, wire::Protocol protocol, std::size_t size, Urgency urgency) noexcept {
    Peer& peer = peers_[to];
    const std::size_t needed = wire::kMessageHeaderSize + size;
    if (static_cast<std::size_t>(peer.open.end - peer.open.at) < needed) {
        if (closing_ || must_wait(peer) || needed > peer.max_payload || !open_frame(peer, urgency)) return {};
        peer.others_until = {};
        touch(peer);
    }
    return {{peer.open.at + wire::kMessageHeaderSize, size}, to, protocol, true, peer.epoch};
}

void Niu::send(const SendBuffer& buffer) noexcept {
    Peer& peer = peers_[buffer.to];
    assert(buffer.data.data() == peer.open.at + wire::kMessageHeaderSize);
    const auto size = static_cast<std::uint16_t>(buffer.data.size());
    const std::uint32_t extension = wire::is_ordered(buffer.protocol) ? wire::kIsotachSize : 0;
    put_message(peer.open.at, {buffer.protocol, wire::kWholeMessage, size, size - extension});
    peer.open.at += wire::kMessageHeaderSize + size;
    counters_.messages_sent.add();
    if (!options_.coalesce) close_frame(peer);
}

bool Niu::send(NodeId to, wire::Protocol protocol, std::span<const std::byte> message) noexcept {
    const SendBuffer room = buffer(to, protocol, message.size());
    if (!room) return false;
    std::copy(message.begin(), message.end(), room.data.begin());
    counters_.copied_bytes.add(message.size());
    send(room);
    return true;
}

bool Niu::send(NodeId to, wire::Protocol protocol, runtime::Packet& packet) noexcept {
    const std::span<std::byte> message = packet.data();
    if (options_.coalesce && message.size() <= kWorthCopying) {
        if (!send(to, protocol, message)) return false;
        packet.reset();
        return true;
    }
    Peer& peer = peers_[to];
    close_frame(peer);
    if (closing_ || must_wait(peer) || message.size() > max_message(to)) return false;
    if (!may_open(peer) || pool_share_used(Urgency::kOrdinary)) return false;
    peer.others_until = {};
    rte_mbuf* m = packet.release();
    auto* payload = reinterpret_cast<std::byte*>(rte_pktmbuf_prepend(m, wire::kMessageHeaderSize));
    const auto size = static_cast<std::uint16_t>(message.size());
    const std::uint32_t extension = wire::is_ordered(protocol) ? wire::kIsotachSize : 0;
    put_message(payload, {protocol, wire::kWholeMessage, size, size - extension});
    // What is left of its room others may share.
    const std::size_t used = wire::kMessageHeaderSize + message.size();
    const std::size_t left = std::min<std::size_t>(peer.max_payload - used, rte_pktmbuf_tailroom(m));
    rte_pktmbuf_prepend(m, kOverhead);
    ++kept_;
    peer.open = {m, payload + used, payload + used + left};
    if (!options_.coalesce) close_frame(peer);
    counters_.messages_sent.add();
    touch(peer);
    return true;
}

}  // namespace isoplane::niu
