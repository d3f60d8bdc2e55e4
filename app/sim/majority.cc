// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/majority.hh"

#include <algorithm>

namespace isoplane::sim {

Majority::Majority(const wire::View& view) : view_(view) {
    for (const wire::Member& member : view.members)
        if (member.played_by == member.node) ++voices_;
}

void Majority::add(std::uint16_t node, std::uint32_t epoch, bool knows) {
    for (const wire::Member& member : view_.members)
        if (member.node == node && member.played_by == node && member.epoch == epoch)
            there_.push_back({node, knows});
}

void Majority::add(const niu::Niu& niu, bool knows) {
    const niu::Options& options = niu.options();
    add(options.node, options.epoch, knows);
    for (const wire::Member& other : view_.members) {
        if (other.node == options.node || options.nodes[other.node].empty()) continue;
        const niu::Peer& peer = niu.peer(other.node);
        const bool is_back = peer.epoch != 0 && static_cast<std::int32_t>(peer.epoch - other.epoch) > 0;
        if (peer.ended == other.epoch || is_back) at_odds(options.node, other.node);
    }
}

void Majority::at_odds(std::uint16_t a, std::uint16_t b) {
    odds_.push_back({a, b});
}

/// Of two who are at odds either may go.
bool Majority::is_there(const std::vector<Voice>& some) const {
    if (2 * some.size() <= voices_ || std::ranges::none_of(some, &Voice::knows)) return false;
    const auto has = [&](std::uint16_t node) {
        return std::ranges::find(some, node, &Voice::node) != some.end();
    };
    const auto pair = std::ranges::find_if(odds_, [&](const Pair& two) { return has(two.a) && has(two.b); });
    if (pair == odds_.end()) return true;
    const auto without = [&](std::uint16_t node) {
        std::vector<Voice> others = some;
        std::erase_if(others, [node](const Voice& voice) { return voice.node == node; });
        return is_there(others);
    };
    return without(pair->a) || without(pair->b);
}

}  // namespace isoplane::sim
