// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/noniso/barrier.hh>
#include <isoplane/wire/control.hh>

namespace isoplane::noniso {

Barrier::Barrier(niu::Niu& niu, Loss loss) : niu_(niu), loss_(loss), by_node_(niu.options().nodes.size()) {
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
    for (Member& member : members_)
        meet(member);
    ++number_;
    state_ = BarrierState::kRunning;
    poll();
    return true;
}

std::uint32_t Barrier::completed() const noexcept {
    return state_ == BarrierState::kComplete || number_ == 0 ? number_ : number_ - 1;
}

bool Barrier::poll() noexcept {
    if (state_ != BarrierState::kRunning) [[likely]]
        return false;
    bool all = true;
    bool moved = false;
    for (Member& member : members_) {
        if (member.first > number_) continue;
        if (lost(member)) {
            if (loss_ == Loss::kLeavesOut) continue;
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

/// A node that was up and is so no longer, in the same life, will not come here any more. Where those who are
/// lost are left out it is not waited for, either, when it was up before anybody waited for it here.
bool Barrier::lost(Member& member) noexcept {
    const niu::PeerState state = niu_.state(member.node);
    if (state != niu::PeerState::kUp) {
        const bool was_up = loss_ == Loss::kLeavesOut && niu_.peer(member.node).ended != 0;
        return member.epoch != 0 || state == niu::PeerState::kDead || was_up;
    }
    if (member.epoch == 0) member.epoch = niu_.peer(member.node).epoch;
    return member.epoch != niu_.peer(member.node).epoch;
}

/// Who is up in another life than the one that was lost takes part from the next barrier on.
void Barrier::meet(Member& member) noexcept {
    if (loss_ != Loss::kLeavesOut || niu_.state(member.node) != niu::PeerState::kUp) return;
    const std::uint32_t epoch = niu_.peer(member.node).epoch;
    if (member.epoch == epoch || (member.epoch == 0 && niu_.peer(member.node).ended == 0)) return;
    member = {.node = member.node, .epoch = epoch, .first = number_ + 1, .told = number_, .at = number_};
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

/// A number that is not the next would be that of another life, or no node's of this job.
void Barrier::take(const niu::Received& message) noexcept {
    Member* member = by_node_[message.source];
    const auto number = wire::decode_barrier(message.data);
    if (loss_ == Loss::kLeavesOut) {
        // Either may have started again and count from another barrier: each says the next of them.
        meet(*member);
        if (number) ++member->at;
    } else if (number && *number == member->at + 1) {
        member->at = *number;
    }
    niu_.release(message);
}

}  // namespace isoplane::noniso
