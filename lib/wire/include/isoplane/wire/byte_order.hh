// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Network byte order, and the one way this library writes a layout down.
///
/// A layout is a list of `Field<type, offset>`. Encoder, decoder and tests all go through the same list, so
/// an offset is written once. Fields need no alignment: a frame starts 14 bytes into its buffer, or 42.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace isoplane::wire {

/// Converts between host and network order; its own inverse.
template <std::unsigned_integral T>
constexpr T network_order(T value) {
    if constexpr (std::endian::native == std::endian::big || sizeof(T) == 1) {
        return value;
    } else if constexpr (sizeof(T) == 2) {
        return __builtin_bswap16(value);
    } else if constexpr (sizeof(T) == 4) {
        return __builtin_bswap32(value);
    } else {
        static_assert(sizeof(T) == 8);
        return __builtin_bswap64(value);
    }
}

/// An unsigned integer of type T in network order, Offset bytes into a layout.
template <std::unsigned_integral T, std::size_t Offset>
struct Field {
    static constexpr std::size_t kOffset = Offset;
    static constexpr std::size_t kEnd = Offset + sizeof(T);

    /// Reads the field of the layout that starts at `base`; at least kEnd bytes must be readable there.
    static T get(const std::byte* base) {
        T value;
        std::memcpy(&value, base + Offset, sizeof value);
        return network_order(value);
    }

    /// Writes the field of the layout that starts at `base`; at least kEnd bytes must be writable there.
    static void put(std::byte* base, T value) {
        value = network_order(value);
        std::memcpy(base + Offset, &value, sizeof value);
    }
};

}  // namespace isoplane::wire
