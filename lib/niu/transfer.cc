// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <cassert>
#include <isoplane/niu/niu.hh>
#include <isoplane/wire/crc32c.hh>
#include <utility>

#include "frames.hh"

namespace isoplane::niu {

namespace {

/// For how long transfers stand back for somebody who has been refused, and may have given up.
constexpr runtime::Duration kTurn = std::chrono::microseconds{200};

/// How much of the next packet is fetched while a fragment is taken.
std::size_t fetched_of_next(const Peer& peer) noexcept {
    constexpr std::size_t kFewLines = std::size_t{4} * RTE_CACHE_LINE_SIZE;
    const std::size_t all = kPayloadAt - RTE_PKTMBUF_HEADROOM + peer.max_payload;
    return stores_fetch() ? std::min(all, kFewLines) : all;
}

}  // namespace

/// Whether something small has to, as a transfer that was there before it does. Then it is next: who sends
/// nothing but transfers would otherwise keep all others from that peer.
bool Niu::must_wait(Peer& peer) noexcept {
    if (peer.transfers.empty()) [[likely]]
        return false;
    peer.others_until = now_ + kTurn;
    return true;
}

Refusal Niu::refusal(const Peer& peer) const noexcept {
    if (closing_) return Refusal::kClosing;
    if (peer.state != PeerState::kUp) return Refusal::kNotUp;
    if (now_ < peer.others_until || peer.transfers.size() >= options_.transfers) return Refusal::kFull;
    return Refusal::kNone;
}

/// What does not go at once, or was refused.
Ticket Niu::transfer_in_turn(NodeId to, wire::Protocol protocol, std::span<const std::byte> message,
                             Memory::Region* memory) noexcept {
    assert(!wire::is_ordered(protocol));
    Peer& peer = peers_[to];
    if (goes_at_once(peer, message)) {
        const Refusal why = refusal(peer);
        return {to, why == Refusal::kNone ? Refusal::kFull : why};
    }
    if (message.size() > UINT32_MAX) return {to, Refusal::kTooLarge};
    if (const Refusal why = refusal(peer); why != Refusal::kNone) return {to, why};
    close_frame(peer);  // so that nothing sent from here on gets ahead
    const std::size_t fits = max_message(to);
    const bool by_reference = memory != nullptr && message.size() > fits && may_refer_to(*memory);
    if (memory != nullptr) {
        assert(memory->contains(message));
        memory->take_part();
    }
    const auto frames = static_cast<Sequence>(std::max<std::size_t>((message.size() + fits - 1) / fits, 1));
    const Sequence first = peer.transfers.empty() ? peer.ahead.number(peer.out.next()) : peer.transfers_end;
    peer.transfers_end = first + frames;
    const Sequence last = peer.transfers_end - 1;
    peer.transfers.push(
        {message, static_cast<std::uint32_t>(message.size()), last, protocol, memory, by_reference, {}});
    pump(peer);  // so that what may follow one that is not so large need not wait for a poll
    touch(peer);
    return {to, peer.epoch, last};
}

void Niu::keep_copy(const Ticket& ticket) {
    Peer& peer = peers_[ticket.to()];
    if (ticket.epoch() != peer.epoch) return;
    peer.transfers.for_each([&ticket](Transfer& transfer) {
        if (transfer.last != ticket.last() || transfer.copy != nullptr) return;
        transfer.by_reference = false;
        transfer.copy = std::make_shared<std::byte[]>(transfer.rest.size());
        std::copy(transfer.rest.begin(), transfer.rest.end(), transfer.copy.get());
        transfer.rest = {transfer.copy.get(), transfer.rest.size()};
    });
}

TransferState Niu::state(const Ticket& ticket) const noexcept {
    const Peer& peer = peers_[ticket.to()];
    return Progress{.epoch = peer.epoch,
                    .arrived = peer.ahead.number(peer.out.first()),
                    .sent = peer.ahead.number(peer.out.next() + (peer.open.packet == nullptr ? 0 : 1)),
                    .ended = peer.ended,
                    .ended_at = peer.ended_at}
        .of(ticket);
}

bool Niu::may_refer_to(const Memory::Region& memory) const noexcept {
    if (!options_.chains) return false;
    return options_.in_process || (!memory.adopted && memory.iova != RTE_BAD_IOVA);
}

/// Moves some of what waits into frames, if window, credit and pool allow: so many that they are worth a
/// burst, so few that the first are under way soon. Returns whether there may be more.
bool Niu::pump(Peer& peer) noexcept {
    constexpr unsigned kBurst = 32;
    for (unsigned n = 0; n < kBurst; ++n)
        if (peer.transfers.empty() || !add_fragment(peer)) return false;
    return true;
}

/// A frame of the transfer that is first.
bool Niu::add_fragment(Peer& peer) noexcept {
    rte_mbuf* const m = new_frame(peer);
    if (m == nullptr) return false;
    Transfer& transfer = peer.transfers.front();
    const auto part = transfer.rest.first(
        std::min<std::size_t>(transfer.rest.size(), peer.max_payload - wire::kMessageHeaderSize));
    const bool last = part.size() == transfer.rest.size();
    const auto offset = static_cast<std::uint32_t>(transfer.size - transfer.rest.size());
    const std::uint8_t fragment = offset == 0 ? (last ? wire::kWholeMessage : wire::kFirstFragment)
                                              : (last ? wire::kLastFragment : std::uint8_t{0});
    const wire::MessageHeader header{transfer.protocol, fragment, static_cast<std::uint16_t>(part.size()),
                                     offset == 0 ? transfer.size : offset};
    if (!transfer.by_reference || !refer_to_fragment(peer, m, header, part)) {
        if (rte_mbuf* next = stock_.next(); next != nullptr && !last)
            prefetch_data_to_write(next, fetched_of_next(peer));
        fill_frame(peer, m, header, part);
    }
    counters_.messages_sent.add();
    transfer.rest = transfer.rest.subspan(part.size());
    if (last) {
        assert(peer.ahead.number(peer.out.next() - 1) == transfer.last);
        end_transfer(peer);
    }
    return true;
}

/// Of the first: all of it is in frames, or the peer is lost.
void Niu::end_transfer(Peer& peer) noexcept {
    if (Memory::Region* memory = peer.transfers.front().memory; memory != nullptr) {
        memory->give_back();
    }
    peer.transfers.front().copy.reset();
    peer.transfers.pop();
}

/// Headers in one packet, and behind it one that stands for the user's memory. False when there is none, or
/// more of them stand for that memory than can be counted.
bool Niu::refer_to_fragment(Peer& peer, rte_mbuf* head, const wire::MessageHeader& header,
                            std::span<const std::byte> part) noexcept {
    constexpr std::uint16_t kMostReferences = UINT16_MAX / 2;
    Memory::Region& region = *peer.transfers.front().memory;
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
    auto* const payload = payload_of_new(head);
    put_message(payload, header);
    head->data_len = static_cast<std::uint16_t>(overhead_ + wire::kMessageHeaderSize);
    head->pkt_len = std::uint32_t{head->data_len} + size;
    head->nb_segs = 2;
    head->next = body;
    region.use();
    ++kept_;
    const std::uint32_t crc =
        checks_payload(peer) ? wire::crc32c(part, wire::crc32c({payload, wire::kMessageHeaderSize})) : 0;
    peer.out.push(head, crc, static_cast<std::uint16_t>(wire::kMessageHeaderSize + part.size()),
                  Origin::kLent);
    return true;
}

}  // namespace isoplane::niu
