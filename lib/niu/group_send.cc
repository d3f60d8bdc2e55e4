// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/niu/niu.hh>

namespace isoplane::niu {

unsigned Niu::most_frames(NodeId to) const noexcept {
    const Peer& peer = peers_[to];
    const std::uint32_t credit = std::min(peer.granted - peer.reserve, std::uint32_t{options_.window});
    return peer.state == PeerState::kUp ? std::min(credit, most_kept_) : 0;
}

bool Niu::may_send(NodeId to, unsigned frames) noexcept {
    Peer& peer = peers_[to];
    if (closing_ || peer.state != PeerState::kUp || must_wait(peer)) return false;
    if (frames == 0) return true;
    const unsigned last = frames - 1 + (peer.open.packet != nullptr ? 1 : 0);
    if (peer.out.size() + last >= options_.window) return false;
    if (peer.allowance.covers(peer.out.next() + last + peer.reserve)) return true;
    wait_for_credit(peer);
    return false;
}

bool Niu::set_aside(unsigned frames, unsigned ready) noexcept {
    if (kept_ + lent_.packets() + frames > most_kept_) return false;
    while (aside_.size() < frames - ready) {
        rte_mbuf* m = packet();
        if (m == nullptr) return false;
        aside_.push_back(m);
    }
    return true;
}

void Niu::put_back() noexcept {
    if (aside_.empty()) return;
    rte_pktmbuf_free_bulk(aside_.data(), static_cast<unsigned>(aside_.size()));
    aside_.clear();
}

}  // namespace isoplane::niu
