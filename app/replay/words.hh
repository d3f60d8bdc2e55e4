// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What several of the checks say, or compare with.
#pragma once

#include <cstdint>
#include <string>

namespace isoplane::replay {

/// The frame behind the last one of a trace.
constexpr std::uint64_t kEnd = ~std::uint64_t{0};

inline std::string text(std::uint64_t number) {
    return std::to_string(number);
}

inline std::string pair(std::uint16_t from, std::uint16_t to) {
    return "from node " + text(from) + " to node " + text(to);
}

}  // namespace isoplane::replay
