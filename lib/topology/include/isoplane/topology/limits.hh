// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>

namespace isoplane::topology {

/// Number of a host or token manager on the wire: hosts count from 0, token managers follow them.
using NodeId = std::uint16_t;
/// Index of a switch in the order of its file (its number there is a name the user chose).
using SwitchId = std::uint16_t;
/// Index of a port on its switch.
using PortId = std::uint16_t;

/// Hosts and token managers together. The two ids above are left for the wire ("nobody", "everybody").
inline constexpr std::size_t kMaxNodes = 65534;
/// Bounds the table of distances between switches (32 MiB when full).
inline constexpr std::size_t kMaxSwitches = 4096;
inline constexpr std::size_t kMaxPorts = 4096;
inline constexpr std::uint32_t kMaxSwitchNumber = 65535;
/// As in the domain name system.
inline constexpr std::size_t kMaxNameLength = 253;
/// Pages of a shared memory when nothing else is said.
inline constexpr std::uint32_t kDefaultPages = 4096;
/// Tokens that every node sends unprompted (h), when nothing else is said, and at the most.
inline constexpr std::uint32_t kDefaultTokensAhead = 1;
inline constexpr std::uint32_t kMostTokensAhead = 64;
/// Of NodeConf::survive, in seconds: less is what a busy machine may take, more nobody waits for.
inline constexpr double kLeastSurvival = 0.5;
inline constexpr double kMostSurvival = 3600;
/// A line of fmconfig with every port in use by the longest name still fits.
inline constexpr std::size_t kMaxLineLength = std::size_t{1} << 20;
/// Far above any real file; stops a wrong path (a disk, a trace) from filling the memory.
inline constexpr std::size_t kMaxFileSize = std::size_t{1} << 28;

}  // namespace isoplane::topology
