// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/isotach/survival.hh>
#include <isoplane/membership/choice.hh>

namespace isoplane::membership {

namespace {

bool is_own(const wire::Member& member) noexcept {
    return member.node == member.played_by;
}

/// By node, whether it is to be in.
using Those = std::vector<bool>;

/// With how many of them it is at odds.
std::size_t odds(NodeId node, const Those& those, const std::vector<Promise>& promises) {
    std::size_t n = 0;
    for (std::size_t other = 0; other < those.size(); ++other) {
        if (!those[other] || other == node) continue;
        const auto doubts = [&](std::size_t who, std::size_t whom) {
            return std::ranges::find(promises[who].doubts, static_cast<NodeId>(whom)) !=
                   promises[who].doubts.end();
        };
        if (doubts(other, node) || doubts(node, other)) ++n;
    }
    return n;
}

/// Of those who cannot hear each other, as few go as may be: first who is at odds with most; of several the
/// last.
void settle_odds(Those& those, const std::vector<Promise>& promises) {
    for (;;) {
        std::size_t most = 0;
        std::size_t worst = 0;
        for (std::size_t node = 0; node < those.size(); ++node) {
            if (!those[node]) continue;
            const std::size_t n = odds(static_cast<NodeId>(node), those, promises);
            if (n != 0 && n >= most) {
                most = n;
                worst = node;
            }
        }
        if (most == 0) return;
        those[worst] = false;
    }
}

/// Who is to be that token manager: itself; or a host whose process it is in; or who has been it; or a host,
/// of its switch if there is one.
NodeId player_of(NodeId manager, const topology::Topology& topology, const wire::View& now,
                 const Those& those, const std::vector<NodeId>& plays) {
    if (those[manager]) return manager;
    NodeId found = wire::kNoNode;
    bool found_near = false;
    for (std::size_t i = 0; i < topology.host_count(); ++i) {
        const auto host = static_cast<NodeId>(i);
        if (!those[host]) continue;
        if (plays[host] == manager) return host;
        const bool near = topology.switch_of(host) == topology.switch_of(manager);
        if (found != wire::kNoNode && (found_near || !near)) continue;
        found = host;
        found_near = near;
    }
    const wire::Member* before = find(now, manager);
    return before != nullptr && those[before->played_by] ? before->played_by : found;
}

}  // namespace

std::size_t voices(const wire::View& view) noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(view.members, is_own));
}

const wire::Member* find(const wire::View& view, NodeId node) noexcept {
    const auto at = std::ranges::lower_bound(view.members, node, {}, &wire::Member::node);
    return at != view.members.end() && at->node == node ? &*at : nullptr;
}

std::optional<wire::View> choose(const topology::Topology& topology, const wire::View& now,
                                 const std::vector<Promise>& promises, const std::vector<Joiner>& joiners) {
    const std::size_t nodes = topology.node_count();
    Those those(nodes);
    std::vector<NodeId> plays(nodes, wire::kNoNode);
    std::vector<std::uint32_t> epochs(nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
        those[node] = promises[node].epoch != 0;
        plays[node] = promises[node].plays;
        epochs[node] = promises[node].epoch;
    }
    settle_odds(those, promises);
    const auto promised = static_cast<std::size_t>(std::ranges::count(those, true));
    if (now.number != 0 && 2 * promised <= voices(now)) return std::nullopt;
    wire::View next{.number = now.number + 1, .cut = UINT64_MAX};
    std::uint64_t last = 0;
    bool knows = false;  // one of them how things stand
    for (std::size_t host = 0; host < topology.host_count(); ++host) {
        if (!those[host]) continue;
        next.cut = std::min(next.cut, promises[host].held);
        last = std::max(last, promises[host].held);
        if (promises[host].last == isotach::kArrives) continue;
        last = std::max(last, promises[host].last);
        knows = true;
    }
    if (!knows) return std::nullopt;  // no host is left, or none that has arrived
    next.base = now.number == 0 ? 0 : last + 1;
    for (const Joiner& joiner : joiners) {
        those[joiner.node] = true;
        plays[joiner.node] = joiner.plays;
        epochs[joiner.node] = joiner.epoch;
    }
    for (std::size_t i = 0; i < nodes; ++i) {
        const auto node = static_cast<NodeId>(i);
        NodeId player = node;
        if (!topology.is_host(node)) {
            player = player_of(node, topology, now, those, plays);
            // In the first view nobody stands in for anybody.
            if (now.number == 0 && player != node && plays[player] != node) return std::nullopt;
        } else if (!those[node]) {
            if (now.number == 0) return std::nullopt;
            continue;
        }
        next.members.push_back({node, player, epochs[player]});
    }
    return next;
}

}  // namespace isoplane::membership
