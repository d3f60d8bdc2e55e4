// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_mbuf.h>

#include <cstdint>

namespace isoplane::fabric {

/// Nobody else can see the bytes of this frame: none of its segments is shared, cloned or in memory that
/// belongs to an application.
bool is_ours_alone(const rte_mbuf* frame) noexcept;

/// Flips one bit after the Ethernet header, the one that `where`, any 64-bit number, falls on. The frame must
/// be ours alone and longer than its header.
void flip_bit(rte_mbuf* frame, std::uint64_t where) noexcept;

}  // namespace isoplane::fabric
