// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>

namespace isoplane::wire {

/// What is folded at a time.
inline constexpr std::size_t kFoldStride = 128;
/// Below, three streams of CRC instructions are as fast.
inline constexpr std::size_t kLeastFolded = 2 * kFoldStride;

/// Whether this CPU has carry-less multiplication of 256 bits.
bool can_fold();

/// Advances a CRC32C state over `size` bytes, a multiple of kFoldStride and at least kLeastFolded, and copies
/// them to `to` if that is not nullptr. Only to be called when can_fold().
std::uint32_t fold(std::uint32_t state, const std::byte* from, std::byte* to, std::size_t size);

}  // namespace isoplane::wire
