// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/niu/packets.hh>
#include <isoplane/runtime/fifo.hh>

namespace isoplane::niu {

/// Packets that have been acknowledged, on their way back to their pools.
///
/// Their receivers may just have written to them on another core, and what has come with the acknowledgement
/// need not wait for that: they are looked at later. Where the link hands over the packets themselves, they
/// stay until their receivers have given them up: who does so last gives them back, and by another core they
/// would have a long way; but not behind one that somebody keeps. None is fetched before the one in front has
/// been given up: its receiver would have to fetch it again.
class Parting {
  public:
    /// `most` of them stay.
    Parting(bool by_reference, std::size_t most) : by_reference_(by_reference), most_(most) {
        packets_.reserve(most);
    }
    ~Parting() { give_up(); }
    Parting(const Parting&) = delete;
    Parting& operator=(const Parting&) = delete;

    /// Takes our reference over, to a packet with a payload of so many bytes. One of a user's, who still had
    /// it as it was sent, does not stay: he may wait to be the only one that has it.
    void put(rte_mbuf* packet, std::size_t size, bool given = false) noexcept {
        if (given && by_reference_) [[unlikely]]
            return rte_pktmbuf_free(packet);
        if (packets_.size() >= most_) [[unlikely]]
            give_back(1);
        packets_.push(packet);
        bytes_ += size;
    }

    /// What is sent next had better be written where much was that the cache still has.
    void flush_much() noexcept {
        if (bytes_ > kMuch) give_back(0);
    }
    void flush() noexcept {
        if (!packets_.empty()) give_back(0);
    }
    /// All of them.
    void give_up() noexcept {
        if (!packets_.empty()) give_back(packets_.size());
    }

  private:
    /// As many in any case, and of the others those that nobody has.
    [[gnu::noinline]] void give_back(std::size_t least) noexcept {
        if (!by_reference_)
            for (std::size_t i = 0; i < packets_.size() && i < kAhead; ++i)
                runtime::prefetch_to_write(packets_[i]);
        PacketBin bin(packets_.front()->pool);
        for (; !packets_.empty(); packets_.pop()) {
            rte_mbuf* const packet = packets_.front();
            if (least > 0) {
                --least;
            } else if (by_reference_ && runtime::references(packet) != 1) {
                if (++waited_ < kPatience) break;
            }
            waited_ = 0;
            if (packets_.size() > kAhead) runtime::prefetch_to_write(packets_[kAhead]);
            bin.put(packet);
        }
        bytes_ = 0;
    }

    static constexpr std::size_t kMuch = 8192;
    static constexpr std::size_t kAhead = 8;
    static constexpr unsigned kPatience = 1024;  ///< times that the one in front is looked at

    const bool by_reference_;
    const std::size_t most_;
    runtime::Fifo<rte_mbuf*> packets_{};
    unsigned waited_ = 0;
    std::size_t bytes_ = 0;  ///< that have come since the last were given back
};

}  // namespace isoplane::niu
