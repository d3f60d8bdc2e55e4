// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace isoplane::niu {

/// A copy for a few bytes that have just been written, and are about to be read for a CRC: word by word. A
/// load that is wider than the stores it reads from waits until these have left the CPU, and all before them,
/// some of which wait for lines of another CPU.
inline void copy_words(std::byte* to, std::span<const std::byte> bytes) noexcept {
    const auto pass = [to, from = bytes.data()]<typename Word>(std::size_t at, Word word) {
        std::memcpy(&word, from + at, sizeof word);
        asm("" : "+r"(word));  // or several would be copied as one
        std::memcpy(to + at, &word, sizeof word);
        return at + sizeof word;
    };
    const std::size_t size = bytes.size();
    std::size_t at = 0;
    while (at + 8 <= size)
        at = pass(at, std::uint64_t{});
    if ((size & 4) != 0) at = pass(at, std::uint32_t{});
    if ((size & 2) != 0) at = pass(at, std::uint16_t{});
    if ((size & 1) != 0) to[at] = bytes[at];
}

}  // namespace isoplane::niu
