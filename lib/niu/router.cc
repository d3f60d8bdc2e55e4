// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Where frames cross routers: ours is to find us, and we it.

#include <algorithm>
#include <isoplane/niu/niu.hh>
#include <isoplane/wire/arp.hh>

namespace isoplane::niu {

/// Asks for its Ethernet address, which the answer tells, or anything else that it asks or answers.
void Niu::ask_for_router() noexcept {
    send_arp(wire::kBroadcastMac, {.is_request = true,
                                   .sender_mac = options_.mac,
                                   .sender_address = options_.udp.addresses[options_.node],
                                   .target_address = stations_.gateway()});
}

void Niu::send_arp(const wire::MacAddress& to, const wire::Arp& arp) noexcept {
    if (blocked_) return;
    rte_mbuf* m = packet();
    if (m == nullptr) return;
    auto* const at = rte_pktmbuf_mtod(m, std::byte*);
    wire::encode_arp(std::span<std::byte, wire::kArpPacketSize>(at, wire::kArpPacketSize), to, arp);
    std::fill_n(at + wire::kArpPacketSize, wire::kMinEthernetFrame - wire::kArpPacketSize, std::byte{});
    m->data_len = wire::kMinEthernetFrame;
    m->pkt_len = m->data_len;
    emit(m);
}

/// Returns false when the packet is somebody else's.
bool Niu::on_arp(rte_mbuf* packet) noexcept {
    if (!in_udp_) return false;
    const auto arp = wire::decode_arp(runtime::Packet::bytes_of(packet));
    if (!arp) return false;
    const bool is_routers = stations_.gateway() != 0 && arp->sender_address == stations_.gateway();
    if (is_routers && stations_.set_router(arp->sender_mac)) on_router();
    const auto& addresses = options_.udp.addresses;
    const topology::Ip target = arp->target_address;
    const auto is_at = [&](NodeId node) { return target == addresses[node]; };
    // Of a token manager that is stood in for the address stays its own, for when it comes back.
    const auto is_beside_at = [&](NodeId node) { return is_at(node) && token_nodes_.player(node) == node; };
    const bool is_for_us = is_at(options_.node) || std::ranges::any_of(token_nodes_.beside, is_beside_at);
    if (is_for_us && arp->is_request)
        send_arp(arp->sender_mac, {.is_request = false,
                                   .sender_mac = options_.mac,
                                   .sender_address = target,
                                   .target_address = arp->sender_address});
    return is_routers || is_for_us;
}

/// The router is there, or is another.
void Niu::on_router() noexcept {
    for (Peer& peer : peers_)
        if (peer.epoch != 0 && stations_.is_routed(peer.node)) address(peer);
    hello_wait_ = options_.hello_every;
    membership_at_ = now_;
}

}  // namespace isoplane::niu
