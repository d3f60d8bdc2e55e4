// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace isoplane::wire {

/// Below, three streams of CRC instructions are as fast.
inline constexpr std::size_t kLeastFolded = 256;

/// A way to advance a CRC32C state by carry-less multiplication.
struct Folding {
    std::size_t stride;  ///< a power of two of which it takes multiples, from kLeastFolded bytes on

    /// Advances the state over `size` bytes, and copies them to `to` if that is not nullptr.
    std::uint32_t (*advance)(std::uint32_t state, const std::byte* from, std::byte* to, std::size_t size);
};

/// Those that this CPU can do, the fastest first.
std::span<const Folding> foldings();

}  // namespace isoplane::wire
