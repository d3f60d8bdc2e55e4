// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <vector>

namespace isoplane::runtime {

/// A queue that grows to the most it ever held, and from then on allocates nothing.
template <typename T>
class Fifo {
  public:
    bool empty() const noexcept { return head_ == tail_; }
    std::size_t size() const noexcept { return tail_ - head_; }

    void push(const T& value) {
        if (size() == ring_.size()) grow();
        ring_[tail_++ & (ring_.size() - 1)] = value;
    }
    /// Only while not empty, as back() and pop().
    T& front() noexcept { return ring_[head_ & (ring_.size() - 1)]; }
    T& back() noexcept { return ring_[(tail_ - 1) & (ring_.size() - 1)]; }
    const T& front() const noexcept { return ring_[head_ & (ring_.size() - 1)]; }
    /// One that is emptied begins at its front again, which is in the cache.
    void pop() noexcept {
        if (++head_ == tail_) head_ = tail_ = 0;
    }
    /// From the first to the last.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t i = head_; i != tail_; ++i)
            visit(ring_[i & (ring_.size() - 1)]);
    }

  private:
    void grow() {
        std::vector<T> larger(ring_.size() * 2);
        for (std::size_t i = head_; i != tail_; ++i)
            larger[i & (larger.size() - 1)] = ring_[i & (ring_.size() - 1)];
        ring_.swap(larger);
    }

    std::vector<T> ring_ = std::vector<T>(16);  ///< its size stays a power of two
    std::size_t head_ = 0;
    std::size_t tail_ = 0;
};

}  // namespace isoplane::runtime
