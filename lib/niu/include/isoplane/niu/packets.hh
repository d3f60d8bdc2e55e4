// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Packets out of the pool and back into it, many at a time, and without a look at the second half of a
/// packet: nothing here has a use for it, and it is another line to fetch.
#pragma once

#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include <isoplane/runtime/pool.hh>

namespace isoplane::niu {

/// Gets what a packet holds to be written, `size` bytes from where its data begins.
inline void prefetch_data_to_write(rte_mbuf* packet, std::size_t size) noexcept {
    const auto* at = static_cast<const char*>(packet->buf_addr) + RTE_PKTMBUF_HEADROOM;
    for (std::size_t line = 0; line < size; line += RTE_CACHE_LINE_SIZE)
        runtime::prefetch_to_write(at + line);
}

/// Stores that wait have their lines fetched in any case, and to fetch whole packets ahead gets in their way:
/// on Intel's CPUs (Granite Rapids) it makes a stream over rings a fifth slower. On AMD's (Zen 4) it makes it
/// as much faster.
inline bool stores_fetch() noexcept {
#if defined(__x86_64__)
    static const bool do_they = __builtin_cpu_is("intel") != 0;
    return do_they;
#else
    return false;
#endif
}

/// Empty packets, taken from the pool before they are needed. Those that are next are fetched meanwhile: over
/// rings the receiver has read them last, and their lines have to come back from its CPU.
class PacketStock {
  public:
    static constexpr std::size_t kLeastFetched = 3 * RTE_CACHE_LINE_SIZE;
    static constexpr std::size_t kMostFetched = 24 * RTE_CACHE_LINE_SIZE;

    /// Of a small pool it holds hardly any back. At most so many bytes of the next packets are fetched.
    PacketStock(runtime::Pool& pool, std::size_t most_fetched) noexcept
        : pool_(pool), most_(std::clamp(pool.size() / 256, 1U, kMost)), most_fetched_(most_fetched) {}
    ~PacketStock() { give_back(); }
    PacketStock(const PacketStock&) = delete;
    PacketStock& operator=(const PacketStock&) = delete;

    /// As if from rte_pktmbuf_alloc(); nullptr when the pool is empty.
    rte_mbuf* take() noexcept {
        if (count_ == 0 && !refill()) [[unlikely]]
            return nullptr;
        rte_mbuf* m = packets_[--count_];
        if (count_ >= kAhead) prefetch_data_to_write(packets_[count_ - kAhead], fetched_);
        return m;
    }
    /// So far a frame has been written: those that are next will be much like it.
    void note_written(std::size_t size) noexcept {
        fetched_ = std::clamp(size, kLeastFetched, most_fetched_);
    }

    /// The one that take() gives next, if it is known already.
    rte_mbuf* next() const noexcept { return count_ > 0 ? packets_[count_ - 1] : nullptr; }

    /// While there is nothing else to do: gets that one to be written, as far as most frames go.
    void fetch_next(std::size_t size) noexcept {
        if (count_ == whole_) [[likely]]
            return;
        whole_ = count_;
        if (count_ > 0) prefetch_data_to_write(packets_[count_ - 1], std::min(size, kMostFetched));
    }

    void give_back() noexcept {
        rte_pktmbuf_free_bulk(packets_.data(), count_);
        count_ = 0;
    }

  private:
    static constexpr unsigned kMost = 32;
    static constexpr unsigned kAhead = 4;

    bool refill() noexcept {
        unsigned n = most_;
        if (rte_mempool_get_bulk(pool_.raw(), reinterpret_cast<void**>(packets_.data()), n) != 0) {
            n = 1;
            if (rte_mempool_get(pool_.raw(), reinterpret_cast<void**>(packets_.data())) != 0) return false;
        }
        count_ = n;
        whole_ = 0;
        for (unsigned i = 0; i < n; ++i)
            make_empty(packets_[i]);
        for (unsigned i = n - std::min(n, kAhead); i < n; ++i)
            prefetch_data_to_write(packets_[i], fetched_);
        return true;
    }

    /// What rte_pktmbuf_reset() does, less the second half, of which nothing means anything without a flag.
    static void make_empty(rte_mbuf* m) noexcept {
        m->data_off = RTE_PKTMBUF_HEADROOM;
        m->nb_segs = 1;
        m->port = RTE_MBUF_PORT_INVALID;
        m->ol_flags = 0;
        m->packet_type = 0;
        m->pkt_len = 0;
        m->data_len = 0;
        m->vlan_tci = 0;
        m->vlan_tci_outer = 0;
    }

    runtime::Pool& pool_;
    unsigned most_;
    unsigned count_ = 0;
    unsigned whole_ = 0;  ///< count_ when the next one was fetched as a whole
    std::size_t most_fetched_;
    std::size_t fetched_ = kLeastFetched;  ///< of each of those that are next
    std::array<rte_mbuf*, kMost> packets_;
};

/// Packets that are done with, on their way back to a pool.
class PacketBin {
  public:
    explicit PacketBin(rte_mempool* pool) noexcept : pool_(pool) {}
    ~PacketBin() { flush(); }
    PacketBin(const PacketBin&) = delete;
    PacketBin& operator=(const PacketBin&) = delete;

    /// As rte_pktmbuf_free(), by and by. Packets of other pools, which may go before this does, are freed at
    /// once, and one that somebody else refers to only loses our reference.
    [[gnu::hot]] void put(rte_mbuf* m) noexcept {
        if (m->nb_segs != 1) [[unlikely]]
            return rte_pktmbuf_free(m);
        if (runtime::references(m) != 1 || m->pool != pool_ || !RTE_MBUF_DIRECT(m))
            return rte_pktmbuf_free_seg(m);
        if (count_ == packets_.size()) flush();
        packets_[count_++] = m;
    }

    void flush() noexcept {
        if (count_ != 0) give_back();
    }

  private:
    [[gnu::noinline]] void give_back() noexcept {
        rte_mempool_put_bulk(pool_, reinterpret_cast<void**>(packets_.data()), std::exchange(count_, 0U));
    }

    rte_mempool* pool_;
    unsigned count_ = 0;
    std::array<rte_mbuf*, runtime::kBurst> packets_;
};

}  // namespace isoplane::niu
