// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <isoplane/wire/crc32c.hh>

#include "crc_fold.hh"

#if defined(__x86_64__)
#include <nmmintrin.h>
#define CRC_TARGET __attribute__((target("sse4.2")))
#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#define CRC_TARGET
#endif

namespace isoplane::wire {
namespace {

using Table = std::array<std::uint32_t, 256>;

constexpr std::uint32_t kPolynomial = 0x82F63B78;

constexpr std::uint32_t shift_zero_byte(std::uint32_t state) {
    for (int bit = 0; bit < 8; ++bit)
        state = (state >> 1) ^ ((state & 1) ? kPolynomial : 0);
    return state;
}

/// Table k advances a byte over k further zero bytes, so eight bytes are looked up independently.
constexpr std::array<Table, 8> make_slices() {
    std::array<Table, 8> slices{};
    for (std::uint32_t byte = 0; byte < 256; ++byte)
        slices[0][byte] = shift_zero_byte(byte);
    for (std::size_t k = 1; k < 8; ++k)
        for (std::size_t byte = 0; byte < 256; ++byte)
            slices[k][byte] = (slices[k - 1][byte] >> 8) ^ slices[0][slices[k - 1][byte] & 0xff];
    return slices;
}

constexpr auto kSlices = make_slices();

std::uint64_t load_little_endian(const std::byte* at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return std::endian::native == std::endian::little ? word : __builtin_bswap64(word);
}

#ifdef CRC_TARGET

/// Bytes of each of the three streams that hide one another's latency (three cycles for one instruction a
/// cycle). Three long ones are the payload of a full frame.
constexpr std::size_t kLongStride = 480;
constexpr std::size_t kShortStride = 64;

/// Advances a state over `stride` zero bytes, byte by byte of the state: the state is linear in its bits, so
/// the tables are sums of the images of single bits.
constexpr std::array<Table, 4> make_stride_shift(std::size_t stride) {
    std::array<std::uint32_t, 32> image{};
    for (std::size_t bit = 0; bit < 32; ++bit) {
        image[bit] = std::uint32_t{1} << bit;
        for (std::size_t i = 0; i < stride; ++i)
            image[bit] = (image[bit] >> 8) ^ kSlices[0][image[bit] & 0xff];
    }
    std::array<Table, 4> tables{};
    for (std::size_t k = 0; k < 4; ++k)
        for (std::size_t byte = 1; byte < 256; ++byte) {
            const auto low = static_cast<std::size_t>(std::countr_zero(byte));
            tables[k][byte] = tables[k][byte & (byte - 1)] ^ image[8 * k + low];
        }
    return tables;
}

template <std::size_t Stride>
constexpr auto kStrideShift = make_stride_shift(Stride);

template <std::size_t Stride>
std::uint32_t shift_stride(std::uint32_t state) {
    const std::array<Table, 4>& shift = kStrideShift<Stride>;
    return shift[0][state & 0xff] ^ shift[1][(state >> 8) & 0xff] ^ shift[2][(state >> 16) & 0xff] ^
           shift[3][state >> 24];
}

template <typename T>
CRC_TARGET inline std::uint32_t crc_instruction(std::uint32_t state, T word) {
#if defined(__x86_64__)
    if constexpr (sizeof(T) == 8) {
        return static_cast<std::uint32_t>(_mm_crc32_u64(state, word));
    } else if constexpr (sizeof(T) == 4) {
        return _mm_crc32_u32(state, word);
    } else if constexpr (sizeof(T) == 2) {
        return _mm_crc32_u16(state, word);
    } else {
        return _mm_crc32_u8(state, word);
    }
#else
    if constexpr (sizeof(T) == 8) {
        return __crc32cd(state, word);
    } else if constexpr (sizeof(T) == 4) {
        return __crc32cw(state, word);
    } else if constexpr (sizeof(T) == 2) {
        return __crc32ch(state, word);
    } else {
        return __crc32cb(state, word);
    }
#endif
}

/// Advances a state over an input, and takes the bytes along to another place if that is not nullptr.
template <bool Copied>
class Advance {
  public:
    Advance(std::uint32_t crc, const std::byte* from, std::byte* to) : state_(~crc), from_(from), to_(to) {}

    CRC_TARGET std::uint32_t over(std::size_t size) {
        if (size >= kLeastFolded && !foldings().empty()) {
            const Folding& folding = foldings().front();
            const std::size_t folded = size & ~(folding.stride - 1);
            state_ = folding.advance(state_, from_, to_, folded);
            pass(folded);
            size -= folded;
        }
        for (; size >= 3 * kLongStride; size -= 3 * kLongStride)
            three<kLongStride>();
        for (; size >= 3 * kShortStride; size -= 3 * kShortStride)
            three<kShortStride>();
        for (; size >= 8; size -= 8)
            one<std::uint64_t>();
        if (size & 4) one<std::uint32_t>();
        if (size & 2) one<std::uint16_t>();
        if (size & 1) one<std::uint8_t>();
        return ~state_;
    }

  private:
    template <typename T>
    CRC_TARGET void one() {
        state_ = step<T>(state_, 0);
        pass(sizeof(T));
    }

    template <std::size_t Stride>
    CRC_TARGET void three() {
        std::uint32_t first = state_;
        std::uint32_t second = 0;
        std::uint32_t third = 0;
        for (std::size_t i = 0; i < Stride; i += 8) {
            first = step<std::uint64_t>(first, i);
            second = step<std::uint64_t>(second, Stride + i);
            third = step<std::uint64_t>(third, 2 * Stride + i);
        }
        state_ = shift_stride<Stride>(shift_stride<Stride>(first) ^ second) ^ third;
        pass(3 * Stride);
    }

    template <typename T>
    CRC_TARGET std::uint32_t step(std::uint32_t state, std::size_t at) {
        T word;
        std::memcpy(&word, from_ + at, sizeof word);
        if constexpr (Copied) std::memcpy(to_ + at, &word, sizeof word);
        return crc_instruction(state, word);
    }

    void pass(std::size_t size) {
        from_ += size;
        if constexpr (Copied) to_ += size;
    }

    std::uint32_t state_;
    const std::byte* from_;
    std::byte* to_;
};

#endif

#if defined(__SSE4_2__) || defined(__ARM_FEATURE_CRC32)
constexpr bool has_hardware = true;
#elif defined(CRC_TARGET)
// False until this file's initialisers have run: a caller before that gets the slower implementation, not a
// wrong one.
const bool has_hardware = (__builtin_cpu_init(), __builtin_cpu_supports("sse4.2") != 0);
#else
constexpr bool has_hardware = false;
#endif

}  // namespace

bool crc32c_has_hardware() {
    return has_hardware;
}

std::uint32_t crc32c_software(std::span<const std::byte> bytes, std::uint32_t crc) {
    std::uint32_t state = ~crc;
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
        const std::uint64_t word = load_little_endian(bytes.data()) ^ state;
        state = 0;
        for (std::size_t k = 0; k < 8; ++k)
            state ^= kSlices[7 - k][(word >> (8 * k)) & 0xff];
    }
    for (const std::byte byte : bytes)
        state = (state >> 8) ^ kSlices[0][(state ^ std::to_integer<std::uint32_t>(byte)) & 0xff];
    return ~state;
}

#ifdef CRC_TARGET

CRC_TARGET std::uint32_t crc32c_hardware(std::span<const std::byte> bytes, std::uint32_t crc) {
    return Advance<false>(crc, bytes.data(), nullptr).over(bytes.size());
}

CRC_TARGET static std::uint32_t copy_hardware(std::byte* to, std::span<const std::byte> bytes,
                                              std::uint32_t crc) {
    return Advance<true>(crc, bytes.data(), to).over(bytes.size());
}

#else

std::uint32_t crc32c_hardware(std::span<const std::byte> bytes, std::uint32_t crc) {
    return crc32c_software(bytes, crc);
}

static std::uint32_t copy_hardware(std::byte* to, std::span<const std::byte> bytes, std::uint32_t crc) {
    std::copy(bytes.begin(), bytes.end(), to);
    return crc32c_software(bytes, crc);
}

#endif

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t crc) {
    return has_hardware ? crc32c_hardware(bytes, crc) : crc32c_software(bytes, crc);
}

std::uint32_t copy_crc32c(std::byte* to, std::span<const std::byte> bytes, std::uint32_t crc) {
    if (has_hardware) return copy_hardware(to, bytes, crc);
    std::copy(bytes.begin(), bytes.end(), to);
    return crc32c_software(bytes, crc);
}

}  // namespace isoplane::wire
