// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What a Relay knows of who wants time to go on, and tells its neighbours of it.
#pragma once

#include <algorithm>

#include <isoplane/tm/relay.hh>

namespace isoplane::tm {

/// For how many hops from here the token that goes now is to say so: one hop less than the neighbour that
/// wants it for furthest.
template <typename Self>
inline std::uint8_t Relay<Self>::wanted() noexcept {
    if (self().wants()) return options().reach;
    if (!passes_on()) return 0;
    const std::uint64_t number = sent() + 1;
    std::uint8_t hops = woken_for(number);
    if (number <= base() + options().ahead) return hops;
    for (std::size_t i = 0; i < neighbour_count(); ++i) {
        const std::uint8_t theirs = incoming_wanted(i, number - options().ahead);
        if (theirs > hops + 1) hops = static_cast<std::uint8_t>(theirs - 1);
    }
    return hops;
}

template <typename Self>
std::uint8_t Relay<Self>::woken_for(std::uint64_t number) const noexcept {
    auto hops = static_cast<std::uint8_t>(woken_through_.size() - 1);
    while (hops != 0 && woken_through_[hops] < number)
        --hops;
    return hops;
}

/// A neighbour says that somebody `hops` hops or less from here wants time to go on.
template <typename Self>
inline void Relay<Self>::on_wanted(std::size_t neighbour, std::uint8_t hops) noexcept {
    self().on_others_want();
    if (!passes_on()) return;
    const auto further = static_cast<std::uint8_t>(std::min<std::size_t>(hops, woken_through_.size()) - 1);
    const bool awake = woken_for(sent() + 1) >= further;
    woken_through_[further] = sent() + std::uint64_t{2} * options().ahead;
    if (!awake && further != 0) wake(neighbour);
}

template <typename Self>
void Relay<Self>::wake(std::size_t except) noexcept {
    const std::uint8_t hops = wanted();
    if (hops == 0 || sent_ == base_ || quiet_ != 0) return;
    counters_.wakes.add();
    for (std::size_t i = 0; i < neighbour_count_; ++i) {
        Neighbour& neighbour = neighbours_[i];
        Gone before{sent_ - 1};
        if (i != except && neighbour.gone.number == sent_) transmit(neighbour, before, hops);
    }
    level_ = std::max(level_, hops);
    resend_at_ = std::min(resend_at_, now_ + patience());
}

template <typename Self>
void Relay<Self>::forget_wanted() noexcept {
    std::fill(woken_through_.begin(), woken_through_.end(), 0);
}

}  // namespace isoplane::tm
