// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/niu/packets.hh>

namespace isoplane::niu {

/// Packets that have been acknowledged, on their way back to their pools. Their receivers may just have
/// written to them on another core, and what has come with the acknowledgement need not wait for that: they
/// are fetched when they come here, and looked at later.
class Parting {
  public:
    Parting() = default;
    ~Parting() { flush(); }
    Parting(const Parting&) = delete;
    Parting& operator=(const Parting&) = delete;

    /// Takes our reference over, to a packet with a payload of so many bytes.
    void put(rte_mbuf* packet, std::size_t size) noexcept {
        if (count_ == packets_.size()) [[unlikely]]
            give_back();
        runtime::prefetch_to_write(packet);
        packets_[count_++] = packet;
        bytes_ += size;
    }

    /// What is sent next had better be written where much was that the cache still has.
    void flush_much() noexcept {
        if (bytes_ > kMuch) give_back();
    }
    void flush() noexcept {
        if (count_ != 0) give_back();
    }

  private:
    [[gnu::noinline]] void give_back() noexcept {
        PacketBin bin(packets_.front()->pool);
        for (unsigned i = 0; i < count_; ++i)
            bin.put(packets_[i]);
        count_ = 0;
        bytes_ = 0;
    }

    static constexpr std::size_t kMuch = 8192;

    unsigned count_ = 0;
    std::size_t bytes_ = 0;
    std::array<rte_mbuf*, runtime::kBurst> packets_;
};

}  // namespace isoplane::niu
