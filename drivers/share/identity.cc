// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/share/identity.hh>
#include <isoplane/wire/arp.hh>
#include <isoplane/wire/frame.hh>
#include <string>

namespace isoplane::share {

namespace {

/// Ports below it are known, and belong to services of the system.
constexpr std::uint16_t kFirstFreePort = 1024;

bool is_from(const wire::MacAddress& mac, std::span<const std::byte> head) {
    return std::equal(mac.begin(), mac.end(), head.begin() + wire::ethernet_layout::kSource,
                      [](std::uint8_t a, std::byte b) { return std::byte{a} == b; });
}

bool is_arp(std::span<const std::byte> head) {
    return wire::ethernet_layout::EtherType::get(head.data()) == wire::kArpEtherType;
}

/// Tokens are also those of token managers, any of which a client may come to play, though it be one that is
/// attached here and does not answer; never those of another host.
bool is_in_its_name(const Identity& who, const std::byte* header) {
    const std::uint16_t source = wire::frame_layout::Source::get(header);
    return source == who.node ||
           (source >= who.hosts &&
            static_cast<wire::Kind>(wire::frame_layout::Kind::get(header)) == wire::Kind::kToken);
}

bool speaks_arp(const Identity& who) {
    return who.encapsulation.transport == wire::Transport::kUdp;
}

}  // namespace

std::string objection(const wire::Encapsulation& encapsulation) {
    if (encapsulation.transport == wire::Transport::kUdp) {
        if (encapsulation.udp_port >= kFirstFreePort) return {};
        return "UDP port " + std::to_string(encapsulation.udp_port) +
               " belongs to a service; let udp-port= be 1024 or more";
    }
    if (encapsulation.ethertype == wire::kDefaultEtherType) return {};
    return "its frames have the EtherType 0x88b5, and no other: what it names may be read as another's";
}

const std::byte* frame_header(std::span<const std::byte> head, std::size_t apart,
                              const wire::Encapsulation& encapsulation) {
    const wire::Unwrapped inside = wire::unwrap(head, encapsulation, apart);
    const bool whole = inside.reason == wire::Reject::kNone && inside.frame.size() >= wire::kHeaderSize;
    const bool ours = whole && wire::frame_layout::Version::get(inside.frame.data()) == wire::kVersion;
    return ours ? inside.frame.data() : nullptr;
}

bool may_send(const Identity& who, std::span<const std::byte> head, std::size_t apart) {
    if (head.size() < wire::kEthernetSize || !is_from(who.mac, head)) return false;
    if (speaks_arp(who)) {
        if (is_arp(head)) {
            const auto arp = wire::decode_arp(head);
            return arp && arp->sender_mac == who.mac && arp->sender_address == who.address;
        }
        const bool has_source = head.size() >= wire::kUdpEnvelopeSize;
        if (!has_source || wire::ipv4_layout::Source::get(head.data() + wire::kEthernetSize) != who.address)
            return false;
    }
    const std::byte* header = frame_header(head, apart, who.encapsulation);
    return header != nullptr && wire::frame_layout::JobKey::get(header) == who.job_key &&
           is_in_its_name(who, header);
}

bool concerns(const Identity& who, std::span<const std::byte> head, std::size_t apart) {
    if (head.size() < wire::kEthernetSize) return false;
    if (is_arp(head)) return speaks_arp(who);
    const std::byte* header = frame_header(head, apart, who.encapsulation);
    return header != nullptr && wire::frame_layout::JobKey::get(header) == who.job_key;
}

}  // namespace isoplane::share
