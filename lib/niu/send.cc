// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <cassert>
#include <cstring>
#include <isoplane/niu/niu.hh>
#include <isoplane/wire/crc_words.hh>
#include <isoplane/wire/isotach.hh>

#include "frames.hh"

namespace isoplane::niu {

void Niu::wait_for_credit(Peer& peer) noexcept {
    if (peer.stalled) return;
    peer.stalled = true;
    peer.ask_at = now_ + peer.rtt.timeout();
    arm(peer, peer.ask_at);
}

bool Niu::open_frame(Peer& peer, Urgency urgency) noexcept {
    rte_mbuf* m = new_frame(peer, urgency);
    if (m == nullptr) return false;
    std::byte* payload = payload_of_new(m);
    peer.open = {.packet = m, .at = payload, .end = payload + peer.max_payload, .summed = payload};
    return true;
}

/// Where messages do not share frames.
bool Niu::send_alone(Peer& peer, wire::Protocol protocol, std::span<const std::byte> message) noexcept {
    const std::size_t extension = wire::is_ordered(protocol) ? wire::kIsotachSize : 0;
    if (closing_ || must_wait(peer) || wire::kMessageHeaderSize + message.size() > peer.max_payload)
        return false;
    rte_mbuf* m = new_frame(peer);
    if (m == nullptr) return false;
    peer.others_until = {};
    const auto size = static_cast<std::uint16_t>(message.size());
    fill_frame(peer, m,
               {protocol, wire::kWholeMessage, size, static_cast<std::uint32_t>(message.size() - extension)},
               message);
    counters_.messages_sent.add();
    touch(peer);
    return true;
}

/// A new frame, where the open one has too little room.
bool Niu::make_room(Peer& peer, std::size_t bytes, Urgency urgency) noexcept {
    if (closing_ || bytes > peer.max_payload) return false;
    if (urgency == Urgency::kAhead && !peer.transfers.empty()) [[unlikely]]
        return make_room_ahead(peer, bytes);
    if (must_wait(peer) || !open_frame(peer, urgency)) return false;
    // An ordinary message that went along would keep the last of the credit for as long as it is not
    // released.
    if (peer.reserve != 0 && !peer.allowance.covers(peer.out.next() + peer.reserve))
        peer.open.end = peer.open.at + bytes;
    peer.others_until = {};
    touch(peer);
    return true;
}

/// Between two fragments. All else that is sent goes after what waits.
bool Niu::make_room_ahead(Peer& peer, std::size_t bytes) noexcept {
    if (!open_frame(peer, Urgency::kAhead)) return false;
    peer.open.end = peer.open.at + bytes;
    peer.ahead.add(peer.out.next());
    touch(peer);
    return true;
}

void Niu::close_alone(Peer& peer) noexcept {
    close_frame(peer);
}

void Niu::copy_summed(Peer& peer, std::span<const std::byte> rest) noexcept {
    OpenFrame& open = peer.open;
    std::byte* const to = open.at - rest.size();
    if (!checks_payload(peer)) {
        std::memcpy(to, rest.data(), rest.size());
        return;
    }
    const std::uint32_t before = wire::quick_crc32c(std::span(open.summed, to), open.crc);
    open.crc = wire::copy_crc32c(to, rest, before);
    open.summed = open.at;
}

bool Niu::send(NodeId to, wire::Protocol protocol, std::span<const std::byte> message) noexcept {
    Peer& peer = peers_[to];
    if (!options_.coalesce) return send_alone(peer, protocol, message);
    if (!has_room(peer, wire::kMessageHeaderSize + message.size(), Urgency::kOrdinary)) return false;
    add_message(peer, protocol, message.size());
    copy_to_end(peer, message);
    counters_.copied_bytes.add(message.size());
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
    if (!may_open(peer) || pool_share_used(peer, Urgency::kOrdinary)) return false;
    peer.others_until = {};
    rte_mbuf* m = packet.release();
    assert(m->nb_segs == 1);
    auto* payload = reinterpret_cast<std::byte*>(rte_pktmbuf_prepend(m, wire::kMessageHeaderSize));
    const auto size = static_cast<std::uint16_t>(message.size());
    const std::uint32_t extension = wire::is_ordered(protocol) ? wire::kIsotachSize : 0;
    put_message(payload, {protocol, wire::kWholeMessage, size, size - extension});
    // What is left of its room others may share, unless it is somebody's.
    const std::size_t used = wire::kMessageHeaderSize + message.size();
    const std::size_t left = runtime::references(m) == 1
                                 ? std::min<std::size_t>(peer.max_payload - used, rte_pktmbuf_tailroom(m))
                                 : 0;
    rte_pktmbuf_prepend(m, overhead_);
    ++kept_;
    peer.open = {.packet = m,
                 .at = payload + used,
                 .end = payload + used + left,
                 .summed = payload,
                 .origin = Origin::kGiven};
    if (!options_.coalesce) close_frame(peer);
    counters_.messages_sent.add();
    touch(peer);
    return true;
}

}  // namespace isoplane::niu
