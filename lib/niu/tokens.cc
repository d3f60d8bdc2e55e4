// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_ether.h>

#include <algorithm>
#include <cassert>
#include <isoplane/niu/niu.hh>

namespace isoplane::niu {

void Niu::attach(NodeId node, TokenReceiver* receiver) {
    std::erase(token_nodes_.here, token_nodes_.receivers[node]);
    if (receiver != nullptr) token_nodes_.here.push_back(receiver);
    token_nodes_.receivers[node] = receiver;
    if (node != options_.node) expect_.beside = receiver != nullptr ? node : options_.node;
}

std::size_t Niu::token_capacity() const noexcept {
    return wire::token_capacity(options_.mtu - (overhead_ - wire::kEthernetSize));
}

bool Niu::send_token(const TokenAddress& address, const wire::Token& token,
                     std::span<const wire::TokenEntry> entries) noexcept {
    assert(entries.size() <= token_capacity());
    if (blocked_) return false;
    rte_mbuf* m = packet();
    if (m == nullptr) return false;
    std::byte* at = rte_pktmbuf_mtod(m, std::byte*);
    const std::size_t size =
        wire::encode_token({at + overhead_, wire::token_size(entries.size())}, token, entries);
    wire::Header header{.kind = wire::Kind::kToken,
                        .job_key = options_.job_key,
                        .source = address.from,
                        .destination = address.to,
                        .epoch = address.epoch,
                        .sequence = static_cast<std::uint32_t>(token.number),
                        .peer_epoch = address.peer_epoch};
    stations_.surround(at, {address.from, options_.mac}, {address.to, token_nodes_.macs[address.to]},
                       wire::kHeaderSize + size);
    seal(m, header, size);
    emit(m);
    return true;
}

void Niu::on_token_frame(const wire::Decoded& frame, const rte_mbuf* packet) noexcept {
    const wire::Header& header = frame.header;
    if (header.destination == wire::kBroadcast) return;
    TokenReceiver* receiver = token_nodes_.receivers[header.destination];
    if (receiver == nullptr) return;
    const auto* ethernet = rte_pktmbuf_mtod(packet, const rte_ether_hdr*);
    wire::MacAddress& mac = token_nodes_.macs[header.source];
    std::copy_n(ethernet->src_addr.addr_bytes, mac.size(), mac.begin());
    const auto nodes = static_cast<std::uint16_t>(options_.nodes.size());
    receiver->on_token({header.source, header.destination, header.epoch, header.peer_epoch},
                       *wire::TokenView::parse(frame.payload, nodes));
}

}  // namespace isoplane::niu
