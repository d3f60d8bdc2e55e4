// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <chrono>
#include <cstdint>
#include <ratio>

namespace isoplane::niu {

/// That of a start so many sixteenths of a second after 1970: greater the later it is. Others name it by its
/// low half, which is never 0: that says that they do not know it.
constexpr std::uint32_t epoch_at(std::uint64_t sixteenths) {
    constexpr std::uint64_t kLowHalves = 0xffff;
    return static_cast<std::uint32_t>(sixteenths / kLowHalves << 16 | (sixteenths % kLowHalves + 1));
}

/// The one after it.
constexpr std::uint32_t next_epoch(std::uint32_t epoch) {
    return static_cast<std::uint16_t>(epoch + 1) != 0 ? epoch + 1 : epoch + 2;
}

/// An epoch for a node that starts now: each start of it has a greater one, if a sixteenth of a second has
/// passed since the last.
inline std::uint32_t epoch_now() {
    using Sixteenths = std::chrono::duration<std::int64_t, std::ratio<1, 16>>;
    const auto since =
        std::chrono::duration_cast<Sixteenths>(std::chrono::system_clock::now().time_since_epoch());
    return epoch_at(static_cast<std::uint64_t>(since.count()));
}

}  // namespace isoplane::niu
