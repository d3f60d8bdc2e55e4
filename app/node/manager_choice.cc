// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "manager_choice.hh"

#include <stdexcept>
#include <string>

namespace isoplane::node {

namespace {

/// Enough to see how they are called.
constexpr std::size_t kMostNamed = 4;

/// "tm10 (node 4), tm@20 (node 5)".
std::string names_of_managers(const topology::Topology& topology) {
    std::string names;
    for (std::size_t s = 0; s < topology.switch_count() && s < kMostNamed; ++s) {
        const topology::NodeId node = topology.token_manager(static_cast<topology::SwitchId>(s));
        names += (s == 0 ? "" : ", ") + topology.name(node) + " (node " + std::to_string(node) + ")";
    }
    return names + (topology.switch_count() > kMostNamed ? " and so on" : "");
}

}  // namespace

std::vector<topology::NodeId> choose_managers(const topology::Network& network, bool beside_fabric) {
    if (!network.topology) {
        throw std::invalid_argument(
            "a token manager has to know its network: name it by --fmconfig FILE or --network-cfg FILE");
    }
    const topology::Topology& topology = *network.topology;
    const topology::NodeConf& conf = network.conf;
    if (conf.id) {
        if (!topology.is_host(*conf.id)) return {*conf.id};
        const char* given = conf.origin.places.contains("name") ? "name" : "id";
        throw conf.error(given, "node " + std::to_string(*conf.id) + ", " + conf.name +
                                    ", is a host, and the role tm is for a token manager: give that of " +
                                    names_of_managers(topology));
    }
    if (topology.switch_count() > 1 && !beside_fabric) {
        throw std::invalid_argument("the network has " + std::to_string(topology.switch_count()) +
                                    " switches, and nothing says whose token manager this is: give --name "
                                    "or --id, that of " +
                                    names_of_managers(topology));
    }
    std::vector<topology::NodeId> all;
    for (std::size_t s = 0; s < topology.switch_count(); ++s)
        all.push_back(topology.token_manager(static_cast<topology::SwitchId>(s)));
    return all;
}

topology::NodeId choose_host(const topology::Network& network) {
    if (!network.topology)
        throw std::invalid_argument(
            "a host has to know its network: name it by --fmconfig FILE or --network-cfg FILE");
    const topology::Topology& topology = *network.topology;
    const topology::NodeConf& conf = network.conf;
    if (!conf.id)
        throw std::invalid_argument("the network has " + std::to_string(topology.host_count()) +
                                    " hosts, and nothing says which of them this is: give --name or --id, as "
                                    "--name " +
                                    topology.name(0));
    if (topology.is_host(*conf.id)) return *conf.id;
    const char* given = conf.origin.places.contains("name") ? "name" : "id";
    throw conf.error(given, "node " + std::to_string(*conf.id) + ", " + conf.name +
                                ", is a token manager, and the role host is for a host: give that of one, or "
                                "--role tm");
}

}  // namespace isoplane::node
