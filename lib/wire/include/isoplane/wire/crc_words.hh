// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <isoplane/wire/crc32c.hh>

#if defined(__SSE4_2__)
#include <nmmintrin.h>
#endif

namespace isoplane::wire {

/// A CRC32C over words as they will stand in memory, while they are in registers still: reading them back
/// from where they have just been written in other sizes would make the processor wait for the stores. Also
/// the quickest over a few bytes, as it needs no call.
class CrcOfWords {
  public:
    /// Goes on where value() had come.
    explicit CrcOfWords(std::uint32_t crc = 0) : state_(~crc) {}

    template <std::unsigned_integral T>
    void add(T word) {
#if defined(__SSE4_2__)
        if constexpr (sizeof(T) == 8) {
            state_ = static_cast<std::uint32_t>(_mm_crc32_u64(state_, word));
        } else if constexpr (sizeof(T) == 4) {
            state_ = _mm_crc32_u32(state_, word);
        } else if constexpr (sizeof(T) == 2) {
            state_ = _mm_crc32_u16(state_, word);
        } else {
            state_ = _mm_crc32_u8(state_, word);
        }
#else
        state_ = ~crc32c(std::as_bytes(std::span(&word, 1)), ~state_);
#endif
    }

    std::uint32_t value() const {
        return ~state_;
    }

  private:
    std::uint32_t state_;
};

/// Up to here crc32c() is not faster.
inline constexpr std::size_t kFewBytes = 160;

namespace detail {

template <std::unsigned_integral T, bool Copied>
inline void pass_word(CrcOfWords& crc, std::byte* to, const std::byte* from, std::size_t at) {
    T word;
    std::memcpy(&word, from + at, sizeof word);
    crc.add(word);
    if constexpr (Copied) std::memcpy(to + at, &word, sizeof word);
}

template <bool Copied>
inline std::uint32_t pass_few(std::byte* to, std::span<const std::byte> bytes, std::uint32_t before) {
    CrcOfWords crc(before);
    const std::byte* const from = bytes.data();
    const std::size_t size = bytes.size();
    std::size_t at = 0;
    for (; at + 8 <= size; at += 8)
        pass_word<std::uint64_t, Copied>(crc, to, from, at);
    if (at == size) return crc.value();
    if ((size & 4) != 0) {
        pass_word<std::uint32_t, Copied>(crc, to, from, at);
        at += 4;
    }
    if ((size & 2) != 0) {
        pass_word<std::uint16_t, Copied>(crc, to, from, at);
        at += 2;
    }
    if ((size & 1) != 0) pass_word<std::uint8_t, Copied>(crc, to, from, at);
    return crc.value();
}

}  // namespace detail

/// As crc32c(), without a call where the bytes are few.
inline std::uint32_t quick_crc32c(std::span<const std::byte> bytes, std::uint32_t crc = 0) {
    return bytes.size() <= kFewBytes ? detail::pass_few<false>(nullptr, bytes, crc) : crc32c(bytes, crc);
}

/// As copy_crc32c(), without a call where the bytes are few.
inline std::uint32_t quick_copy_crc32c(std::byte* to, std::span<const std::byte> bytes, std::uint32_t crc) {
    return bytes.size() <= kFewBytes ? detail::pass_few<true>(to, bytes, crc) : copy_crc32c(to, bytes, crc);
}

}  // namespace isoplane::wire
