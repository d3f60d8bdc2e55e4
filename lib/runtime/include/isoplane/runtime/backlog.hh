// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <cstddef>

#include <isoplane/runtime/edge.hh>

namespace isoplane::runtime {

/// An output together with the rest of a burst that it would not take. A stage that sends through it loses
/// nothing: while there is a rest it takes nothing new, and so pushes back on whoever feeds it.
class Backlog {
  public:
    explicit Backlog(Output& output) : output_(output) {}

    /// Offers the rest again. Returns whether all of it is gone, and with it the way free for a new burst.
    bool flush() noexcept {
        if (begin_ == end_) [[likely]]
            return true;
        begin_ = static_cast<std::uint16_t>(begin_ + output_.send(rest_.data() + begin_, size16()));
        return begin_ == end_;
    }

    /// Sends what goes and keeps the rest. Only after flush() returned true.
    void send(rte_mbuf** packets, std::uint16_t n) noexcept {
        const std::uint16_t sent = output_.send(packets, n);
        if (sent == n) [[likely]]
            return;
        begin_ = 0;
        end_ = static_cast<std::uint16_t>(n - sent);
        std::copy(packets + sent, packets + n, rest_.begin());
    }

    std::size_t size() const noexcept { return size16(); }

    /// Frees the rest. Returns how many packets it was.
    std::size_t discard() noexcept {
        const std::uint16_t n = size16();
        rte_pktmbuf_free_bulk(rest_.data() + begin_, n);
        begin_ = end_ = 0;
        return n;
    }

  private:
    std::uint16_t size16() const noexcept { return static_cast<std::uint16_t>(end_ - begin_); }

    Output& output_;
    Burst rest_{};
    std::uint16_t begin_ = 0;
    std::uint16_t end_ = 0;
};

}  // namespace isoplane::runtime
