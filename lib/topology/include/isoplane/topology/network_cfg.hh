// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <isoplane/topology/topology.hh>

namespace isoplane::topology {

/// The bytes by which a frame finds its way through source-routed switches; none from a host to itself.
using RouteBytes = std::vector<std::uint8_t>;
inline constexpr std::size_t kMaxRouteBytes = 4;

/// The content of a network.cfg: the hosts by node id, and the route from each to each.
struct NetworkCfg {
    std::vector<std::string> hosts;
    std::vector<std::vector<RouteBytes>> routes;  ///< [from][to]
    bool operator==(const NetworkCfg&) const = default;
};

// network.cfg names the hosts of a network, and the route from each of them to every other:
//
//     hosts=2
//     bugs 0                  or bugs,0
//     porky 1
//     node 0:
//     0 loopback              or 0,loopback; may be left out
//     1 81
//     node 1:
//     0 BF
//     1 loopback
//
// Routes are in hexadecimal, two digits a byte. '#' starts a comment. From a host to itself, a route that
// leads back in (80) is read as loopback.

/// Reads one. `file` stands in errors. Throws Error, with the place, for anything else, and for a host, a
/// node or a route that is missing or there twice.
NetworkCfg parse_network_cfg(std::string_view text, std::string_view file = "network.cfg");

/// As parse_network_cfg, from a file.
NetworkCfg load_network_cfg(const std::string& path);

/// The text from which parse_network_cfg makes equal content, of what it could have made.
std::string write_network_cfg(const NetworkCfg& cfg);

/// The network as one switch with an implicit token manager and all the hosts, numbered as in the file. The
/// switch takes a route byte for the signed way from the port in to the port out, in its lower six bits under
/// a leading 10; where every route is one such byte and they agree, they tell the port of each host, and the
/// lowest becomes port 0. Otherwise the hosts are on the ports in the order of their numbers.
Topology topology_of(const NetworkCfg& cfg, std::string_view file = "network.cfg");

}  // namespace isoplane::topology
