// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_mbuf.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace isoplane::runtime {

/// The one owner of an mbuf; as cheap as the pointer it holds. Moving hands the mbuf on, destruction frees
/// it.
class Packet {
  public:
    Packet() = default;
    explicit Packet(rte_mbuf* owned) noexcept : mbuf_(owned) {}
    Packet(Packet&& other) noexcept : mbuf_(other.release()) {}
    Packet& operator=(Packet&& other) noexcept {
        if (this != &other) reset(other.release());
        return *this;
    }
    Packet(const Packet&) = delete;
    Packet& operator=(const Packet&) = delete;
    ~Packet() { reset(); }

    explicit operator bool() const noexcept { return mbuf_ != nullptr; }
    rte_mbuf* get() const noexcept { return mbuf_; }

    /// Gives the mbuf up to the caller, who owns it from here.
    [[nodiscard]] rte_mbuf* release() noexcept { return std::exchange(mbuf_, nullptr); }

    void reset(rte_mbuf* owned = nullptr) noexcept {
        if (mbuf_ != nullptr) rte_pktmbuf_free(mbuf_);
        mbuf_ = owned;
    }

    /// The bytes of the first segment.
    std::span<std::byte> data() const noexcept { return bytes_of(mbuf_); }

    static std::span<std::byte> bytes_of(rte_mbuf* m) noexcept {
        return {rte_pktmbuf_mtod(m, std::byte*), rte_pktmbuf_data_len(m)};
    }

  private:
    rte_mbuf* mbuf_ = nullptr;
};

/// How many refer to it. Who no longer does has done by then what he did with it.
inline unsigned references(const rte_mbuf* m) noexcept {
    return __atomic_load_n(&m->refcnt, __ATOMIC_ACQUIRE);
}

/// Fetches what is about to be written, so that a packet which another core has had is ours by then.
inline void prefetch_to_write(const void* at) noexcept {
#if defined(__x86_64__)
    // What compilers make of __builtin_prefetch(at, 1) for old targets is a prefetch to read.
    asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
#else
    __builtin_prefetch(at, 1);
#endif
}

/// How many packets move at once between stages, at most: bursts never wait to be full. Measured between two
/// rings: 3.6 cycles a packet at 32, 2.7 at 64.
inline constexpr std::uint16_t kBurst = 64;

/// A burst under way: raw pointers, owned by whoever holds the burst.
using Burst = std::array<rte_mbuf*, kBurst>;

}  // namespace isoplane::runtime
