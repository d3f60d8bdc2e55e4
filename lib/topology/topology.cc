// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/topology.hh>

namespace isoplane::topology {

NodeId Topology::token_manager(SwitchId s) const {
    const std::size_t node = host_count() + s;
    static_cast<void>(nodes_.at(node));
    return static_cast<NodeId>(node);
}

std::optional<NodeId> Topology::find(std::string_view name) const {
    const auto found = by_name_.find(std::string(name));
    return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<NodeId> Topology::hosts_on(SwitchId s) const {
    std::vector<NodeId> hosts;
    for (const Port& port : switches_.at(s).ports)
        if (port.kind == PortKind::kHost) hosts.push_back(port.node);
    return hosts;
}

std::vector<NodeId> Topology::token_neighbours(NodeId node) const {
    const SwitchId s = switch_of(node);
    if (is_host(node)) return {token_manager(s)};
    std::vector<NodeId> neighbours = hosts_on(s);
    for (const SwitchId other : adjacent(s))
        neighbours.push_back(token_manager(other));
    return neighbours;
}

}  // namespace isoplane::topology
