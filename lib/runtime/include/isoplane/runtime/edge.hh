// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <isoplane/runtime/counter.hh>
#include <isoplane/runtime/packet.hh>

namespace isoplane::runtime {

/// Looks at the packets that pass an edge, on the lcore that moves them; it may copy them but neither keeps
/// nor changes them. Capture is one. In two steps, because an output knows only afterwards how many it got
/// rid of.
class Tap {
  public:
    virtual void see(rte_mbuf* const* packets, std::uint16_t n) noexcept = 0;
    /// Of the packets just seen only the first `n` passed; the rest will be seen again.
    virtual void settle(std::uint16_t n) noexcept = 0;

  protected:
    ~Tap() = default;
};

/// What both ends of a stage have: a name, counts, and a place for a tap.
///
/// An edge belongs to the lcore of the stage that uses it: everything but the counters and the name is
/// touched only there, or while that lcore is stopped, or through its mailbox.
class Edge {
  public:
    /// Adding up lengths touches every packet. On a path that does not look at them that costs a third of its
    /// speed, and drivers that do look count bytes themselves.
    enum class Bytes : std::uint8_t { kCounted, kNotCounted };

    explicit Edge(std::string name, Bytes bytes = Bytes::kCounted)
        : name_(std::move(name)), counts_bytes_(bytes == Bytes::kCounted) {
        need(kByteCount, counts_bytes_);
    }
    Edge(const Edge&) = delete;
    Edge& operator=(const Edge&) = delete;

    const std::string& name() const noexcept { return name_; }
    const Counter& packets() const noexcept { return packets_; }
    /// Nothing where nobody counts them.
    virtual std::optional<std::uint64_t> bytes() const {
        return counts_bytes_ ? std::optional(bytes_.get()) : std::nullopt;
    }
    void clear_counters() noexcept {
        packets_.set(0);
        bytes_.set(0);
    }

    /// Not owned; nullptr takes it off. Costs nothing while there is none.
    void set_tap(Tap* tap) noexcept {
        tap_ = tap;
        need(kTap, tap != nullptr);
    }

  protected:
    virtual ~Edge() = default;

    /// What keeps a burst from simply passing: one test finds that there is none of it.
    enum Need : std::uint8_t { kByteCount = 1, kTap = 2, kClosed = 4 };
    bool needs_nothing() const noexcept { return needs_ == 0; }
    bool needs(Need what) const noexcept { return (needs_ & what) != 0; }
    void need(Need what, bool yes) noexcept {
        needs_ = static_cast<std::uint8_t>(yes ? needs_ | what : needs_ & ~what);
    }

    void count(std::uint16_t n) noexcept { packets_.add(n); }
    void count_bytes(std::uint64_t bytes) noexcept { bytes_.add(bytes); }
    Tap& tap() const noexcept { return *tap_; }

    static std::uint64_t total_length(rte_mbuf* const* packets, std::uint16_t n) noexcept {
        std::uint64_t bytes = 0;
        for (std::uint16_t i = 0; i < n; ++i)
            bytes += packets[i]->pkt_len;
        return bytes;
    }

  private:
    std::string name_;
    Tap* tap_ = nullptr;
    Counter packets_;
    Counter bytes_;
    std::uint8_t needs_ = 0;
    bool counts_bytes_;  ///< as `needs_` says, which only the lcore may ask
};

/// Where a stage takes packets from: a link's receive queue, a ring, or a queue of the simulator.
class Input : public Edge {
  public:
    using Edge::Edge;
    ~Input() override = default;

    /// Takes up to `room` packets, which the caller owns from here. Returns how many.
    std::uint16_t receive(rte_mbuf** packets, std::uint16_t room) noexcept {
        if (!needs_nothing()) return receive_with_care(packets, room);
        const std::uint16_t n = do_receive(packets, room);
        count(n);
        return n;
    }
    std::uint16_t receive(Burst& burst) noexcept { return receive(burst.data(), kBurst); }

    /// A closed input yields nothing; what waits behind it stays there. Closing the links first is how a node
    /// comes to rest.
    void set_closed(bool closed) noexcept { need(kClosed, closed); }

    /// Packets waiting here that would be lost if the input went away, as far as they can be counted.
    virtual unsigned waiting() const noexcept { return 0; }

  private:
    virtual std::uint16_t do_receive(rte_mbuf** packets, std::uint16_t room) noexcept = 0;
    std::uint16_t receive_with_care(rte_mbuf** packets, std::uint16_t room) noexcept;
};

/// Where a stage puts packets: a link's transmit queue, a ring, or a queue of the simulator.
class Output : public Edge {
  public:
    using Edge::Edge;
    ~Output() override = default;

    /// Takes the first packets of the burst and returns how many; the others stay with the caller.
    std::uint16_t send(rte_mbuf** packets, std::uint16_t n) noexcept {
        if (!needs_nothing()) return send_with_care(packets, n);
        const std::uint16_t sent = do_send(packets, n);
        count(sent);
        return sent;
    }

  private:
    virtual std::uint16_t do_send(rte_mbuf** packets, std::uint16_t n) noexcept = 0;
    std::uint16_t send_with_care(rte_mbuf** packets, std::uint16_t n) noexcept;
};

}  // namespace isoplane::runtime
