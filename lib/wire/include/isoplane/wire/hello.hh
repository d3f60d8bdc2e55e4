// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Hello and its answer: what nodes tell each other before anything else. Node number and epoch are in the
/// header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <isoplane/wire/byte_order.hh>
#include <isoplane/wire/ethernet.hh>

namespace isoplane::wire {

inline constexpr std::size_t kHelloSize = 17;    ///< without the name
inline constexpr std::size_t kMaxNameSize = 32;  ///< bytes of a node's name
inline constexpr std::uint16_t kMinMtu = 144;  ///< no node may have a smaller one: room for any small message
/// The same where frames travel like this.
constexpr std::size_t least_mtu(const Encapsulation& encapsulation) {
    return kMinMtu + encapsulation.size() - kEthernetSize;
}

inline constexpr std::uint8_t kRoleHost = 0x01;
inline constexpr std::uint8_t kRoleTokenManager = 0x02;
inline constexpr std::uint8_t kRoleFabric = 0x04;
inline constexpr std::uint8_t kKnownRoles = kRoleHost | kRoleTokenManager | kRoleFabric;

/// The node trusts the Ethernet FCS: frames to it may leave the payload CRC out.
inline constexpr std::uint8_t kFeatureNoPayloadCrc = 0x01;
inline constexpr std::uint8_t kKnownFeatures = kFeatureNoPayloadCrc;

namespace hello_layout {
using Roles = Field<std::uint8_t, 0>;
using Features = Field<std::uint8_t, 1>;
using Mtu = Field<std::uint16_t, 2>;
using Credit = Field<std::uint32_t, 4>;
using BuildId = Field<std::uint64_t, 8>;
using NameSize = Field<std::uint8_t, 16>;
static_assert(NameSize::kEnd == kHelloSize);
}  // namespace hello_layout

struct Hello {
    std::uint8_t roles = 0;      ///< kRole… bits
    std::uint8_t features = 0;   ///< kFeature… bits
    std::uint16_t mtu = 0;       ///< bytes behind the Ethernet header the node can receive
    std::uint32_t credit = 0;    ///< frames the receiver may send at first
    std::uint64_t build_id = 0;  ///< of the program; handlers are named by offset only between equal ones
    std::string_view name;       ///< at most kMaxNameSize printable ASCII characters

    bool operator==(const Hello&) const = default;
};

/// Writes the hello at the front of `out`, which has room for kHelloSize + name.size() bytes; returns that
/// size.
std::size_t encode_hello(std::span<std::byte> out, const Hello& hello);

/// Nothing unless the payload is exactly one hello: known bits only, an MTU of at least kMinMtu, a printable
/// name. The name points into the payload.
std::optional<Hello> decode_hello(std::span<const std::byte> payload);

}  // namespace isoplane::wire
