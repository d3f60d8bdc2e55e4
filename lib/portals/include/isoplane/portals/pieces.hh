// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <span>

#include <isoplane/portals/types.hh>

namespace isoplane::portals {

/// Bytes of a message where they lie in the memory of its user: a part of what some segments hold together.
struct Pieces {
    std::span<const Segment> segments{};
    Size offset = 0;  ///< where it begins in them
    Size length = 0;

    /// A part of this part.
    Pieces sub(Size at, Size size) const { return {segments, offset + at, size}; }

    /// Calls with the memory of each segment, in order; none is empty.
    template <typename Each>
    void for_each(Each&& each) const {
        Size skip = offset;
        Size left = length;
        for (const Segment& segment : segments) {
            if (left == 0) return;
            if (skip >= segment.length) {
                skip -= segment.length;
                continue;
            }
            const Size size = std::min(left, segment.length - skip);
            each(std::span(static_cast<std::byte*>(segment.base) + skip, static_cast<std::size_t>(size)));
            skip = 0;
            left -= size;
        }
    }
};

/// As many bytes as `from` has, from the beginning of the pieces on.
void copy(const Pieces& to, std::span<const std::byte> from) noexcept;
void copy(std::span<std::byte> to, const Pieces& from) noexcept;
/// As many as `from` has. The two may overlap.
void copy(const Pieces& to, const Pieces& from);

}  // namespace isoplane::portals
