// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_ether.h>
#include <rte_hash_crc.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <isoplane/runtime/pool.hh>
#include <stdexcept>
#include <vector>

namespace isoplane::test {

/// The address of test station `n`; locally administered.
inline rte_ether_addr station(unsigned n) {
    return {{0x02, 0, 0, static_cast<std::uint8_t>(n >> 16), static_cast<std::uint8_t>(n >> 8),
             static_cast<std::uint8_t>(n)}};
}

inline constexpr rte_ether_addr kBroadcast{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};

/// What a numbered frame says after its Ethernet header; the rest of it is filler, all under the checksum.
struct Mark {
    std::uint32_t crc;
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t number;
};

/// CRC32C of all that follows the checksum. Not rte_hash_crc(), which reads words where they are not aligned.
inline std::uint32_t crc_of(const rte_mbuf* frame) {
    const auto* bytes = rte_pktmbuf_mtod_offset(frame, const std::uint8_t*, RTE_ETHER_HDR_LEN);
    const std::size_t n = frame->data_len - std::size_t{RTE_ETHER_HDR_LEN};
    std::uint32_t crc = 0;
    for (std::size_t i = sizeof(Mark::crc); i < n;) {
        std::uint64_t word = 0;
        const std::size_t width = std::min(n - i, sizeof word);
        std::memcpy(&word, bytes + i, width);
        crc = rte_hash_crc_8byte(word, crc);
        i += width;
    }
    return crc;
}

/// A frame from station `from` to station `to`, or to the given address. Throws when the pool is empty.
inline rte_mbuf* numbered_frame(runtime::Pool& pool, unsigned from, const rte_ether_addr& destination,
                                unsigned to, std::uint32_t number, std::uint16_t length = 64) {
    rte_mbuf* frame = pool.packet().release();
    if (frame == nullptr) throw std::runtime_error("the test's pool is empty");
    char* data = rte_pktmbuf_append(frame, length);
    auto* header = reinterpret_cast<rte_ether_hdr*>(data);
    header->dst_addr = destination;
    header->src_addr = station(from);
    header->ether_type = rte_cpu_to_be_16(0x88b5);
    std::memset(data + RTE_ETHER_HDR_LEN, static_cast<int>(number & 0xff), length - RTE_ETHER_HDR_LEN);
    Mark mark{0, from, to, number};
    std::memcpy(data + RTE_ETHER_HDR_LEN, &mark, sizeof mark);
    mark.crc = crc_of(frame);
    std::memcpy(data + RTE_ETHER_HDR_LEN, &mark, sizeof mark);
    return frame;
}

inline rte_mbuf* numbered_frame(runtime::Pool& pool, unsigned from, unsigned to, std::uint32_t number,
                                std::uint16_t length = 64) {
    return numbered_frame(pool, from, station(to), to, number, length);
}

inline Mark mark_of(const rte_mbuf* frame) {
    Mark mark;
    std::memcpy(&mark, rte_pktmbuf_mtod_offset(frame, const void*, RTE_ETHER_HDR_LEN), sizeof mark);
    return mark;
}

inline bool intact(const rte_mbuf* frame) {
    return mark_of(frame).crc == crc_of(frame);
}

/// What a receiver can tell about the stream of numbered frames that reaches it, from 0 up.
struct Tally {
    std::uint64_t all = 0;
    std::uint64_t first = 0;       ///< intact, and not seen before
    std::uint64_t duplicates = 0;  ///< intact, and seen before
    std::uint64_t late = 0;        ///< of the first, those with a number below one already seen
    std::uint64_t damaged = 0;

    void see(const rte_mbuf* frame) {
        ++all;
        if (!intact(frame)) {
            ++damaged;
            return;
        }
        const std::uint32_t number = mark_of(frame).number;
        if (number >= seen_.size()) seen_.resize(std::size_t{number} * 2 + 64);
        if (seen_[number]) {
            ++duplicates;
            return;
        }
        seen_[number] = true;
        ++first;
        if (number < next_) ++late;
        next_ = std::max(next_, number + 1);
    }

  private:
    std::vector<bool> seen_;
    std::uint32_t next_ = 0;  ///< one more than the highest seen
};

}  // namespace isoplane::test
