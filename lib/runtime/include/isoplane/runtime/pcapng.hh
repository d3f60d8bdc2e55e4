// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The blocks of a pcapng file, as text to be written: a section, its interfaces, and the packets that passed
/// them, at times in nanoseconds.
///
/// librte_pcapng knows ethdev ports only, and the time of this machine. Captures are of stage boundaries,
/// too, and of simulations; and a file is no more than a list of blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace isoplane::runtime::pcapng {

inline constexpr std::uint32_t kSection = 0x0a0d0d0a;  ///< the same in both byte orders
inline constexpr std::uint32_t kInterface = 1;
inline constexpr std::uint32_t kStatistics = 5;
inline constexpr std::uint32_t kPacket = 6;
inline constexpr std::uint32_t kByteOrder = 0x1a2b3c4d;

inline constexpr std::uint16_t kEthernet = 1;
inline constexpr std::uint16_t kEndOfOptions = 0;
inline constexpr std::uint16_t kComment = 1;
inline constexpr std::uint16_t kInterfaceName = 2;
inline constexpr std::uint16_t kInterfaceDescription = 3;
inline constexpr std::uint16_t kResolution = 9;
inline constexpr std::uint16_t kInterfaceFilter = 11;
inline constexpr std::uint16_t kTimeOffset = 14;
inline constexpr std::uint16_t kFlags = 2;
inline constexpr std::uint32_t kDirectionBits = 3;
inline constexpr std::uint32_t kInbound = 1;
inline constexpr std::uint32_t kOutbound = 2;

inline constexpr std::size_t kAround = 12;       ///< bytes of a block that are not its body
inline constexpr std::size_t kPacketFixed = 20;  ///< of a packet's body, in front of its bytes

constexpr std::size_t padded(std::size_t size) {
    return (size + 3) / 4 * 4;
}

/// As the interface saw it that a frame passed.
enum class Direction : std::uint8_t { kUnknown, kIn, kOut };

/// What is empty is left out.
struct Interface {
    std::string name{};
    std::string description{};
    std::string filter{};  ///< that its packets have passed
};

struct Record {
    std::uint32_t interface = 0;
    Direction direction = Direction::kUnknown;
    std::uint64_t when = 0;  ///< nanoseconds
    std::span<const std::byte> bytes{};
    std::uint32_t length = 0;  ///< on the wire
    std::string_view comment{};
};

/// What an interface has counted since the capture began.
struct Counts {
    std::uint64_t passed = 0;
    std::uint64_t accepted = 0;  ///< by the filter
    std::uint64_t missed = 0;    ///< of those
};

/// Each is added to `out`.
void put_section(std::string& out, std::string_view comment);
void put_interface(std::string& out, const Interface& interface);
void put_packet(std::string& out, const Record& record);
void put_statistics(std::string& out, std::uint32_t interface, std::uint64_t when, const Counts& counts);

}  // namespace isoplane::runtime::pcapng
