// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <cassert>
#include <cstring>
#include <isoplane/niu/niu.hh>
#include <isoplane/wire/crc32c.hh>
#include <isoplane/wire/isotach.hh>
#include <utility>

#include "layout.hh"

namespace isoplane::niu {

namespace {

/// Up to here a copy into a frame that others share costs less than a frame.
constexpr std::size_t kWorthCopying = 256;

bool checks_payload(const Peer& peer) noexcept {
    return (peer.header.flags & wire::kFlagNoPayloadCrc) == 0;
}

void put_message(std::byte* at, const wire::MessageHeader& header) noexcept {
    wire::encode_message(std::span<std::byte, wire::kMessageHeaderSize>(at, wire::kMessageHeaderSize),
                         header);
}

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
        if (closing_ || peer.transfer.size != 0 || needed > peer.max_payload || !open_frame(peer, urgency))
            return {};
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
    if (closing_ || peer.transfer.size != 0 || message.size() > max_message(to)) return false;
    if (!may_open(peer) || pool_share_used(Urgency::kOrdinary)) return false;
    rte_mbuf* m = packet.release();
    auto* payload = reinterpret_cast<std::byte*>(rte_pktmbuf_prepend(m, wire::kMessageHeaderSize));
    const auto size = static_cast<std::uint16_t>(message.size());
    const std::uint32_t extension = wire::is_ordered(protocol) ? wire::kIsotachSize : 0;
    put_message(payload, {protocol, wire::kWholeMessage, size, size - extension});
    rte_pktmbuf_prepend(m, kOverhead);
    ++kept_;
    keep(peer, m, {payload, wire::kMessageHeaderSize + message.size()});
    counters_.messages_sent.add();
    touch(peer);
    return true;
}

bool Niu::transfer(NodeId to, wire::Protocol protocol, std::span<const std::byte> message) noexcept {
    if (message.size() <= max_message(to)) return send(to, protocol, message);
    static const Memory unregistered;
    return transfer(to, protocol, message, unregistered);
}

bool Niu::transfer(NodeId to, wire::Protocol protocol, std::span<const std::byte> message,
                   const Memory& memory) noexcept {
    assert(!wire::is_ordered(protocol));
    Peer& peer = peers_[to];
    if (message.size() <= max_message(to)) return send(to, protocol, message);
    if (closing_ || peer.transfer.size != 0 || peer.state != PeerState::kUp) return false;
    close_frame(peer);  // so that nothing sent from here on gets ahead
    Memory::Region* region = may_refer_to(memory, message) ? memory.region() : nullptr;
    if (region != nullptr) {
        region->refer();
        ++region->uses;
    }
    peer.transfer = {message, static_cast<std::uint32_t>(message.size()), protocol, region};
    pump(peer);  // so that the next can follow without a poll in between
    touch(peer);
    return true;
}

bool Niu::may_refer_to(const Memory& memory, std::span<const std::byte> message) const noexcept {
    if (!memory || !options_.chains) return false;
    assert(memory.contains(message));
    const Memory::Region& region = *memory.region();
    return options_.in_process || (!region.adopted && region.iova != RTE_BAD_IOVA);
}

/// Moves as much of the transfer into frames as window, credit and pool allow; an acknowledgement or credit
/// goes on from there.
void Niu::pump(Peer& peer) noexcept {
    while (peer.transfer.size != 0 && add_fragment(peer)) {
    }
}

/// A frame of the transfer under way.
bool Niu::add_fragment(Peer& peer) noexcept {
    if (!open_frame(peer)) return false;
    const OpenFrame open = std::exchange(peer.open, {});
    Transfer& transfer = peer.transfer;
    const auto part = transfer.rest.first(
        std::min<std::size_t>(transfer.rest.size(), peer.max_payload - wire::kMessageHeaderSize));
    const bool last = part.size() == transfer.rest.size();
    const auto offset = static_cast<std::uint32_t>(transfer.size - transfer.rest.size());
    const std::uint8_t fragment = offset == 0 ? wire::kFirstFragment : last ? wire::kLastFragment : 0;
    put_message(open.at, {transfer.protocol, fragment, static_cast<std::uint16_t>(part.size()),
                          offset == 0 ? transfer.size : offset});
    if (transfer.memory == nullptr || !refer_to_fragment(peer, open, part)) copy_fragment(peer, open, part);
    counters_.messages_sent.add();
    transfer.rest = transfer.rest.subspan(part.size());
    if (last) end_transfer(peer);
    return true;
}

/// At its end, or when the peer is lost.
void Niu::end_transfer(Peer& peer) noexcept {
    if (Memory::Region* memory = peer.transfer.memory; memory != nullptr) {
        --memory->uses;
        memory->let_go();
    }
    peer.transfer = {};
}

/// Copied and checked in one pass.
void Niu::copy_fragment(Peer& peer, OpenFrame open, std::span<const std::byte> part) noexcept {
    if (rte_mbuf* next = stock_.next(); next != nullptr && part.size() < peer.transfer.rest.size())
        prefetch_data_to_write(next, kAlignment + kOverhead + peer.max_payload);
    std::byte* const data = open.at + wire::kMessageHeaderSize;
    std::uint32_t crc = 0;
    if (checks_payload(peer)) {
        crc = wire::copy_crc32c(data, part, wire::crc32c({open.at, wire::kMessageHeaderSize}));
    } else {
        std::memcpy(data, part.data(), part.size());
    }
    open.packet->data_len = static_cast<std::uint16_t>(kOverhead + wire::kMessageHeaderSize + part.size());
    open.packet->pkt_len = open.packet->data_len;
    keep(peer, open.packet, wire::kMessageHeaderSize + part.size(), crc);
    counters_.copied_bytes.add(part.size());
}

/// Headers in one packet, and behind it one that stands for the user's memory. False when there is none, or
/// more of them stand for that memory than can be counted.
bool Niu::refer_to_fragment(Peer& peer, OpenFrame open, std::span<const std::byte> part) noexcept {
    constexpr std::uint16_t kMostReferences = UINT16_MAX / 2;
    Memory::Region& region = *peer.transfer.memory;
    if (rte_mbuf_ext_refcnt_read(&region.references) >= kMostReferences) [[unlikely]]
        return false;
    rte_mbuf* body = packet();
    if (body == nullptr) [[unlikely]]
        return false;
    const auto at = static_cast<std::size_t>(part.data() - region.bytes.data());
    const auto size = static_cast<std::uint16_t>(part.size());
    region.refer();
    rte_pktmbuf_attach_extbuf(body, region.bytes.data() + at,
                              region.iova == RTE_BAD_IOVA ? RTE_BAD_IOVA : region.iova + at, size,
                              &region.references);
    body->data_off = 0;
    body->data_len = size;
    body->pkt_len = size;
    rte_mbuf* head = open.packet;
    head->data_len = kOverhead + wire::kMessageHeaderSize;
    head->pkt_len = std::uint32_t{head->data_len} + size;
    head->nb_segs = 2;
    head->next = body;
    ++region.uses;
    ++kept_;
    const std::uint32_t crc =
        checks_payload(peer) ? wire::crc32c(part, wire::crc32c({open.at, wire::kMessageHeaderSize})) : 0;
    keep(peer, head, wire::kMessageHeaderSize + part.size(), crc);
    return true;
}

}  // namespace isoplane::niu
