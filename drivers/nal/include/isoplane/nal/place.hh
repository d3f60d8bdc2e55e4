// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>

#include <isoplane/portals/pieces.hh>

namespace isoplane::nal {

/// Where the data of a message lies: in the memory of that process of this machine, as long as the seal is
/// what it was.
struct Place {
    std::uint32_t process = 0;  ///< 0: nowhere
    std::uint64_t address = 0;
    std::uint64_t seal_at = 0;
    std::uint64_t seal = 0;

    explicit operator bool() const noexcept { return process != 0; }
};

/// Copies from there, from that byte on, as many as `to` has, but not more than go at once. Returns how many:
/// 0 when it cannot be done, as on another machine, or the data is not there any more.
portals::Size read(const Place& place, portals::Size from, const portals::Pieces& to) noexcept;

}  // namespace isoplane::nal
