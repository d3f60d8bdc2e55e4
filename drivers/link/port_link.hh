// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_ethdev.h>
#include <rte_ring.h>

#include <isoplane/runtime/counter.hh>
#include <isoplane/runtime/handover.hh>
#include <memory>
#include <optional>

#include "between_bursts.hh"
#include "device.hh"
#include "driver.hh"

namespace isoplane::link {

/// Who counts the bytes that pass a port's queues.
enum class ByteCount : std::uint8_t {
    kDriver,
    kEdge,    ///< the driver's counts are not to be had, or not kept
    kNobody,  ///< neither driver nor edge looks at packets: only pointers move
};

/// The receive queue of a port.
class PortInput final : public runtime::Input {
  public:
    /// `backlog` is the ring behind the queue, if there is one that can be counted. Packets are copied into
    /// mbufs of `copy_to`, unless that is null. `burst` is held through each burst, if there is one.
    PortInput(const std::string& name, std::uint16_t port, ByteCount bytes, const rte_ring* backlog,
              rte_mempool* copy_to, std::mutex* burst)
        : Input(name, bytes == ByteCount::kEdge ? Bytes::kCounted : Bytes::kNotCounted),
          port_(port),
          driver_counts_(bytes == ByteCount::kDriver),
          backlog_(backlog),
          copy_to_(copy_to),
          burst_(burst) {}
    unsigned waiting() const noexcept override;
    std::optional<std::uint64_t> bytes() const override;

    runtime::Counter no_copy;  ///< packets lost because there was no mbuf to copy them to

  private:
    [[gnu::hot]] std::uint16_t do_receive(rte_mbuf** packets, std::uint16_t room) noexcept override {
        const std::uint16_t n = take(packets, room);
        runtime::take_over(packets, n);
        return copy_to_ == nullptr ? n : copy(packets, n);
    }
    std::uint16_t take(rte_mbuf** packets, std::uint16_t room) noexcept {
        if (burst_ == nullptr) return rte_eth_rx_burst(port_, 0, packets, room);
        const std::lock_guard lock(*burst_);
        return rte_eth_rx_burst(port_, 0, packets, room);
    }
    std::uint16_t copy(rte_mbuf** packets, std::uint16_t n) noexcept;

    std::uint16_t port_;
    bool driver_counts_;
    const rte_ring* backlog_;
    rte_mempool* copy_to_;
    std::mutex* burst_;
};

/// The transmit queue of a port. Packets that the port would not send as they are get linearised here, or
/// freed and counted when they are longer than it takes: drivers do either silently or not at all.
class PortOutput final : public runtime::Output {
  public:
    struct Limits {
        bool multi_segment = true;
        unsigned longest = 0;  ///< bytes of a frame; 0: any
    };

    /// `pool` is where linearised copies come from: `limits.longest` fits into one of its mbufs unless
    /// chained packets are sent as they are. `burst` is held through each burst, if there is one.
    PortOutput(const std::string& name, std::uint16_t port, ByteCount bytes, Limits limits, rte_mempool* pool,
               std::mutex* burst = nullptr)
        : Output(name, bytes == ByteCount::kEdge ? Bytes::kCounted : Bytes::kNotCounted),
          port_(port),
          driver_counts_(bytes == ByteCount::kDriver),
          limits_(limits),
          pool_(pool),
          burst_(burst) {}
    std::optional<std::uint64_t> bytes() const override;

    runtime::Counter linearised;
    runtime::Counter oversized;

  private:
    [[gnu::hot]] std::uint16_t do_send(rte_mbuf** packets, std::uint16_t n) noexcept override {
        if (!limits_.multi_segment || limits_.longest != 0) [[unlikely]]
            return send_carefully(packets, n);
        return give(packets, n);
    }
    std::uint16_t give(rte_mbuf** packets, std::uint16_t n) noexcept {
        runtime::hand_over(packets, n);
        if (burst_ == nullptr) return rte_eth_tx_burst(port_, 0, packets, n);
        const std::lock_guard lock(*burst_);
        return rte_eth_tx_burst(port_, 0, packets, n);
    }
    std::uint16_t send_carefully(rte_mbuf** packets, std::uint16_t n) noexcept;
    bool fits(const rte_mbuf* packet) const noexcept {
        return limits_.longest == 0 || packet->pkt_len <= limits_.longest;
    }
    bool linearise(rte_mbuf*& packet) noexcept;

    std::uint16_t port_;
    bool driver_counts_;
    Limits limits_;
    rte_mempool* pool_;
    std::mutex* burst_;
};

/// What a kind knows about its port that the port does not say.
struct PortTraits {
    PortOutput::Limits limits{};
    const rte_ring* backlog = nullptr;
    std::optional<Mac> mac{};         ///< instead of the port's own
    std::string netdev{};             ///< interface of the kernel on which the port depends
    std::vector<std::string> logs{};  ///< of a driver to keep quiet while the port starts, stops and closes
    /// Receives in place of the link's pool, and is copied from. For a driver that does not give back what
    /// it holds when it closes.
    std::shared_ptr<runtime::Pool> own_pool{};
    /// Starts, stops and closes on the EAL's interrupt thread. When a peer goes, the driver unmaps on that
    /// thread what its bursts read, so they are kept apart. Not to go there.
    std::shared_ptr<BetweenBursts> apart{};
    ByteCount bytes = ByteCount::kDriver;
};

/// A link over an ethdev port, queue 0.
class PortLink final : public Link {
  public:
    /// Configures the port. Throws std::runtime_error when it cannot be.
    PortLink(const LinkSpec& spec, const std::string& name, const LinkOptions& options, Device device,
             PortTraits traits);
    ~PortLink() override;

    runtime::Input& input() noexcept override { return input_; }
    runtime::Output& output() noexcept override { return output_; }
    void start() override;
    void stop() override;
    bool up() const override;
    LinkStats stats() const override;
    void clear_stats() override;
    std::uint16_t port_id() const noexcept override { return device_->port(); }

  private:
    void configure(const LinkOptions& options);
    void run(const std::function<void()>& what);  ///< on the thread that the driver needs

    PortTraits traits_;
    std::optional<Device> device_;  ///< until the destructor
    PortInput input_;
    PortOutput output_;
    bool started_ = false;
};

}  // namespace isoplane::link
