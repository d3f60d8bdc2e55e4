// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/isotach/isochron.hh>
#include <isoplane/wire/ethernet.hh>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/isotach.hh>
#include <isoplane/wire/message.hh>

namespace isoplane::isotach {

namespace {

/// All that may come to stand in front of a message in its packet, and what drivers need there.
constexpr std::size_t kInFront = wire::kUdpEnvelopeSize + wire::kHeaderSize + wire::kMessageHeaderSize +
                                 wire::kIsotachSize + wire::kIsotachClockSize + 16;
constexpr std::uint16_t kAt = (std::max<std::size_t>(kInFront, RTE_PKTMBUF_HEADROOM) + 7) / 8 * 8;

}  // namespace

std::optional<std::span<std::byte>> Isochron::add(NodeId to, std::size_t size, wire::Operation operation) {
    if (size <= kCopied) {
        const std::size_t at = bytes_.size();
        bytes_.resize(at + size);
        parts_.push_back(
            {.to = to, .size = static_cast<std::uint32_t>(size), .at = at, .operation = operation});
        return std::span(bytes_).subspan(at, size);
    }
    const std::size_t in_packet = rte_pktmbuf_data_room_size(pool_.raw()) - std::size_t{kAt};
    if (size > in_packet) {
        if (size > UINT32_MAX) return std::nullopt;
        Payload::Handle payload = Payload::make(static_cast<std::uint32_t>(size));
        if (!payload) return std::nullopt;
        const std::span<std::byte> room = payload->bytes();
        parts_.push_back(
            {.to = to, .size = payload->size(), .operation = operation, .payload = std::move(payload)});
        return room;
    }
    runtime::Packet packet = pool_.packet();
    if (!packet) return std::nullopt;
    packet.get()->data_off = kAt;
    rte_pktmbuf_append(packet.get(), static_cast<std::uint16_t>(size));
    parts_.push_back({.to = to,
                      .size = static_cast<std::uint32_t>(size),
                      .operation = operation,
                      .packet = std::move(packet)});
    return parts_.back().packet.data();
}

bool Isochron::add(NodeId to, std::span<const std::byte> message) {
    if (message.size() <= kCopied) {
        Part& part = parts_.emplace_back();
        part.to = to;
        part.size = static_cast<std::uint32_t>(message.size());
        part.at = bytes_.size();
        bytes_.insert(bytes_.end(), message.begin(), message.end());
        return true;
    }
    const auto room = add(to, message.size());
    if (!room) return false;
    std::copy(message.begin(), message.end(), room->begin());
    return true;
}

void Isochron::drop_last() noexcept {
    if (parts_.back().size <= kCopied) bytes_.resize(parts_.back().at);
    parts_.pop_back();
}

std::span<const std::byte> Isochron::bytes_of(const Part& part) const noexcept {
    if (part.payload) return part.payload->bytes();
    if (part.packet) return part.packet.data();
    return std::span(bytes_).subspan(part.at, part.size);
}

void Isochron::clear() noexcept {
    parts_.clear();
    bytes_.clear();
}

}  // namespace isoplane::isotach
