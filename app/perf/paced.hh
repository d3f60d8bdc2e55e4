// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_cycles.h>

#include <algorithm>
#include <array>
#include <isoplane/runtime/edge.hh>
#include <isoplane/runtime/packet.hh>

namespace isoplane::perf {

/// An output that takes what a wire of some bits a second carries, and gives it to another at once: links in
/// memory are faster than any. As much as a NIC's queue holds may be ahead of the wire.
class PacedOutput final : public runtime::Output {
  public:
    PacedOutput(runtime::Output& to, double bits_per_second)
        : Output("wire", Bytes::kNotCounted),
          to_(to),
          ticks_per_byte_(8 * static_cast<double>(rte_get_tsc_hz()) / bits_per_second),
          ahead_(ticks_per_byte_ * kQueued) {}

  private:
    static constexpr double kQueued = 65536;  ///< bytes
    static constexpr double kAround = 24;     ///< of a frame: preamble, check sequence and gap

    std::uint16_t do_send(rte_mbuf** packets, std::uint16_t n) noexcept override {
        const auto now = static_cast<double>(rte_rdtsc());
        std::array<double, runtime::kBurst + 1> free_at;  // when the wire is, after so many of them
        free_at[0] = std::max(free_at_, now);
        const std::uint16_t most = std::min<std::uint16_t>(n, runtime::kBurst);
        std::uint16_t carried = 0;
        for (; carried < most && free_at[carried] < now + ahead_; ++carried)
            free_at[carried + 1U] =
                free_at[carried] + ticks_per_byte_ * (packets[carried]->pkt_len + kAround);
        const std::uint16_t sent = carried == 0 ? carried : to_.send(packets, carried);
        free_at_ = free_at[sent];
        return sent;
    }

    runtime::Output& to_;
    double ticks_per_byte_;
    double ahead_;  ///< ticks
    double free_at_ = 0;
};

}  // namespace isoplane::perf
