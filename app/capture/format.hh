// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The numbers of the pcapng format that reader and writer share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace isoplane::capture {

inline constexpr std::uint32_t kSection = 0x0a0d0d0a;  ///< the same in both byte orders
inline constexpr std::uint32_t kInterface = 1;
inline constexpr std::uint32_t kPacket = 6;
inline constexpr std::uint32_t kByteOrder = 0x1a2b3c4d;

inline constexpr std::uint16_t kEthernet = 1;
inline constexpr std::uint16_t kEndOfOptions = 0;
inline constexpr std::uint16_t kInterfaceName = 2;
inline constexpr std::uint16_t kResolution = 9;
inline constexpr std::uint16_t kFlags = 2;
inline constexpr std::uint32_t kDirectionBits = 3;
inline constexpr std::uint32_t kInbound = 1;
inline constexpr std::uint32_t kOutbound = 2;

inline constexpr std::size_t kAround = 12;       ///< bytes of a block that are not its body
inline constexpr std::size_t kPacketFixed = 20;  ///< of a packet's body, in front of its bytes

constexpr std::size_t padded(std::size_t size) {
    return (size + 3) / 4 * 4;
}

}  // namespace isoplane::capture
