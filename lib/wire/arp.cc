// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <cstring>

#include <isoplane/wire/arp.hh>

namespace isoplane::wire {
namespace {

constexpr std::uint16_t kEthernetHardware = 1;
constexpr std::uint16_t kRequest = 1;
constexpr std::uint16_t kReply = 2;

void put_mac(std::byte* at, const MacAddress& mac) {
    std::memcpy(at, mac.data(), mac.size());
}

}  // namespace

void encode_arp(std::span<std::byte, kArpPacketSize> out, const MacAddress& destination, const Arp& arp) {
    encode_ethernet(out.first<kEthernetSize>(), destination, arp.sender_mac, kArpEtherType);
    std::byte* const at = out.data() + kEthernetSize;
    arp_layout::HardwareType::put(at, kEthernetHardware);
    arp_layout::ProtocolType::put(at, kIpv4EtherType);
    arp_layout::HardwareSize::put(at, sizeof(MacAddress));
    arp_layout::ProtocolSize::put(at, sizeof(std::uint32_t));
    arp_layout::Operation::put(at, arp.is_request ? kRequest : kReply);
    put_mac(at + arp_layout::kSenderMac, arp.sender_mac);
    arp_layout::SenderAddress::put(at, arp.sender_address);
    put_mac(at + arp_layout::kTargetMac, arp.is_request ? MacAddress{} : destination);
    arp_layout::TargetAddress::put(at, arp.target_address);
}

std::optional<Arp> decode_arp(std::span<const std::byte> packet) {
    if (packet.size() < kArpPacketSize || ethernet_layout::EtherType::get(packet.data()) != kArpEtherType)
        return std::nullopt;
    const std::byte* const in = packet.data() + kEthernetSize;
    const std::uint16_t operation = arp_layout::Operation::get(in);
    if (arp_layout::HardwareType::get(in) != kEthernetHardware ||
        arp_layout::ProtocolType::get(in) != kIpv4EtherType ||
        arp_layout::HardwareSize::get(in) != sizeof(MacAddress) ||
        arp_layout::ProtocolSize::get(in) != sizeof(std::uint32_t) ||
        (operation != kRequest && operation != kReply))
        return std::nullopt;
    Arp arp{.is_request = operation == kRequest,
            .sender_address = arp_layout::SenderAddress::get(in),
            .target_address = arp_layout::TargetAddress::get(in)};
    std::memcpy(arp.sender_mac.data(), in + arp_layout::kSenderMac, arp.sender_mac.size());
    const bool is_group = (arp.sender_mac[0] & 1) != 0;
    return is_group ? std::nullopt : std::optional(arp);
}

}  // namespace isoplane::wire
