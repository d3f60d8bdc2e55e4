// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_mbuf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <isoplane/runtime/time.hh>

namespace isoplane::sim {

/// A running hash over everything that links deliver: when, where, and every byte. Two runs with the same
/// hash have done the same.
class Trace {
  public:
    void deliver(std::uint32_t channel, const rte_mbuf* frame, runtime::Time now) noexcept {
        add(std::uint64_t{channel} << 32 | frame->pkt_len);
        for (const rte_mbuf* part = frame; part != nullptr; part = part->next)
            add(rte_pktmbuf_mtod(part, const std::byte*), part->data_len);
        add(static_cast<std::uint64_t>(now.time_since_epoch().count()));
        ++frames_;
    }

    std::uint64_t hash() const noexcept { return hash_; }
    std::uint64_t frames() const noexcept { return frames_; }

  private:
    void add(std::uint64_t value) noexcept {
        hash_ = (hash_ ^ value) * 0x9fb21c651e98df25;
        hash_ ^= hash_ >> 32;
    }
    void add(const std::byte* bytes, std::size_t n) noexcept {
        std::uint64_t word = 0;
        for (; n >= sizeof word; n -= sizeof word, bytes += sizeof word) {
            std::memcpy(&word, bytes, sizeof word);
            add(word);
        }
        word = 0;
        std::memcpy(&word, bytes, n);
        add(word);
    }

    std::uint64_t hash_ = 0;
    std::uint64_t frames_ = 0;
};

}  // namespace isoplane::sim
