// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "capture/any_frame.hh"

#include <rte_ether.h>

namespace isoplane::capture {

namespace {

/// Without its 802.1Q tags. Nobody looks at the addresses, in whose place there are others then.
std::span<const std::byte> untagged(std::span<const std::byte> packet) {
    constexpr std::size_t kTagSize = 4;
    while (packet.size() >= wire::kEthernetSize + kTagSize) {
        const std::uint16_t type = wire::ethernet_layout::EtherType::get(packet.data());
        if (type != RTE_ETHER_TYPE_VLAN && type != RTE_ETHER_TYPE_QINQ) break;
        packet = packet.subspan(kTagSize);
    }
    return packet;
}

wire::Unwrapped unwrapped(std::span<const std::byte> packet) {
    const wire::Unwrapped plain = wire::unwrap(packet, {});
    return plain.reason == wire::Reject::kNotOurs ? wire::unwrap(packet, {.transport = wire::Transport::kUdp})
                                                  : plain;
}

}  // namespace

AnyFrame read_any(std::span<const std::byte> packet) {
    AnyFrame any{.decoded = {}, .raw = {}};
    const wire::Unwrapped content = unwrapped(untagged(packet));
    any.decoded.reason = content.reason;
    if (content.reason != wire::Reject::kNone) return any;
    if (content.frame.size() < wire::kHeaderSize) {
        any.decoded.reason = wire::Reject::kShortFrame;
        return any;
    }
    any.raw = content.frame;
    any.job_key = wire::frame_layout::JobKey::get(content.frame.data());
    any.header_crc = wire::frame_layout::HeaderCrc::get(content.frame.data());
    any.decoded = wire::decode_frame(
        content.frame,
        {.encapsulation = {}, .job_key = any.job_key, .node = wire::kBroadcast, .node_count = kAnyNode});
    return any;
}

}  // namespace isoplane::capture
