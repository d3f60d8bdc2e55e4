// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_ring.h>

#include <string>

#include <isoplane/runtime/edge.hh>

namespace isoplane::runtime {

/// A single-producer single-consumer rte_ring that joins two stages, on one lcore or on two: the output of
/// the one is the input of the other. Packets inside belong to the ring, which frees what is left in it when
/// it goes.
class Ring {
  public:
    static constexpr unsigned kDefaultSize = 1024;

    /// Holds up to `size` packets. Throws std::runtime_error when the memory is not there or the name is
    /// taken.
    explicit Ring(const std::string& name, unsigned size = kDefaultSize);
    ~Ring();
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;

    Input& input() noexcept { return head_; }
    Output& output() noexcept { return tail_; }
    rte_ring* raw() const noexcept { return ring_; }
    /// Frees what is inside; while neither end is in use. Returns how many packets that were.
    unsigned drain();
    unsigned count() const noexcept { return rte_ring_count(ring_); }

  private:
    class Head final : public Input {
      public:
        Head(const std::string& name, rte_ring* ring) : Input(name), ring_(ring) {}
        unsigned waiting() const noexcept override { return rte_ring_count(ring_); }

      private:
        std::uint16_t do_receive(rte_mbuf** packets, std::uint16_t room) noexcept override;
        rte_ring* ring_;
    };
    class Tail final : public Output {
      public:
        Tail(const std::string& name, rte_ring* ring) : Output(name), ring_(ring) {}

      private:
        std::uint16_t do_send(rte_mbuf** packets, std::uint16_t n) noexcept override;
        rte_ring* ring_;
    };

    rte_ring* ring_;
    Head head_;
    Tail tail_;
};

}  // namespace isoplane::runtime
