// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <mutex>

namespace isoplane::link {

/// Keeps the EAL's interrupt thread and the bursts of a link apart, for a driver that takes away on that
/// thread what its bursts use. Whoever has an event for that thread waits until no burst is under way, and
/// bursts wait until all events have been handled.
class BetweenBursts {
  public:
    BetweenBursts();
    ~BetweenBursts();
    BetweenBursts(const BetweenBursts&) = delete;
    BetweenBursts& operator=(const BetweenBursts&) = delete;

    /// Held through each burst.
    std::mutex& burst() noexcept { return burst_; }

  private:
    std::mutex burst_;
};

}  // namespace isoplane::link
