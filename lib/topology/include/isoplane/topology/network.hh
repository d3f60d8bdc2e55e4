// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <optional>
#include <string>

#include <isoplane/topology/ip.hh>
#include <isoplane/topology/mac.hh>
#include <isoplane/topology/network_cfg.hh>
#include <isoplane/topology/node_conf.hh>
#include <isoplane/topology/shmem_map.hh>
#include <isoplane/topology/topology.hh>

namespace isoplane::topology {

/// All that a node's configuration names, read and checked against each other.
struct Network {
    NodeConf conf;  ///< with both its id and its name when there is a topology and either was given
    std::optional<Topology> topology;
    std::optional<NetworkCfg> routes;  ///< when the topology came from a network.cfg
    std::optional<ShmemMap> shmem;

    /// The address of a node: as configured, else default_mac().
    Mac mac(NodeId node) const;
    /// The same of IPv4: as configured, else default_ip().
    Ip ip(NodeId node) const;

    /// Where the nodes are, as one of them sees it; nowhere when frames do not travel in UDP.
    UdpNetwork udp(NodeId node) const;
};

/// Reads the files that `conf` names; the topology is `otherwise` where it names none. Throws Error for what
/// those refuse, two topologies, an id or name that the topology does not have, a host that it does not have,
/// an address that two nodes share, and a router that is not in the subnet of its host.
Network load_network(NodeConf conf, std::optional<Topology> otherwise = {});

}  // namespace isoplane::topology
