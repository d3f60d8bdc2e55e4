// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/isotach/group.hh>
#include <isoplane/wire/isotach.hh>
#include <utility>

namespace isoplane::isotach {

void Group::apply(NodeId host, std::uint32_t word) noexcept {
    for (unsigned channel = 0; channel < wire::kSignalChannels; ++channel)
        signals_ |= word & wire::group_signal(channel);
    Member& member = members_[host];
    for (unsigned channel = 0; channel < wire::kBarrierChannels; ++channel) {
        bool& joined = member.joined[channel];
        bool& entered = member.entered[channel];
        Count& count = counts_[channel];
        if ((word & wire::group_join(channel)) != 0 && !joined) {
            joined = true;
            ++count.joined;
        }
        if ((word & wire::group_enter(channel)) != 0 && joined && !entered) {
            entered = true;
            ++count.entered;
        }
        if ((word & wire::group_leave(channel)) != 0 && joined) {
            --count.joined;
            count.entered -= entered ? 1 : 0;
            joined = entered = false;
        }
    }
}

bool Group::completes(unsigned channel) noexcept {
    Count& count = counts_[channel];
    if (count.joined == 0 || count.entered != count.joined) return false;
    for (Member& member : members_)
        member.entered[channel] = false;
    count.entered = 0;
    return true;
}

std::uint8_t Group::standing(NodeId host) const noexcept {
    unsigned standing = 0;
    for (unsigned channel = 0; channel < wire::kBarrierChannels; ++channel) {
        if (members_[host].joined[channel]) standing |= wire::handover_joined(channel);
        if (members_[host].entered[channel]) standing |= wire::handover_entered(channel);
    }
    return static_cast<std::uint8_t>(standing);
}

void Group::take_over(NodeId host, std::uint8_t standing) noexcept {
    for (unsigned channel = 0; channel < wire::kBarrierChannels; ++channel) {
        if ((standing & wire::handover_joined(channel)) != 0) apply(host, wire::group_join(channel));
        if ((standing & wire::handover_entered(channel)) != 0) apply(host, wire::group_enter(channel));
    }
}

std::uint32_t Group::take_signals() noexcept {
    return std::exchange(signals_, 0);
}

}  // namespace isoplane::isotach
