// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_ether.h>

#include <algorithm>
#include <cassert>
#include <isoplane/niu/niu.hh>
#include <utility>

namespace isoplane::niu {

void Niu::attach(NodeId node, TokenReceiver* receiver) {
    std::erase_if(token_nodes_.here, [node](const TokenNode& its) { return its.node == node; });
    if (receiver != nullptr) token_nodes_.here.push_back({node, receiver});
    std::erase(token_nodes_.beside, node);
    if (node != options_.node && receiver != nullptr) token_nodes_.beside.push_back(node);
    expect_.beside = token_nodes_.beside;
}

std::size_t Niu::token_capacity() const noexcept {
    return wire::token_capacity(options_.mtu - (overhead_ - wire::kEthernetSize));
}

bool Niu::send_token(const TokenAddress& address, const wire::Token& token,
                     std::span<const wire::TokenEntry> entries) noexcept {
    assert(entries.size() <= token_capacity());
    if (token_nodes_.receiver(address.to) != nullptr) [[unlikely]] {
        OwnToken& own = token_nodes_.own.emplace_back();
        own.address = address;
        own.payload.resize(wire::token_size(entries.size()));
        wire::encode_token(own.payload, token, entries);
        return true;
    }
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
    const NodeId player = token_nodes_.player(address.to);
    stations_.surround(at, {player, token_nodes_.mac(player)}, wire::kHeaderSize + size);
    seal(m, header, size);
    emit(m);
    return true;
}

void Niu::on_token_frame(const wire::Decoded& frame, const rte_mbuf* packet) noexcept {
    const wire::Header& header = frame.header;
    if (header.destination == wire::kBroadcast) return;
    TokenReceiver* receiver = token_nodes_.receiver(header.destination);
    if (receiver == nullptr) return;
    const auto nodes = static_cast<std::uint16_t>(options_.nodes.size());
    const bool is_present =
        receiver->on_token({header.source, header.destination, header.epoch, header.peer_epoch},
                           *wire::TokenView::parse(frame.payload, nodes));
    if (is_present) learn(token_nodes_.player(header.source), packet);
}

void Niu::learn(NodeId node, const rte_mbuf* packet) noexcept {
    token_nodes_.heard(node, rte_pktmbuf_mtod(packet, const rte_ether_hdr*)->src_addr.addr_bytes);
}

/// Those that are sent in answer come with the next poll.
void Niu::take_own_tokens() noexcept {
    const std::vector<OwnToken> own = std::exchange(token_nodes_.own, {});
    const auto nodes = static_cast<std::uint16_t>(options_.nodes.size());
    for (const OwnToken& token : own) {
        TokenReceiver* receiver = token_nodes_.receiver(token.address.to);
        if (receiver != nullptr)
            receiver->on_token(token.address, *wire::TokenView::parse(token.payload, nodes));
    }
}

void Niu::send_view(NodeId to, const wire::ViewMessage& message) noexcept {
    TokenNodes& nodes = token_nodes_;
    if (!nodes.said_in || nodes.said != message) {
        nodes.said = message;
        nodes.said_in = std::make_shared<const std::vector<wire::ViewMessage>>(
            wire::parts_of(message, options_.mtu - (overhead_ - wire::kEthernetSize)));
    }
    std::deque<ViewOut>& views = nodes.views_out;
    // What is said again keeps its place, or only the first of many would ever be told.
    const auto says_it = [&](const ViewOut& out) {
        return out.to == to &&
               (out.parts == nodes.said_in || (out.gone == 0 && *out.parts == *nodes.said_in));
    };
    if (std::ranges::none_of(views, says_it)) {
        std::erase_if(views, [to](const ViewOut& out) { return out.to == to && out.gone == 0; });
        views.push_back({to, nodes.said_in});
    }
    send_views();
}

void Niu::send_views() noexcept {
    for (std::deque<ViewOut>& views = token_nodes_.views_out; !views.empty(); views.pop_front()) {
        ViewOut& out = views.front();
        for (; out.gone < out.parts->size(); ++out.gone)
            if (!send_view_part(out.to, (*out.parts)[out.gone])) return;
    }
}

bool Niu::send_view_part(NodeId to, const wire::ViewMessage& part) noexcept {
    if (blocked_) return false;
    rte_mbuf* m = packet();
    if (m == nullptr) return false;
    std::byte* at = rte_pktmbuf_mtod(m, std::byte*);
    const std::size_t size = wire::encode_view(
        {at + overhead_, wire::view_size(part.doubts.size(), part.next.members.size())}, part);
    wire::Header header{.kind = wire::Kind::kView,
                        .job_key = options_.job_key,
                        .source = options_.node,
                        .destination = to,
                        .epoch = options_.epoch};
    stations_.surround(at, {to, token_nodes_.mac(to)}, wire::kHeaderSize + size);
    seal(m, header, size);
    emit(m);
    return true;
}

void Niu::on_view_frame(const wire::Decoded& frame, const rte_mbuf* packet) noexcept {
    const wire::Header& header = frame.header;
    if (token_nodes_.views == nullptr || header.epoch == 0) return;
    learn(header.source, packet);
    const auto nodes = static_cast<std::uint16_t>(options_.nodes.size());
    wire::ViewMessage part = *wire::decode_view(frame.payload, nodes);
    const auto whole = token_nodes_.view_parts[header.source].add(header.epoch, std::move(part));
    if (whole) token_nodes_.views->on_view(header.source, header.epoch, *whole);
}

}  // namespace isoplane::niu
