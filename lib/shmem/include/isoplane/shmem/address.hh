// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <isoplane/runtime/flat_map.hh>
#include <stdexcept>
#include <type_traits>

namespace isoplane::shmem {

/// Of a word of 32 bits. Page p has the words from p x page_words on.
using Address = std::uint32_t;

struct AddressHash {
    std::uint64_t operator()(Address at) const noexcept { return runtime::spread(at); }
};

template <typename T>
concept Shareable = std::is_trivially_copyable_v<T> &&(sizeof(T) == 4 || sizeof(T) == 8);

/// A variable in shared memory. One of 64 bits has an even address.
template <Shareable T>
struct Variable {
    Address at = 0;

    static constexpr std::uint16_t kWords = sizeof(T) / 4;
};

/// The higher half of 64 bits comes first.
template <Shareable T>
std::array<std::uint32_t, Variable<T>::kWords> to_words(const T& value) {
    if constexpr (sizeof(T) == 4) {
        return {std::bit_cast<std::uint32_t>(value)};
    } else {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        return {static_cast<std::uint32_t>(bits >> 32), static_cast<std::uint32_t>(bits)};
    }
}

template <Shareable T>
T from_words(const std::uint32_t* words) {
    if constexpr (sizeof(T) == 4) {
        return std::bit_cast<T>(words[0]);
    } else {
        return std::bit_cast<T>(std::uint64_t{words[0]} << 32 | words[1]);
    }
}

/// Consecutive words, which may go over several pages.
struct Block {
    Address at = 0;
    std::uint32_t words = 0;
};

/// A SCHED that has been issued: whoever knows it may assign it, once. It may be sent to another host.
struct Scheduled {
    Address at = 0;
    std::uint16_t words = 0;
    std::uint16_t host = 0;  ///< that has issued it
    std::uint32_t number = 0;

    bool operator==(const Scheduled&) const = default;
};

/// A call that can never be right. Says so in a sentence; nothing was done.
struct Misuse : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

}  // namespace isoplane::shmem
