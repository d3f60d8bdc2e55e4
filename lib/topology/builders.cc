// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/builders.hh>

#include <string>

namespace isoplane::topology {

namespace {

PortSpec host(std::size_t number) {
    return {PortKind::kHost, "h" + std::to_string(number), 0, {}};
}
PortSpec link_to(std::size_t number) {
    return {PortKind::kLink, {}, static_cast<std::uint32_t>(number), {}};
}

void require(bool holds, const std::string& sentence) {
    if (!holds) throw Error("topology", {}, sentence);
}

std::vector<SwitchSpec> row(std::size_t switches, std::size_t hosts_each) {
    require(switches <= kMaxSwitches && hosts_each <= kMaxPorts,
            std::to_string(switches) + " switches with " + std::to_string(hosts_each) +
                " hosts each are asked for; at most " + std::to_string(kMaxSwitches) + " with " +
                std::to_string(kMaxPorts) + " ports are possible: use fewer");
    std::vector<SwitchSpec> specs(switches);
    for (std::size_t s = 0; s < switches; ++s) {
        specs[s].number = static_cast<std::uint32_t>(s);
        for (std::size_t i = 0; i < hosts_each; ++i)
            specs[s].ports.push_back(host(s * hosts_each + i));
        if (s > 0) specs[s].ports.push_back(link_to(s - 1));
        if (s + 1 < switches) specs[s].ports.push_back(link_to(s + 1));
    }
    return specs;
}

}  // namespace

Topology single_switch(std::size_t hosts) {
    return Topology(row(1, hosts));
}

Topology line(std::size_t switches, std::size_t hosts_each) {
    return Topology(row(switches, hosts_each));
}

Topology ring(std::size_t switches, std::size_t hosts_each) {
    std::vector<SwitchSpec> specs = row(switches, hosts_each);
    if (switches > 2) {
        specs.front().ports.push_back(link_to(switches - 1));
        specs.back().ports.push_back(link_to(0));
    }
    return Topology(specs);
}

Topology fat_tree(std::size_t radix, std::size_t hosts) {
    const std::size_t half = radix / 2;
    require(radix >= 2 && radix % 2 == 0 && radix <= 56,
            "a fat tree of switches with " + std::to_string(radix) +
                " ports is asked for; an even number from 2 to 56 is possible: use one");
    const std::size_t room = radix * half * half;
    require(hosts <= room, "a fat tree of switches with " + std::to_string(radix) + " ports holds " +
                               std::to_string(room) + " hosts, not " + std::to_string(hosts) +
                               ": use switches with more ports, or fewer hosts");
    const std::size_t edges = radix * half;
    const std::size_t cores = 2 * edges;  // the number of the first core switch
    std::vector<SwitchSpec> specs(cores + half * half);
    for (std::size_t s = 0; s < specs.size(); ++s)
        specs[s].number = static_cast<std::uint32_t>(s);
    for (std::size_t pod = 0; pod < radix; ++pod) {
        for (std::size_t i = 0; i < half; ++i) {
            const std::size_t edge = pod * half + i;
            const std::size_t aggregation = edges + edge;
            for (std::size_t j = 0; j < half; ++j) {
                const std::size_t h = edge * half + j;
                specs[edge].ports.push_back(h < hosts ? host(h) : PortSpec{});
                specs[aggregation].ports.push_back(link_to(pod * half + j));
            }
            for (std::size_t j = 0; j < half; ++j) {
                specs[edge].ports.push_back(link_to(edges + pod * half + j));
                specs[aggregation].ports.push_back(link_to(cores + i * half + j));
                specs[cores + i * half + j].ports.push_back(link_to(aggregation));
            }
        }
    }
    return Topology(specs);
}

}  // namespace isoplane::topology
