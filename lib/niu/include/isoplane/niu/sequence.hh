// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>

namespace isoplane::niu {

/// The number of a frame in the stream from one node to another, from 0 in each pair of epochs, modulo 2^32.
using Sequence = std::uint32_t;

/// How far `to` is ahead of `from`; negative when it is behind. Windows are far smaller than 2^31.
constexpr std::int32_t distance(Sequence from, Sequence to) noexcept {
    return static_cast<std::int32_t>(to - from);
}

constexpr bool before(Sequence a, Sequence b) noexcept {
    return distance(a, b) > 0;
}

}  // namespace isoplane::niu
