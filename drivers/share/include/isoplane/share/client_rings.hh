// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <array>
#include <isoplane/runtime/counter.hh>
#include <isoplane/runtime/edge.hh>
#include <isoplane/runtime/pool.hh>

#include <isoplane/share/area.hh>

namespace isoplane::share {

/// Where a client sends: packets are lent to the node until it has copied them.
class ClientOutput final : public runtime::Output {
  public:
    /// Packets are of `pool`, which is in shared memory; others are copied into one of its packets, and so
    /// are chained ones. One longer than `longest` is freed. No more than half of the pool is lent: who had
    /// none to send would not come here to take them back.
    ClientOutput(const std::string& name, Ring& ring, runtime::Pool& pool, unsigned longest)
        : Output(name),
          ring_(ring),
          pool_(pool),
          longest_(longest),
          depth_(std::min(kSlots, pool.size() / 2)) {}
    ~ClientOutput() override;

    /// The node has all that was sent.
    bool idle() const noexcept { return ring_.done.load(std::memory_order_acquire) == posted_; }
    /// Takes back what is lent, whether the node is done with it or not: when it is gone.
    void reclaim_all() noexcept;
    /// What is lent stays so: the node may still use it.
    void abandon() noexcept { reclaimed_ = posted_; }

    runtime::Counter linearised;
    runtime::Counter oversized;

  private:
    std::uint16_t do_send(rte_mbuf** packets, std::uint16_t n) noexcept override;
    bool prepare(rte_mbuf*& packet) noexcept;
    void reclaim() noexcept;

    Ring& ring_;
    runtime::Pool& pool_;
    unsigned longest_;
    std::uint32_t depth_;
    std::uint32_t posted_ = 0;
    std::uint32_t reclaimed_ = 0;
    std::array<rte_mbuf*, kSlots> lent_{};
};

/// Where a client receives: it keeps packets with the node, for what comes.
class ClientInput final : public runtime::Input {
  public:
    /// `depth` packets of `pool`, which is in shared memory.
    ClientInput(const std::string& name, Ring& ring, runtime::Pool& pool, unsigned depth);
    ~ClientInput() override;

    /// Has packets there from the beginning.
    void post() noexcept;
    unsigned waiting() const noexcept override {
        return ring_.done.load(std::memory_order_relaxed) - received_;
    }
    /// Takes back what is with the node, when that is gone.
    void reclaim_all() noexcept;
    /// What is with the node stays there: it may still write to it.
    void abandon() noexcept { received_ = posted_; }

  private:
    std::uint16_t do_receive(rte_mbuf** packets, std::uint16_t room) noexcept override;

    Ring& ring_;
    runtime::Pool& pool_;
    std::uint32_t depth_;
    std::uint32_t posted_ = 0;
    std::uint32_t received_ = 0;
    std::array<rte_mbuf*, kSlots> lent_{};
};

}  // namespace isoplane::share
