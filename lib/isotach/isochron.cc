// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/isotach/isochron.hh>
#include <isoplane/wire/isotach.hh>

namespace isoplane::isotach {

std::optional<std::span<std::byte>> Isochron::add(NodeId to, std::size_t size, wire::Operation operation) {
    if (size <= kCopied) {
        const std::size_t at = bytes_.size();
        bytes_.resize(at + size);
        parts_.push_back({to, static_cast<std::uint32_t>(size), at, operation, {}});
        return std::span(bytes_).subspan(at, size);
    }
    runtime::Packet packet = pool_.packet();
    if (!packet) return std::nullopt;
    rte_mbuf* m = packet.get();
    if (size > rte_pktmbuf_tailroom(m)) return std::nullopt;
    rte_pktmbuf_append(m, static_cast<std::uint16_t>(size));
    parts_.push_back({to, static_cast<std::uint32_t>(size), 0, operation, std::move(packet)});
    return parts_.back().packet.data();
}

bool Isochron::add(NodeId to, std::span<const std::byte> message) {
    const auto room = add(to, message.size());
    if (!room) return false;
    std::copy(message.begin(), message.end(), room->begin());
    return true;
}

void Isochron::drop_last() noexcept {
    if (parts_.back().size <= kCopied) bytes_.resize(parts_.back().at);
    parts_.pop_back();
}

void Isochron::clear() noexcept {
    parts_.clear();
    bytes_.clear();
}

}  // namespace isoplane::isotach
