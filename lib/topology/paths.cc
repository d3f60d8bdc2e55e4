// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/paths.hh>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace isoplane::topology {

namespace {

constexpr auto kUnreached = std::numeric_limits<std::uint16_t>::max();
static_assert(kMaxSwitches < kUnreached, "every count of hops fits its table");

void demand(bool holds, const std::string& sentence) {
    if (!holds) throw std::invalid_argument(sentence);
}

}  // namespace

Paths::Paths(const Topology& topology)
    : topology_(&topology), hops_(topology.switch_count() * topology.switch_count(), kUnreached) {
    const std::size_t n = topology.switch_count();
    std::vector<SwitchId> with_hosts;
    for (std::size_t s = 0; s < n; ++s) {
        search_from(static_cast<SwitchId>(s));
        if (!topology.hosts_on(static_cast<SwitchId>(s)).empty())
            with_hosts.push_back(static_cast<SwitchId>(s));
    }
    diameter_ = *std::max_element(hops_.begin(), hops_.end());
    for (const SwitchId a : with_hosts)
        for (const SwitchId b : with_hosts)
            greatest_token_hops_ = std::max(greatest_token_hops_, switch_hops(a, b) + 2);
}

void Paths::search_from(SwitchId from) {
    const auto row = hops_.begin() + static_cast<std::ptrdiff_t>(from * topology_->switch_count());
    std::vector<SwitchId> queue{from};
    queue.reserve(topology_->switch_count());
    row[from] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const SwitchId at = queue[i];
        for (const SwitchId next : topology_->adjacent(at)) {
            if (row[next] != kUnreached) continue;
            row[next] = static_cast<std::uint16_t>(row[at] + 1);
            queue.push_back(next);
        }
    }
}

std::uint32_t Paths::switch_hops(SwitchId from, SwitchId to) const {
    const std::size_t n = topology_->switch_count();
    if (from >= n || to >= n)
        throw std::out_of_range("switch " + std::to_string(std::max(from, to)) +
                                " is not there: the network has " + std::to_string(n) + ", counted from 0");
    return hops_[from * n + to];
}

std::uint32_t Paths::token_hops(NodeId from, NodeId to) const {
    const std::uint32_t between = switch_hops(topology_->switch_of(from), topology_->switch_of(to));
    return between + (topology_->is_host(from) ? 1 : 0) + (topology_->is_host(to) ? 1 : 0);
}

std::uint64_t Paths::distance(NodeId from, NodeId to, std::uint32_t h) const {
    const std::uint32_t hops = token_hops(from, to);
    demand(topology_->is_host(from) && topology_->is_host(to),
           "a distance is asked for between nodes " + std::to_string(from) + " and " + std::to_string(to) +
               ", but only hosts send messages: use node ids below " +
               std::to_string(topology_->host_count()));
    demand(h != 0, "a distance is asked for with h = 0, but time stands still without tokens: use 1 or more");
    return std::uint64_t{hops - 1} * h + 1;
}

std::uint64_t Paths::greatest_distance(std::uint32_t h) const {
    demand(h != 0, "a distance is asked for with h = 0, but time stands still without tokens: use 1 or more");
    return std::uint64_t{greatest_token_hops_ - 1} * h + 1;
}

PortId Paths::next_port(SwitchId at, SwitchId to) const {
    const std::uint32_t here = switch_hops(at, to);
    demand(here != 0, "a way is asked for from switch " + std::to_string(at) +
                          " to itself: use Topology::port_of for the port of a node on it");
    const std::vector<Port>& ports = topology_->switches()[at].ports;
    const auto closer = std::find_if(ports.begin(), ports.end(), [&](const Port& port) {
        return port.kind == PortKind::kLink && switch_hops(port.peer, to) + 1 == here;
    });
    return static_cast<PortId>(closer - ports.begin());
}

std::vector<Hop> Paths::route(NodeId from, NodeId to) const {
    SwitchId at = topology_->switch_of(from);
    const SwitchId last = topology_->switch_of(to);
    std::vector<Hop> hops;
    if (from == to) return hops;
    while (at != last) {
        const PortId out = next_port(at, last);
        hops.push_back({at, out});
        at = topology_->switches()[at].ports[out].peer;
    }
    if (const auto port = topology_->port_of(to)) hops.push_back({last, *port});
    return hops;
}

NodeId Paths::next_token_hop(NodeId at, NodeId to) const {
    const SwitchId here = topology_->switch_of(at);
    const SwitchId there = topology_->switch_of(to);
    demand(at != to, "the next hop is asked for from node " + std::to_string(at) + " to itself: it is there");
    if (topology_->is_host(at)) return topology_->token_manager(here);
    if (here == there) return to;
    return topology_->token_manager(topology_->switches()[here].ports[next_port(here, there)].peer);
}

}  // namespace isoplane::topology
