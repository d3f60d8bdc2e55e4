// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Where frames travel in UDP, nodes are in two subnets by turns, with a router between them.
#pragma once

#include <isoplane/topology/ip.hh>
#include <isoplane/wire/arp.hh>
#include <isoplane/wire/ethernet.hh>

#include "bytes.hh"

namespace isoplane::fuzz {

constexpr topology::Ip kRouter = 0x0a0000fe;
constexpr topology::Ip ip_of(topology::NodeId node) {
    return 0x0a000001U + node + (node % 2U << 8);
}

inline topology::UdpNetwork udp_network(wire::Transport transport, topology::NodeId nodes) {
    topology::UdpNetwork network;
    if (transport != wire::Transport::kUdp) return network;
    for (topology::NodeId node = 0; node < nodes; ++node)
        network.addresses.push_back(ip_of(node));
    network.gateway = kRouter;
    network.subnet_bits = 24;
    return network;
}

/// A request or an answer: mostly the router's, of whom it looks for.
inline wire::Arp some_arp(topology::NodeId target, Bytes& in) {
    const auto how = in.take<std::uint8_t>();
    return {.is_request = how % 2 == 0,
            .sender_mac = {2, 0, 0, 0, 1, static_cast<std::uint8_t>(how / 2 % 4)},
            .sender_address = in.near(kRouter),
            .target_address = in.near(ip_of(target))};
}

}  // namespace isoplane::fuzz
