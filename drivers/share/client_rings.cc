// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/share/client_rings.hh>

namespace isoplane::share {

namespace {

/// Where in the shared memory.
std::uint32_t offset_of(const std::byte* at, const runtime::Pool& pool) noexcept {
    return static_cast<std::uint32_t>(at - pool.shared()->bytes().data());
}

bool lies_in(const rte_mbuf* packet, const runtime::Pool& pool) noexcept {
    const std::span<std::byte> memory = pool.shared()->bytes();
    const auto* at = rte_pktmbuf_mtod(packet, const std::byte*);
    return at >= memory.data() && at + packet->data_len <= memory.data() + memory.size();
}

}  // namespace

ClientOutput::~ClientOutput() {
    reclaim_all();
}

std::uint16_t ClientOutput::do_send(rte_mbuf** packets, std::uint16_t n) noexcept {
    reclaim();
    std::uint16_t sent = 0;
    for (; sent < n && posted_ - reclaimed_ < depth_; ++sent) {
        if (packets[sent]->pkt_len > longest_) [[unlikely]] {
            rte_pktmbuf_free(packets[sent]);
            oversized.add();
            continue;
        }
        if (!prepare(packets[sent])) break;
        const auto* bytes = rte_pktmbuf_mtod(packets[sent], const std::byte*);
        ring_.put(posted_, {offset_of(bytes, pool_), packets[sent]->data_len});
        lent_[posted_++ % kSlots] = packets[sent];
    }
    ring_.posted.store(posted_, std::memory_order_release);
    return sent;
}

/// Makes it one piece, in shared memory. Returns false when there is no packet for that now.
bool ClientOutput::prepare(rte_mbuf*& packet) noexcept {
    if (packet->nb_segs == 1 && lies_in(packet, pool_)) [[likely]]
        return true;
    rte_mbuf* whole = pool_.packet().release();
    if (whole == nullptr) return false;
    char* at = rte_pktmbuf_append(whole, static_cast<std::uint16_t>(packet->pkt_len));
    if (at == nullptr) {
        rte_pktmbuf_free(whole);
        return false;
    }
    for (const rte_mbuf* part = packet; part != nullptr; part = part->next)
        at = std::copy_n(rte_pktmbuf_mtod(part, const char*), part->data_len, at);
    rte_pktmbuf_free(packet);
    packet = whole;
    linearised.add();
    return true;
}

void ClientOutput::reclaim() noexcept {
    const std::uint32_t done = ring_.done.load(std::memory_order_acquire);
    for (; reclaimed_ != done && reclaimed_ != posted_; ++reclaimed_)
        rte_pktmbuf_free(lent_[reclaimed_ % kSlots]);
}

void ClientOutput::reclaim_all() noexcept {
    for (; reclaimed_ != posted_; ++reclaimed_)
        rte_pktmbuf_free(lent_[reclaimed_ % kSlots]);
}

ClientInput::ClientInput(const std::string& name, Ring& ring, runtime::Pool& pool, unsigned depth)
    : Input(name), ring_(ring), pool_(pool), depth_(std::min(depth, kSlots)) {}

ClientInput::~ClientInput() {
    reclaim_all();
}

void ClientInput::post() noexcept {
    while (posted_ - received_ < depth_) {
        rte_mbuf* room = pool_.packet().release();
        if (room == nullptr) break;  // what comes meanwhile has less room; the next call tries again
        const auto* bytes = rte_pktmbuf_mtod(room, const std::byte*);
        ring_.put(posted_, {offset_of(bytes, pool_), rte_pktmbuf_tailroom(room)});
        lent_[posted_++ % kSlots] = room;
    }
    ring_.posted.store(posted_, std::memory_order_release);
}

std::uint16_t ClientInput::do_receive(rte_mbuf** packets, std::uint16_t room) noexcept {
    const std::uint32_t done = ring_.done.load(std::memory_order_acquire);
    std::uint16_t n = 0;
    for (; n < room && received_ != done && received_ != posted_; ++n, ++received_) {
        rte_mbuf* packet = lent_[received_ % kSlots];
        const std::uint32_t length =
            std::min<std::uint32_t>(ring_.at(received_).length(), rte_pktmbuf_tailroom(packet));
        packet->data_len = static_cast<std::uint16_t>(length);
        packet->pkt_len = length;
        packets[n] = packet;
    }
    // A few at a time cost as much as one.
    constexpr std::uint32_t kFew = 16;
    if (posted_ - received_ + kFew <= depth_) post();
    return n;
}

void ClientInput::reclaim_all() noexcept {
    for (; received_ != posted_; ++received_)
        rte_pktmbuf_free(lent_[received_ % kSlots]);
}

}  // namespace isoplane::share
