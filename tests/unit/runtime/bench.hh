// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <gtest/gtest.h>

#include <isoplane/runtime/pool.hh>
#include <isoplane/runtime/ring.hh>

namespace isoplane::runtime {

/// A pool that must be full again when the test ends.
class RuntimeTest : public testing::Test {
  protected:
    static constexpr unsigned kPackets = 1023;

    ~RuntimeTest() override { EXPECT_EQ(pool_.in_use(), 0U); }

    /// A packet of `size` bytes, owned by the caller.
    rte_mbuf* make(std::uint16_t size = 60) {
        rte_mbuf* m = pool_.packet().release();
        rte_pktmbuf_append(m, size);
        return m;
    }

    Pool pool_{"test", kPackets, Pool::kDefaultRoom, 0};
};

/// Takes a settled number of packets of each burst and frees them.
class Drain final : public Output {
  public:
    Drain() : Output("drain") {}
    std::uint16_t room = kBurst;

  private:
    std::uint16_t do_send(rte_mbuf** packets, std::uint16_t n) noexcept override {
        const std::uint16_t taken = std::min(n, room);
        rte_pktmbuf_free_bulk(packets, taken);
        return taken;
    }
};

}  // namespace isoplane::runtime
