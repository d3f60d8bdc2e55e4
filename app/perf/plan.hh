// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>

namespace isoplane::perf {

/// How long a measurement is, and what it may have under way.
struct Plan {
    double seconds = 0.03;
    double warm_up = -1;           ///< seconds of it that do not count; below 0: a tenth
    std::uint64_t iterations = 0;  ///< round trips, or messages of a stream, that end it instead; 0: none do
    unsigned window = 0;           ///< messages of a stream that are under way at most; 0: as many as go

    double warming() const noexcept { return warm_up < 0 ? seconds / 10 : warm_up; }
};

}  // namespace isoplane::perf
