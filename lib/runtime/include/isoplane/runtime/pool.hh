// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_mempool.h>

#include <cstdint>
#include <string>

#include <isoplane/runtime/packet.hh>

namespace isoplane::runtime {

/// A pool of mbufs that knows how many of them are out. "The pools are full again" is what the end of every
/// run checks, so nothing else in the project creates mbufs.
class Pool {
  public:
    static constexpr std::uint16_t kDefaultRoom = 2048 + RTE_PKTMBUF_HEADROOM;

    /// The room of packets for an MTU, with all that links put in front or leave behind.
    static std::uint16_t room_for(unsigned mtu);

    /// `room` is headroom and data together. Throws std::runtime_error when the memory is not there.
    Pool(const std::string& name, unsigned packets, std::uint16_t room = kDefaultRoom, unsigned cache = 256);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    rte_mempool* raw() const noexcept { return pool_; }
    unsigned size() const noexcept { return pool_->size; }

    /// How many mbufs are out. Exact once the lcores that use the pool have stopped; caches count as in.
    unsigned in_use() const noexcept { return rte_mempool_in_use_count(pool_); }

    /// An empty packet, or an empty Packet when the pool is exhausted.
    Packet packet() noexcept { return Packet{rte_pktmbuf_alloc(pool_)}; }

  private:
    rte_mempool* pool_;
};

}  // namespace isoplane::runtime
