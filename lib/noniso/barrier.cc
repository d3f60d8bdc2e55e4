// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/noniso/barrier.hh>
#include <isoplane/wire/control.hh>

namespace isoplane::noniso {

Barrier::Barrier(niu::Niu& niu, Loss loss)
    : niu_(niu), loss_(loss), by_node_(niu.options().nodes.size()), placed_(loss == Loss::kBreaks) {
    const niu::Options& options = niu.options();
    members_.reserve(options.nodes.size());
    for (std::size_t i = 0; i < options.nodes.size(); ++i) {
        if (i == options.node || options.nodes[i].empty()) continue;
        members_.push_back({.node = static_cast<NodeId>(i)});
        by_node_[i] = &members_.back();
    }
}

bool Barrier::enter() noexcept {
    if (state_ == BarrierState::kRunning || state_ == BarrierState::kBroken) return false;
    // Whoever has come is told where we were, and is in this one.
    if (loss_ == Loss::kLeavesOut)
        for (Member& member : members_)
            tend(member);
    ++entered_;
    if (placed_) ++number_;
    state_ = BarrierState::kRunning;
    poll();
    return true;
}

std::uint32_t Barrier::completed() const noexcept {
    return state_ == BarrierState::kComplete || entered_ == 0 ? entered_ : entered_ - 1;
}

bool Barrier::poll() noexcept {
    if (loss_ == Loss::kLeavesOut) return poll_with_who_is_left();
    return state_ == BarrierState::kRunning && poll_together();
}

bool Barrier::poll_together() noexcept {
    bool all = true;
    bool moved = false;
    for (Member& member : members_) {
        if (lost(member)) {
            broken_by_ = member.node;
            state_ = BarrierState::kBroken;
            return true;
        }
        if (member.told != number_) moved |= tell(member);
        all &= member.told == number_ && member.at >= number_;
    }
    if (all) state_ = BarrierState::kComplete;
    return moved || all;
}

/// A node that was up and is so no longer, in the same life, will not come here any more.
bool Barrier::lost(Member& member) noexcept {
    const niu::PeerState state = niu_.state(member.node);
    if (state != niu::PeerState::kUp) return member.epoch != 0 || state == niu::PeerState::kDead;
    if (member.epoch == 0) member.epoch = niu_.peer(member.node).epoch;
    return member.epoch != niu_.peer(member.node).epoch;
}

/// While nothing waits, one a poll, in turn: who comes is greeted soon enough.
bool Barrier::poll_with_who_is_left() noexcept {
    if (placed_ && state_ != BarrierState::kRunning) [[likely]] {
        if (++next_ >= members_.size()) next_ = 0;
        return !members_.empty() && tend(members_[next_]);
    }
    bool moved = false;
    bool all = true;
    for (Member& member : members_) {
        moved |= tend(member);
        if (is_gone(member)) continue;
        all &= placed_ ? member.told == number_ && member.at >= number_ : member.first != kNothing;
    }
    if (!all) return moved;
    if (!placed_) return take_place();
    state_ = BarrierState::kComplete;
    return true;
}

/// Who is up in a life in which we have not met it is told where we are, and waited for from the next barrier
/// on, unless it says that it comes later.
bool Barrier::tend(Member& member) noexcept {
    const niu::Peer& peer = niu_.peer(member.node);
    if (peer.state != niu::PeerState::kUp) return false;
    if (member.epoch != peer.epoch) member = {.node = member.node, .epoch = peer.epoch, .at = number_};
    return member.told != number_ && tell(member);
}

/// It is not up, or has closed. Before we have our place, one that was never up may come yet, and know more
/// of it than others.
bool Barrier::is_gone(const Member& member) const noexcept {
    const niu::Peer& peer = niu_.peer(member.node);
    if (peer.state == niu::PeerState::kUp) return peer.bye_received;
    const bool was_up = member.epoch != 0 || peer.ended != 0 || peer.state == niu::PeerState::kDead;
    return placed_ || was_up || (has_left_ && has_left_(member.node));
}

/// Behind all barriers that anybody had entered who heard of us.
bool Barrier::take_place() noexcept {
    for (const Member& member : members_)
        if (member.first != kNothing) number_ = std::max(number_, member.first);
    placed_ = true;
    if (state_ == BarrierState::kRunning) ++number_;
    return true;
}

bool Barrier::tell(Member& member) noexcept {
    const niu::SendBuffer room =
        niu_.buffer(member.node, wire::Protocol::kControl, wire::kBarrierSize, niu::Urgency::kUrgent);
    if (!room) return false;
    wire::encode_barrier(room.data.first<wire::kBarrierSize>(), number_);
    niu_.send(room);
    member.told = number_;
    return true;
}

/// Where all enter all barriers, a number that is not the next would be that of another life, or no node's of
/// this job.
void Barrier::take(const niu::Received& message) noexcept {
    Member& member = *by_node_[message.source];
    const auto number = wire::decode_barrier(message.data);
    if (loss_ == Loss::kLeavesOut) {
        tend(member);
        if (number && member.first == kNothing) member.first = *number;
        if (number) member.at = std::max(member.at, *number);
    } else if (number && *number == member.at + 1) {
        member.at = *number;
    }
    niu_.release(message);
}

}  // namespace isoplane::noniso
