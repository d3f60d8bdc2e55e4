// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_mbuf.h>

#include <isoplane/wire/ethernet.hh>
#include <isoplane/wire/frame.hh>
#include <utility>

#include <isoplane/niu/options.hh>

namespace isoplane::niu {

/// A node, and the Ethernet address that it was heard from.
struct Station {
    NodeId node;
    const wire::MacAddress& mac;
};

/// Where the nodes of a job are, and so what surrounds the frames between them.
///
/// Where frames travel in UDP, nodes are told apart by their IPv4 addresses, as all that comes by a router
/// has its address in Ethernet. What goes to who is not of our subnet is sent to our router, whose address in
/// Ethernet has to be found out first.
class Stations {
  public:
    /// `options` outlive it.
    explicit Stations(const Options& options) : options_(options) {}

    bool in_udp() const noexcept { return options_.udp.is_used(); }
    wire::Encapsulation encapsulation() const noexcept;

    // What surrounds frames from one node to another, or to all on this Ethernet (wire::kBroadcast).
    std::uint16_t ethertype() const noexcept { return in_udp() ? wire::kIpv4EtherType : options_.ethertype; }
    const wire::MacAddress& next_hop(const Station& to) const noexcept {
        return is_routed(to.node) ? router_ : to.mac;
    }
    wire::UdpPath path(NodeId from, NodeId to) const noexcept;
    /// Writes it in front of one frame from this node, or from a token manager that it plays.
    void surround(std::byte* packet, const Station& to, std::size_t frame_size) const noexcept;

    /// Whether a packet in an envelope that is whole is from that node.
    bool comes_from(const rte_mbuf* packet, const Station& station) const noexcept;
    /// Whether what is sent to that node would go elsewhere than this packet has come from.
    bool is_elsewhere(const rte_mbuf* packet, const Station& station) const noexcept;

    bool is_routed(NodeId to) const noexcept {
        return in_udp() && to != wire::kBroadcast && options_.udp.is_routed(options_.node, to);
    }
    /// Of the router; 0 when there is none.
    topology::Ip gateway() const noexcept { return options_.udp.gateway; }
    bool knows_router() const noexcept { return router_ != wire::kBroadcastMac; }
    /// Returns whether that is news.
    bool set_router(const wire::MacAddress& mac) noexcept { return std::exchange(router_, mac) != mac; }

  private:
    const Options& options_;
    wire::MacAddress router_ = wire::kBroadcastMac;  ///< what is sent there, no router forwards
};

}  // namespace isoplane::niu
