// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ratio>

namespace isoplane::niu {

/// An epoch for a node that starts now: each start of it has a greater one, if a sixteenth of a second has
/// passed since the last.
inline std::uint32_t epoch_now() {
    using Sixteenths = std::chrono::duration<std::int64_t, std::ratio<1, 16>>;
    const auto since =
        std::chrono::duration_cast<Sixteenths>(std::chrono::system_clock::now().time_since_epoch());
    return std::max(1U, static_cast<std::uint32_t>(since.count()));
}

}  // namespace isoplane::niu
