// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <isoplane/wire/crc32c.hh>

#if defined(__SSE4_2__)
#include <nmmintrin.h>
#endif

namespace isoplane::wire {

/// A CRC32C over words that are in registers still. Reading them back from where they have just been written
/// in other sizes would make the processor wait for the stores.
class CrcOfWords {
  public:
    /// `word` as it will stand in memory.
    void add(std::uint64_t word) {
#if defined(__SSE4_2__)
        state_ = static_cast<std::uint32_t>(_mm_crc32_u64(state_, word));
#else
        crc_ = crc32c(std::as_bytes(std::span(&word, 1)), crc_);
#endif
    }
    void add(std::uint32_t word) {
#if defined(__SSE4_2__)
        state_ = _mm_crc32_u32(state_, word);
#else
        crc_ = crc32c(std::as_bytes(std::span(&word, 1)), crc_);
#endif
    }
    std::uint32_t value() const {
#if defined(__SSE4_2__)
        return ~state_;
#else
        return crc_;
#endif
    }

  private:
#if defined(__SSE4_2__)
    std::uint32_t state_ = ~0U;
#else
    std::uint32_t crc_ = 0;
#endif
};

}  // namespace isoplane::wire
