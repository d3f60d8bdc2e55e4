// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_ether.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <isoplane/runtime/time.hh>

namespace isoplane::fabric {

/// Which station is behind which port: a fixed number of addresses, forgotten when they have been silent for
/// long.
///
/// Four addresses share a cache line, which is all that a look-up reads. When a fifth comes to a line, the
/// one that has been silent longest is forgotten; its next frame is flooded and it is learned again.
class MacTable {
  public:
    using Time = runtime::Time;
    static constexpr std::uint16_t kNoPort = 0xffff;

    /// Room for `addresses` at least; an address is forgotten `age` after its last frame.
    explicit MacTable(unsigned addresses, runtime::Duration age);

    /// The station `address` has sent from `port`. Group addresses and zero are not learned.
    void learn(const rte_ether_addr& address, std::uint16_t port, Time now) noexcept;

    /// The port behind which `address` is, or kNoPort.
    std::uint16_t find(const rte_ether_addr& address, Time now) const noexcept;

    /// Addresses known at `now`. Walks the table.
    std::size_t size(Time now) const noexcept;
    std::size_t capacity() const noexcept { return lines_.size() * kWays; }

  private:
    static constexpr unsigned kWays = 4;

    struct Entry {
        std::uint64_t key = 0;  ///< the address above, the port below; 0 when free
        Time seen = Time::min();
    };
    struct alignas(64) Line {
        std::array<Entry, kWays> entries;
    };

    static std::uint64_t key_of(const rte_ether_addr& address) noexcept;
    const Line& line_of(std::uint64_t key) const noexcept;
    Line& line_of(std::uint64_t key) noexcept;
    bool alive(const Entry& entry, Time now) const noexcept {
        return entry.key != 0 && now - entry.seen <= age_;
    }

    std::vector<Line> lines_;
    unsigned shift_;  ///< of the 64-bit hash, so that as many bits are left as number the lines
    runtime::Duration age_;
};

}  // namespace isoplane::fabric
