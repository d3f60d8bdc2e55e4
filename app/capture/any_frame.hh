// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Frames as somebody reads them who is none of the nodes: of any job, from any node to any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <isoplane/wire/frame.hh>
#include <span>

namespace isoplane::capture {

/// Whatever number a node has, it is one of so many.
inline constexpr std::uint16_t kAnyNode = 0xffff;

struct AnyFrame {
    wire::Decoded decoded;           ///< its reason is kNotOurs for other people's traffic
    std::uint32_t job_key = 0;       ///< as it stands there, if there is so much
    std::uint32_t header_crc = 0;    ///< as it stands there
    std::span<const std::byte> raw;  ///< from its 48-byte header on; empty when that is not there
};

/// Reads a packet, from its Ethernet header on, in whichever envelope it is, and behind tags of VLANs.
AnyFrame read_any(std::span<const std::byte> packet);

}  // namespace isoplane::capture
