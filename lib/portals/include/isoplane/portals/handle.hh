// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/portals/types.hh>

namespace isoplane::portals {

enum class Kind : std::uint8_t { kInterface, kEntry, kDescriptor, kQueue };

inline constexpr unsigned kMostInterfaces = 8;   ///< of a process
inline constexpr unsigned kMostObjects = 65536;  ///< of one kind, of an interface

/// What is in a handle: generation (10 bits), kind (2), interface (3), index (16). The highest bit is 0, and
/// the last generation is left out: so none is one of the handles of nothing.
struct HandleParts {
    static constexpr std::uint32_t kGenerations = 1023;

    Kind kind;
    unsigned interface;
    unsigned index;
    std::uint32_t generation;

    constexpr Handle pack() const {
        return (generation % kGenerations) << 21 | static_cast<Handle>(kind) << 19 | interface << 16 | index;
    }
    static constexpr HandleParts unpack(Handle handle) {
        return {static_cast<Kind>(handle >> 19 & 3), handle >> 16 & 7, handle & 0xffff, handle >> 21};
    }
};

}  // namespace isoplane::portals
