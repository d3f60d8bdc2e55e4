// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "scale_setup.hh"

#include <string>

namespace isoplane::perf {

namespace {

topology::PortSpec host(unsigned number) {
    return {topology::PortKind::kHost, "host" + std::to_string(number), 0, {}};
}

topology::PortSpec link_to(std::size_t number) {
    return {topology::PortKind::kLink, {}, static_cast<std::uint32_t>(number), {}};
}

/// The top, then those in the middle, then those with hosts; each has as many below it, or less.
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

}  // namespace

topology::Topology scale_topology(const ScaleSetup& setup) {
    if (setup.tree) return topology::Topology(three_levels(setup.hosts), "scale");
    std::vector<topology::SwitchSpec> one(1);
    for (unsigned i = 0; i < setup.hosts; ++i)
        one[0].ports.push_back(host(i));
    return topology::Topology(one, "scale");
}

Partners::Partners(const ScaleSetup& setup, const topology::Topology& topology) {
    const bool all = setup.partners == 0 || setup.partners >= setup.hosts;
    const std::size_t groups = all ? 1 : std::max(1U, setup.hosts / (setup.partners + 1));
    for (std::size_t group = 0; group < groups; ++group) {
        std::vector<std::string> names(topology.node_count());
        for (std::size_t host = group; host < setup.hosts; host += groups)
            names[host] = topology.name(static_cast<niu::NodeId>(host));
        names_.emplace_back(std::move(names));
    }
}

std::vector<niu::NodeId> Partners::others(niu::NodeId host) const {
    const niu::Names& known = names(host);
    std::vector<niu::NodeId> others;
    for (std::size_t other = host % names_.size(); other < known.size(); other += names_.size())
        if (other != host && !known[other].empty()) others.push_back(static_cast<niu::NodeId>(other));
    return others;
}

}  // namespace isoplane::perf
