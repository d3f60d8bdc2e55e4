// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "pcap_edges.hh"

#include <rte_mbuf.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace isoplane::link {

std::uint16_t PcapInput::do_receive(rte_mbuf** packets, std::uint16_t room) noexcept {
    std::uint16_t n = 0;
    while (n < room && (bytes_ != nullptr || next_record())) {
        rte_mbuf* packet = packet_of_record();
        if (packet == nullptr) {
            missed_pool.add(1);
            break;
        }
        bytes_ = nullptr;
        packets[n++] = packet;
    }
    return n;
}

bool PcapInput::next_record() noexcept {
    if (ended()) return false;
    const int result = pcap_next_ex(file_.get(), &header_, &bytes_);
    if (result == 1) {
        records.add(1);
        if (header_->caplen < header_->len) cut.add(1);
        return true;
    }
    bytes_ = nullptr;
    failed_.store(result != PCAP_ERROR_BREAK, std::memory_order_relaxed);
    ended_.store(true, std::memory_order_relaxed);
    return false;
}

/// A packet with the record's bytes, chained when one mbuf does not hold them; nullptr when the pool is
/// empty.
rte_mbuf* PcapInput::packet_of_record() noexcept {
    rte_mbuf* packet = rte_pktmbuf_alloc(pool_);
    if (packet == nullptr) return nullptr;
    rte_mbuf* last = packet;
    for (std::uint32_t done = 0; done < header_->caplen;) {
        if (rte_pktmbuf_tailroom(last) == 0) {
            rte_mbuf* more = rte_pktmbuf_alloc(pool_);
            if (more == nullptr) {
                rte_pktmbuf_free(packet);
                return nullptr;
            }
            last->next = more;
            last = more;
            ++packet->nb_segs;
        }
        const auto part = static_cast<std::uint16_t>(
            std::min<std::uint32_t>(header_->caplen - done, rte_pktmbuf_tailroom(last)));
        std::memcpy(rte_pktmbuf_mtod_offset(last, std::uint8_t*, last->data_len), bytes_ + done, part);
        last->data_len = static_cast<std::uint16_t>(last->data_len + part);
        done += part;
    }
    packet->pkt_len = header_->caplen;
    return packet;
}

std::uint16_t PcapOutput::do_send(rte_mbuf** packets, std::uint16_t n) noexcept {
    if (file_ != nullptr) {
        timespec now{};
        clock_gettime(CLOCK_REALTIME, &now);
        // The file counts nanoseconds where the structure says microseconds.
        const timeval stamp{.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec};
        for (std::uint16_t i = 0; i < n; ++i)
            write(packets[i], stamp);
    }
    rte_pktmbuf_free_bulk(packets, n);
    return n;
}

void PcapOutput::write(const rte_mbuf* packet, const timeval& now) noexcept {
    if (packet->pkt_len > kLongest) {
        oversized.add(1);
        return;
    }
    if (error() != 0) {
        failed.add(1);
        return;
    }
    const pcap_pkthdr header{.ts = now, .caplen = packet->pkt_len, .len = packet->pkt_len};
    const void* bytes = rte_pktmbuf_read(packet, 0, packet->pkt_len, piece_.data());
    pcap_dump(reinterpret_cast<std::uint8_t*>(file_.get()), &header, static_cast<const std::uint8_t*>(bytes));
    // pcap_dump() does not say how it went; the stream under it does.
    if (std::ferror(pcap_dump_file(file_.get())) != 0) [[unlikely]] {
        error_.store(errno != 0 ? errno : EIO, std::memory_order_relaxed);
        failed.add(1);
    }
}

void PcapOutput::flush() noexcept {
    if (file_ != nullptr && error() == 0 && std::fflush(pcap_dump_file(file_.get())) != 0)
        error_.store(errno, std::memory_order_relaxed);
}

}  // namespace isoplane::link
