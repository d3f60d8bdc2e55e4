// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "crc_fold.hh"

#include <array>

#if defined(__x86_64__)
#include <immintrin.h>
#define FOLD_TARGET __attribute__((target("avx2,pclmul,sse4.2,vpclmulqdq")))
#define WIDE_FOLD_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,pclmul,sse4.2,vpclmulqdq")))
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
/// `Bits` further on. Products of numbers in this order of bits come out one place short. Constants, as no
/// call is that without an optimizer: tests with sanitizers spent nine tenths of their time here.
template <unsigned Bits>
constexpr long long kFirstHalf = static_cast<long long>(std::uint64_t{power(Bits + 32)} << 1);
template <unsigned Bits>
constexpr long long kSecondHalf = static_cast<long long>(std::uint64_t{power(Bits - 32)} << 1);

template <unsigned Bits>
FOLD_TARGET inline __m256i move_on(__m256i sum, __m256i by) {
    const __m256i factors =
        _mm256_set_epi64x(kSecondHalf<Bits>, kFirstHalf<Bits>, kSecondHalf<Bits>, kFirstHalf<Bits>);
    return _mm256_xor_si256(by, _mm256_xor_si256(_mm256_clmulepi64_epi128(sum, factors, 0x00),
                                                 _mm256_clmulepi64_epi128(sum, factors, 0x11)));
}

FOLD_TARGET inline __m128i move_on(__m128i sum, __m128i by) {
    const __m128i factors = _mm_set_epi64x(kSecondHalf<128>, kFirstHalf<128>);
    return _mm_xor_si128(by, _mm_xor_si128(_mm_clmulepi64_si128(sum, factors, 0x00),
                                           _mm_clmulepi64_si128(sum, factors, 0x11)));
}

template <bool Copied>
FOLD_TARGET inline __m256i load(const std::byte* from, std::byte* to, std::size_t at) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at));
    if constexpr (Copied) _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at), bytes);
    return bytes;
}

/// What is left of all has the checksum that all of it has.
FOLD_TARGET inline std::uint32_t checksum(__m128i sum) {
    const std::uint64_t half = _mm_crc32_u64(0, static_cast<std::uint64_t>(_mm_cvtsi128_si64(sum)));
    return static_cast<std::uint32_t>(
        _mm_crc32_u64(half, static_cast<std::uint64_t>(_mm_extract_epi64(sum, 1))));
}

constexpr std::size_t kStride = 128;

/// Four sums, so that no multiplication waits for the last.
template <bool Copied>
FOLD_TARGET std::uint32_t fold_all(std::uint32_t state, const std::byte* from, std::byte* to,
                                   std::size_t size) {
    __m256i a = load<Copied>(from, to, 0);
    __m256i b = load<Copied>(from, to, 32);
    __m256i c = load<Copied>(from, to, 64);
    __m256i d = load<Copied>(from, to, 96);
    a = _mm256_xor_si256(a, _mm256_zextsi128_si256(_mm_cvtsi32_si128(static_cast<int>(state))));
    for (std::size_t at = kStride; at < size; at += kStride) {
        a = move_on<8 * kStride>(a, load<Copied>(from, to, at));
        b = move_on<8 * kStride>(b, load<Copied>(from, to, at + 32));
        c = move_on<8 * kStride>(c, load<Copied>(from, to, at + 64));
        d = move_on<8 * kStride>(d, load<Copied>(from, to, at + 96));
    }
    d = move_on<256>(move_on<256>(move_on<256>(a, b), c), d);
    return checksum(move_on(_mm256_castsi256_si128(d), _mm256_extracti128_si256(d, 1)));
}

constexpr std::size_t kWideStride = 256;
/// Instructions without a mask begin, as GCC 12 sees it, with something uninitialised, of which it warns.
constexpr __mmask8 kAll = 0xff;
constexpr std::size_t kGranule = 16;  ///< what a size may be a multiple of with 512 bits

template <unsigned Bits>
WIDE_FOLD_TARGET inline __m512i move_on(__m512i sum, __m512i by) {
    const __m512i factors =
        _mm512_maskz_broadcast_i64x2(kAll, _mm_set_epi64x(kSecondHalf<Bits>, kFirstHalf<Bits>));
    constexpr int kSumOfThree = 0x96;
    return _mm512_ternarylogic_epi64(by, _mm512_clmulepi64_epi128(sum, factors, 0x00),
                                     _mm512_clmulepi64_epi128(sum, factors, 0x11), kSumOfThree);
}

template <bool Copied>
WIDE_FOLD_TARGET inline __m512i load_wide(const std::byte* from, std::byte* to, std::size_t at) {
    const __m512i bytes = _mm512_loadu_si512(from + at);
    if constexpr (Copied) _mm512_storeu_si512(to + at, bytes);
    return bytes;
}

template <bool Copied>
FOLD_TARGET inline __m128i load_granule(const std::byte* from, std::byte* to, std::size_t at) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
    if constexpr (Copied) _mm_storeu_si128(reinterpret_cast<__m128i*>(to + at), bytes);
    return bytes;
}

/// As fold_all(), over any number of granules: those behind the last stride are added as the sums become
/// one, and that as wide as they are.
template <bool Copied>
WIDE_FOLD_TARGET std::uint32_t fold_wide(std::uint32_t state, const std::byte* from, std::byte* to,
                                         std::size_t size) {
    __m512i a = load_wide<Copied>(from, to, 0);
    __m512i b = load_wide<Copied>(from, to, 64);
    __m512i c = load_wide<Copied>(from, to, 128);
    __m512i d = load_wide<Copied>(from, to, 192);
    a = _mm512_xor_si512(a, _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<int>(state))));
    std::size_t at = kWideStride;
    for (; at + kWideStride <= size; at += kWideStride) {
        a = move_on<8 * kWideStride>(a, load_wide<Copied>(from, to, at));
        b = move_on<8 * kWideStride>(b, load_wide<Copied>(from, to, at + 64));
        c = move_on<8 * kWideStride>(c, load_wide<Copied>(from, to, at + 128));
        d = move_on<8 * kWideStride>(d, load_wide<Copied>(from, to, at + 192));
    }
    d = move_on<512>(move_on<1024>(a, c), move_on<1024>(b, d));
    for (; at + 64 <= size; at += 64)
        d = move_on<512>(d, load_wide<Copied>(from, to, at));
    __m256i half = move_on<256>(_mm512_maskz_extracti64x4_epi64(kAll, d, 0),
                                _mm512_maskz_extracti64x4_epi64(kAll, d, 1));
    if (at + 32 <= size) {
        half = move_on<256>(half, load<Copied>(from, to, at));
        at += 32;
    }
    __m128i granule = move_on(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    if (at < size) granule = move_on(granule, load_granule<Copied>(from, to, at));
    return checksum(granule);
}

/// Whether the bytes are copied is decided once, not for each of them.
template <auto kCopying, auto kReading>
std::uint32_t either(std::uint32_t state, const std::byte* from, std::byte* to, std::size_t size) {
    return to != nullptr ? kCopying(state, from, to, size) : kReading(state, from, to, size);
}

constexpr std::array kFoldings{Folding{kGranule, either<fold_wide<true>, fold_wide<false>>},
                               Folding{kStride, either<fold_all<true>, fold_all<false>>}};

/// None until the initialisers of this file have run, which is slower, not wrong.
const std::span<const Folding> the_foldings = [] {
    __builtin_cpu_init();
    const bool narrow = __builtin_cpu_supports("vpclmulqdq") != 0 && __builtin_cpu_supports("avx2") != 0;
    const bool wide = narrow && __builtin_cpu_supports("avx512f") != 0 &&
                      __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0;
    return std::span(kFoldings).subspan(wide ? 0 : narrow ? 1 : 2);
}();

}  // namespace

std::span<const Folding> foldings() {
    return the_foldings;
}

#else

std::span<const Folding> foldings() {
    return {};
}

#endif

}  // namespace isoplane::wire
