// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Who asks for more than it takes is held up.
#include <isoplane/nal/over_niu.hh>

namespace isoplane::nal {

using namespace portals;

namespace {

constexpr runtime::Duration kGiveBackEvery = std::chrono::milliseconds{1};

}  // namespace

/// Whether answers to it go as soon as it gives back the last of the credit, which it does at once: nothing
/// that takes other credit is in front of them.
bool OverNiu::answers_may_go(const Peer& peer) const noexcept {
    const niu::Niu& niu = *planes_[peer.lead].niu;
    return !peer.rest.due && peer.unheard.empty() && !niu.transferring(id_of(peer)) &&
           sources_.live() < kMostObjects && niu.credit() >= niu::kMostUrgent;
}

/// Two nodes that withhold from each other go on, as answers take the last of the credit. In the middle of a
/// message that is not enough: so a frame is given back now and then. It is for the rest of what the other
/// side has begun, which sends nothing else before that.
void OverNiu::settle(Peer& peer) noexcept {
    if (peer.withheld.empty()) [[likely]]
        return;
    if (peer.answers.size() + peer.done.size() <= options_.owed / 2) return give_back(peer);
    if (answers_may_go(peer) || now_ < peer.give_back_at) return;
    peer.give_back_at = now_ + kGiveBackEvery;
    const Withheld first = peer.withheld.front();
    const auto is_of_first = [&first](const Withheld& next) {
        return next.plane == first.plane && next.received.frame == first.received.frame;
    };
    for (; !peer.withheld.empty() && is_of_first(peer.withheld.front()); peer.withheld.pop())
        planes_[first.plane].niu->release(peer.withheld.front().received);
}

void OverNiu::give_back(Peer& peer) noexcept {
    for (; !peer.withheld.empty(); peer.withheld.pop())
        planes_[peer.withheld.front().plane].niu->release(peer.withheld.front().received);
}

}  // namespace isoplane::nal
