// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What a shared node and one client of it have in common: two rings of descriptors, each of which stands for
/// bytes in the client's memory.
///
/// - `out`: the client posts packets, the node takes copies of them and says how many it is done with;
/// - `in`: the client posts room, the node fills it, writes the length of the packet over that of the room,
///   and says how many are done.
///
/// Both rings have one writer for each word: nothing here can be locked, or be left half done. Neither end
/// ever reads back what it has written itself.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace isoplane::share {

inline constexpr std::uint32_t kSlots = 1024;  ///< of a ring; a power of two

/// Bytes in the client's memory, in one word: it is read once, and what has been checked is what is used.
class Descriptor {
  public:
    Descriptor() = default;
    Descriptor(std::uint32_t offset, std::uint32_t length) noexcept
        : word_(std::uint64_t{offset} << 32 | length) {}
    explicit Descriptor(std::uint64_t word) noexcept : word_(word) {}

    std::uint32_t offset() const noexcept { return static_cast<std::uint32_t>(word_ >> 32); }
    std::uint32_t length() const noexcept { return static_cast<std::uint32_t>(word_); }
    std::uint64_t word() const noexcept { return word_; }

  private:
    std::uint64_t word_ = 0;
};

struct Ring {
    alignas(64) std::atomic<std::uint32_t> posted{0};  ///< by the client, since it was attached; wraps
    alignas(64) std::atomic<std::uint32_t> done{0};    ///< by the node; wraps
    alignas(64) std::array<std::atomic<std::uint64_t>, kSlots> slots{};

    Descriptor at(std::uint32_t index) const noexcept {
        return Descriptor(slots[index % kSlots].load(std::memory_order_relaxed));
    }
    void put(std::uint32_t index, Descriptor what) noexcept {
        slots[index % kSlots].store(what.word(), std::memory_order_relaxed);
    }
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

struct Area {
    Ring out;
    Ring in;
};

}  // namespace isoplane::share
