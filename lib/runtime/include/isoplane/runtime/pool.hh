// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_mempool.h>

#include <cstdint>
#include <optional>
#include <string>

#include <isoplane/runtime/packet.hh>
#include <isoplane/runtime/shared_memory.hh>

namespace isoplane::runtime {

/// The largest payload of an Ethernet frame that anything here can be set to.
inline constexpr unsigned kMaxMtu = 9216;

/// A pool of mbufs that knows how many of them are out. "The pools are full again" is what the end of every
/// run checks, so nothing else in the project creates mbufs.
class Pool {
  public:
    static constexpr std::uint16_t kDefaultRoom = 2048 + RTE_PKTMBUF_HEADROOM;

    static constexpr unsigned kDefaultCache = 256;  ///< mbufs that an lcore keeps for itself

    /// Where the mbufs are. Those in shared memory are for links that let another process read them; only who
    /// has the pool takes mbufs out of it and puts them back. From those in turn the packet goes out next
    /// that came back first, from others the last.
    enum class Place : std::uint8_t { kPrivate, kPrivateInTurn, kShared };

    /// The room of packets for an MTU, with all that links put in front or leave behind.
    static std::uint16_t room_for(unsigned mtu);

    /// MB that packets take in ordinary pages. DPDK lets none lie across two of these, so that the usual ones
    /// have a page each, and long ones several.
    static unsigned memory_mb(unsigned packets, std::uint16_t room);

    /// `room` is headroom and data together. Throws std::runtime_error when the memory is not there.
    Pool(const std::string& name, unsigned packets, std::uint16_t room = kDefaultRoom,
         unsigned cache = kDefaultCache, Place place = Place::kPrivate);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    rte_mempool* raw() const noexcept { return pool_; }
    unsigned size() const noexcept { return pool_->size; }

    /// How many mbufs are out. Exact once the lcores that use the pool have stopped; caches count as in.
    unsigned in_use() const noexcept { return rte_mempool_in_use_count(pool_); }

    /// nullptr where mbufs are private.
    const SharedMemory* shared() const noexcept { return shared_ ? &*shared_ : nullptr; }

    /// An empty packet, or an empty Packet when the pool is exhausted.
    Packet packet() noexcept { return Packet{rte_pktmbuf_alloc(pool_)}; }

  private:
    void make_shared(const std::string& name, unsigned packets, std::uint16_t room, unsigned cache);
    void shuffle();

    rte_mempool* pool_ = nullptr;
    std::optional<SharedMemory> shared_;
};

}  // namespace isoplane::runtime
