// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>

#include <isoplane/niu/sequence.hh>

namespace isoplane::niu {

/// Credit that a receiver gives one sender: how many frames it may have sent in all. A frame uses up one, and
/// returns one when its last message has been released; so never more than `window` of them need memory.
class Grant {
  public:
    explicit Grant(std::uint32_t window) noexcept : window_(window), told_(window) {}

    /// The first sequence number that may not be sent.
    Sequence limit() const noexcept { return released_ + window_; }
    void release() noexcept { ++released_; }

    /// A quarter of the window has come back since the sender was last told.
    bool worth_telling() const noexcept { return limit() - told_ >= (window_ + 3) / 4; }
    void told() noexcept { told_ = limit(); }

    std::uint32_t released() const noexcept { return released_; }
    /// For a new stream that begins with that number.
    void reset(Sequence first = 0) noexcept {
        released_ = first;
        told();
    }

  private:
    std::uint32_t window_;
    std::uint32_t released_ = 0;
    std::uint32_t told_;
};

/// Credit at its user, the sender.
class Allowance {
  public:
    bool covers(Sequence next) const noexcept { return before(next, limit_); }
    Sequence limit() const noexcept { return limit_; }

    /// Being cumulative, an older grant that comes late says nothing. Returns whether this one is more.
    bool raise(Sequence limit) noexcept {
        if (!before(limit_, limit)) return false;
        limit_ = limit;
        return true;
    }
    void reset(Sequence limit) noexcept { limit_ = limit; }

  private:
    Sequence limit_ = 0;
};

}  // namespace isoplane::niu
