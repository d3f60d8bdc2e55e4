// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_ether.h>

#include <algorithm>
#include <isoplane/niu/stations.hh>

namespace isoplane::niu {

namespace {

bool is_sent_by(const rte_mbuf* packet, const wire::MacAddress& mac) noexcept {
    const auto* ethernet = rte_pktmbuf_mtod(packet, const rte_ether_hdr*);
    return std::equal(mac.begin(), mac.end(), ethernet->src_addr.addr_bytes);
}

}  // namespace

static_assert(topology::kDefaultUdpPort == wire::kDefaultUdpPort);

wire::Encapsulation Stations::encapsulation() const noexcept {
    if (!in_udp()) return {.ethertype = options_.ethertype};
    return {.transport = wire::Transport::kUdp, .udp_port = options_.udp.port};
}

wire::UdpPath Stations::path(NodeId from, NodeId to) const noexcept {
    const topology::UdpNetwork& udp = options_.udp;
    return {.source_address = udp.addresses[from],
            .destination_address = to == wire::kBroadcast ? UINT32_MAX : udp.addresses[to],
            .source_port = wire::udp_source_port(from, to),
            .destination_port = udp.port};
}

void Stations::surround(std::byte* packet, const Station& to, std::size_t frame_size) const noexcept {
    if (!in_udp()) [[likely]]
        return wire::encode_ethernet(std::span<std::byte, wire::kEthernetSize>(packet, wire::kEthernetSize),
                                     to.mac, options_.mac, options_.ethertype);
    wire::encode_udp(std::span<std::byte, wire::kUdpEnvelopeSize>(packet, wire::kUdpEnvelopeSize),
                     next_hop(to), options_.mac, path(options_.node, to.node), frame_size);
}

bool Stations::comes_from(const rte_mbuf* packet, const Station& station) const noexcept {
    if (!in_udp()) return is_sent_by(packet, station.mac);
    const auto* ip = rte_pktmbuf_mtod_offset(packet, const std::byte*, wire::kEthernetSize);
    return wire::ipv4_layout::Source::get(ip) == options_.udp.addresses[station.node];
}

bool Stations::is_elsewhere(const rte_mbuf* packet, const Station& station) const noexcept {
    return !is_routed(station.node) && !is_sent_by(packet, station.mac);
}

}  // namespace isoplane::niu
