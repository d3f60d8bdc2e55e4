// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <pcap/pcap.h>

#include <atomic>
#include <isoplane/runtime/counter.hh>
#include <memory>
#include <vector>

#include "driver.hh"

namespace isoplane::link {

struct PcapClose {
    void operator()(pcap_t* handle) const noexcept { pcap_close(handle); }
};
struct DumpClose {
    void operator()(pcap_dumper_t* dumper) const noexcept { pcap_dump_close(dumper); }
};
using PcapHandle = std::unique_ptr<pcap_t, PcapClose>;
using PcapDumper = std::unique_ptr<pcap_dumper_t, DumpClose>;

/// Yields the records of a capture file, once. A record for which there is no mbuf waits for one.
class PcapInput final : public runtime::Input {
  public:
    /// `file` may be null: then there is nothing to yield.
    PcapInput(const std::string& name, PcapHandle file, rte_mempool* pool)
        : Input(name), file_(std::move(file)), pool_(pool), ended_(file_ == nullptr) {}

    bool ended() const noexcept { return ended_.load(std::memory_order_relaxed); }
    /// Why the file could not be read to its end, or empty. To be called when ended().
    std::string failure() const {
        return failed_.load(std::memory_order_relaxed) ? pcap_geterr(file_.get()) : "";
    }

    runtime::Counter records;      ///< read so far; never cleared
    runtime::Counter missed_pool;  ///< times that there was no mbuf
    runtime::Counter cut;          ///< records that hold less than the whole frame

  private:
    std::uint16_t do_receive(rte_mbuf** packets, std::uint16_t room) noexcept override;
    bool next_record() noexcept;
    rte_mbuf* packet_of_record() noexcept;

    PcapHandle file_;
    rte_mempool* pool_;
    pcap_pkthdr* header_ = nullptr;
    const std::uint8_t* bytes_ = nullptr;  ///< of the record read but not yielded, or nullptr
    std::atomic<bool> ended_;
    std::atomic<bool> failed_{false};
};

/// Writes packets to a capture file and frees them; without a file it only frees them.
class PcapOutput final : public runtime::Output {
  public:
    /// `dead` is what `file` was opened on. Both may be null.
    PcapOutput(const std::string& name, PcapHandle dead, PcapDumper file)
        : Output(name), dead_(std::move(dead)), file_(std::move(file)), piece_(file_ ? kLongest : 0) {}

    static constexpr unsigned kLongest = 65535;

    void flush() noexcept;
    /// The errno of the write that failed, or 0.
    int error() const noexcept { return error_.load(std::memory_order_relaxed); }

    runtime::Counter failed;  ///< packets that did not get into the file
    runtime::Counter oversized;

  private:
    std::uint16_t do_send(rte_mbuf** packets, std::uint16_t n) noexcept override;
    void write(const rte_mbuf* packet, const timeval& now) noexcept;

    PcapHandle dead_;
    PcapDumper file_;
    std::vector<std::uint8_t> piece_;  ///< where a chained packet is put together
    std::atomic<int> error_{0};
};

}  // namespace isoplane::link
