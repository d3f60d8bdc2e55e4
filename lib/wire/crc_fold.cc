// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "crc_fold.hh"

#if defined(__x86_64__)
#include <immintrin.h>
#define FOLD_TARGET __attribute__((target("avx2,pclmul,sse4.2,vpclmulqdq")))
#endif

namespace isoplane::wire {

#if defined(__x86_64__)

namespace {

/// x^n modulo the polynomial, its bits in the order of the checksum.
constexpr std::uint32_t power(unsigned n) {
    std::uint32_t state = 0x80000000;
    for (unsigned i = 0; i < n; ++i)
        state = (state >> 1) ^ ((state & 1) != 0 ? 0x82F63B78 : 0);
    return state;
}

/// What the half of 128 bits that comes first, and the other, are multiplied by to stand for themselves
/// `bits` further on. Products of numbers in this order of bits come out one place short.
constexpr long long first_half(unsigned bits) {
    return static_cast<long long>(std::uint64_t{power(bits + 32)} << 1);
}
constexpr long long second_half(unsigned bits) {
    return static_cast<long long>(std::uint64_t{power(bits - 32)} << 1);
}

template <unsigned Bits>
FOLD_TARGET inline __m256i move_on(__m256i sum, __m256i by) {
    const __m256i factors =
        _mm256_set_epi64x(second_half(Bits), first_half(Bits), second_half(Bits), first_half(Bits));
    return _mm256_xor_si256(by, _mm256_xor_si256(_mm256_clmulepi64_epi128(sum, factors, 0x00),
                                                 _mm256_clmulepi64_epi128(sum, factors, 0x11)));
}

FOLD_TARGET inline __m128i move_on(__m128i sum, __m128i by) {
    const __m128i factors = _mm_set_epi64x(second_half(128), first_half(128));
    return _mm_xor_si128(by, _mm_xor_si128(_mm_clmulepi64_si128(sum, factors, 0x00),
                                           _mm_clmulepi64_si128(sum, factors, 0x11)));
}

template <bool Copied>
FOLD_TARGET inline __m256i load(const std::byte* from, std::byte* to, std::size_t at) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at));
    if constexpr (Copied) _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at), bytes);
    return bytes;
}

/// Four sums, so that no multiplication waits for the last.
template <bool Copied>
FOLD_TARGET std::uint32_t fold_all(std::uint32_t state, const std::byte* from, std::byte* to,
                                   std::size_t size) {
    __m256i a = load<Copied>(from, to, 0);
    __m256i b = load<Copied>(from, to, 32);
    __m256i c = load<Copied>(from, to, 64);
    __m256i d = load<Copied>(from, to, 96);
    a = _mm256_xor_si256(a, _mm256_zextsi128_si256(_mm_cvtsi32_si128(static_cast<int>(state))));
    for (std::size_t at = kFoldStride; at < size; at += kFoldStride) {
        a = move_on<8 * kFoldStride>(a, load<Copied>(from, to, at));
        b = move_on<8 * kFoldStride>(b, load<Copied>(from, to, at + 32));
        c = move_on<8 * kFoldStride>(c, load<Copied>(from, to, at + 64));
        d = move_on<8 * kFoldStride>(d, load<Copied>(from, to, at + 96));
    }
    d = move_on<256>(move_on<256>(move_on<256>(a, b), c), d);
    const __m128i sum = move_on(_mm256_castsi256_si128(d), _mm256_extracti128_si256(d, 1));
    // What is left has the checksum that all of it has.
    const std::uint64_t half = _mm_crc32_u64(0, static_cast<std::uint64_t>(_mm_cvtsi128_si64(sum)));
    return static_cast<std::uint32_t>(
        _mm_crc32_u64(half, static_cast<std::uint64_t>(_mm_extract_epi64(sum, 1))));
}

/// False until the initialisers of this file have run, which is slower, not wrong.
const bool has_multiplication =
    (__builtin_cpu_init(), __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("vpclmulqdq") != 0);

}  // namespace

bool can_fold() {
    return has_multiplication;
}

std::uint32_t fold(std::uint32_t state, const std::byte* from, std::byte* to, std::size_t size) {
    return to != nullptr ? fold_all<true>(state, from, to, size) : fold_all<false>(state, from, to, size);
}

#else

bool can_fold() {
    return false;
}

std::uint32_t fold(std::uint32_t state, const std::byte* /*from*/, std::byte* /*to*/, std::size_t /*size*/) {
    return state;
}

#endif

}  // namespace isoplane::wire
