// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <isoplane/topology/limits.hh>

namespace isoplane::topology {

/// An IPv4 address in host order.
using Ip = std::uint32_t;

/// An address, and how many of its leading bits all addresses of its subnet have in common.
struct IpInSubnet {
    Ip address = 0;
    std::optional<unsigned> bits;  ///< nothing when it was not said
    bool operator==(const IpInSubnet&) const = default;
};

/// The address a node has unless its configuration says otherwise: 198.18.0.1 plus its id. 198.18.0.0/15 is
/// set aside for tests of networks (RFC 2544), so nobody else has it, and a job of the greatest size just
/// fills its first half.
Ip default_ip(NodeId node);

/// "10.1.0.7"; nothing else, and no value otherwise.
std::optional<Ip> parse_ip(std::string_view text);
/// The same, or with the subnet, "10.1.0.7/24": from 1 to 31 bits.
std::optional<IpInSubnet> parse_ip_in_subnet(std::string_view text);

std::string ip_text(Ip ip);
std::string ip_text(const IpInSubnet& ip);

/// Whether one station may own the address.
bool is_unicast(Ip ip);

inline constexpr std::uint16_t kDefaultUdpPort = 34997;

/// What a node has to know where the frames of its job travel in UDP; with no address, they do not.
struct UdpNetwork {
    std::uint16_t port = kDefaultUdpPort;
    std::vector<Ip> addresses{};  ///< by node
    Ip gateway = 0;               ///< the router to all who are not of its subnet; 0: there is none
    unsigned subnet_bits = 0;     ///< 0: all nodes are of its subnet

    bool is_used() const { return !addresses.empty(); }

    /// Whether a router is between the two nodes, as the first of them sees it.
    bool is_routed(NodeId from, NodeId to) const {
        const auto differ = std::uint64_t{addresses[from] ^ addresses[to]};
        return gateway != 0 && differ >> (32 - subnet_bits) != 0;
    }
};

}  // namespace isoplane::topology
