// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/large.hh"

#include <algorithm>
#include <string>

namespace isoplane::sim {

namespace {

topology::PortSpec host(unsigned number) {
    return {topology::PortKind::kHost, "host" + std::to_string(number), 0, {}};
}

topology::PortSpec link_to(std::size_t number) {
    return {topology::PortKind::kLink, {}, static_cast<std::uint32_t>(number), {}};
}

}  // namespace

Room room_for(unsigned hosts, unsigned partners) {
    const unsigned many = partners == 0 ? 32 : 512;
    return hosts > many ? Room{.packets = 262143, .memory_mb = 2048} : Room{};
}

std::vector<topology::SwitchSpec> three_levels(unsigned hosts) {
    unsigned width = 1;
    while (width * width * width < hosts)
        ++width;
    const unsigned low = (hosts + width - 1) / width;
    const unsigned middle = (low + width - 1) / width;
    std::vector<topology::SwitchSpec> switches(1 + middle + low);
    for (std::size_t i = 0; i < switches.size(); ++i)
        switches[i].number = static_cast<std::uint32_t>(i);
    const auto join = [&switches](std::size_t above, std::size_t below) {
        switches[above].ports.push_back(link_to(below));
        switches[below].ports.push_back(link_to(above));
    };
    for (unsigned i = 0; i < middle; ++i)
        join(0, 1 + i);
    for (unsigned i = 0; i < low; ++i)
        join(1 + i / width, 1 + middle + i);
    for (unsigned i = 0; i < hosts; ++i)
        switches[1 + middle + i / width].ports.push_back(host(i));
    return switches;
}

Partners::Partners(const topology::Topology& topology, unsigned partners) {
    const auto hosts = static_cast<unsigned>(topology.host_count());
    const bool all = partners == 0 || partners >= hosts;
    const std::size_t groups = all ? 1 : std::max(1U, hosts / (partners + 1));
    for (std::size_t group = 0; group < groups; ++group) {
        std::vector<std::string> names(topology.node_count());
        for (std::size_t host = group; host < hosts; host += groups)
            names[host] = topology.name(static_cast<niu::NodeId>(host));
        names_.emplace_back(std::move(names));
    }
}

std::vector<niu::NodeId> Partners::group(niu::NodeId host) const {
    const niu::Names& known = names(host);
    std::vector<niu::NodeId> group;
    for (std::size_t one = host % names_.size(); one < known.size(); one += names_.size())
        if (!known[one].empty()) group.push_back(static_cast<niu::NodeId>(one));
    return group;
}

}  // namespace isoplane::sim
