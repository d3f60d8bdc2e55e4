// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <atomic>
#include <cstdint>

namespace isoplane::runtime {

/// A count with one writer and any number of readers: adding costs what a plain integer costs, and a reader
/// on another lcore sees a whole value, if an old one.
class Counter {
  public:
    void add(std::uint64_t n = 1) noexcept {
        value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
    void set(std::uint64_t n) noexcept { value_.store(n, std::memory_order_relaxed); }
    std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> value_{0};
};

}  // namespace isoplane::runtime
