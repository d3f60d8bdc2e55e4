// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace isoplane::runtime {

/// A queue that grows to the most it ever held, and from then on allocates nothing. One that never held
/// anything has no memory: a host keeps queues for each that it may hear from.
template <typename T>
class Fifo {
  public:
    bool empty() const noexcept { return head_ == tail_; }
    std::size_t size() const noexcept { return tail_ - head_; }

    /// For so many at least.
    void reserve(std::size_t places) {
        while (mask_ + 1 < places)
            grow();
    }
    void push(const T& value) { next() = value; }
    /// A place behind the last for what is written there at once, member by member. It holds what it held
    /// before. Copied from elsewhere, all of it would be read just after it was written, by loads that are
    /// wider than the stores: these wait until all stores so far have left the CPU.
    T& next() {
        if (size() == mask_ + 1) [[unlikely]]
            grow();
        return ring_[tail_++ & mask_];
    }
    /// Only while not empty, as back() and pop().
    T& front() noexcept { return ring_[head_ & mask_]; }
    T& back() noexcept { return ring_[(tail_ - 1) & mask_]; }
    const T& front() const noexcept { return ring_[head_ & mask_]; }
    const T& back() const noexcept { return ring_[(tail_ - 1) & mask_]; }
    /// The one that many behind the front. Only where there is one.
    T& operator[](std::size_t behind) noexcept { return ring_[(head_ + behind) & mask_]; }
    const T& operator[](std::size_t behind) const noexcept { return ring_[(head_ + behind) & mask_]; }
    /// One that is emptied begins at its front again, which is in the cache.
    void pop() noexcept {
        if (++head_ == tail_) head_ = tail_ = 0;
    }
    void swap(Fifo& other) noexcept {
        std::swap(mask_, other.mask_);
        std::swap(head_, other.head_);
        std::swap(tail_, other.tail_);
        ring_.swap(other.ring_);
    }
    /// From the first to the last.
    template <typename Visit>
    void for_each(Visit&& visit) {
        for (std::size_t i = head_; i != tail_; ++i)
            visit(ring_[i & mask_]);
    }
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t i = head_; i != tail_; ++i)
            visit(ring_[i & mask_]);
    }

  private:
    [[gnu::noinline]] void grow() {
        const std::size_t mask = ring_ ? 2 * mask_ + 1 : kFirst - 1;
        auto larger = std::make_unique<T[]>(mask + 1);
        for (std::size_t i = head_; i != tail_; ++i)
            larger[i & mask] = std::move(ring_[i & mask_]);
        ring_ = std::move(larger);
        mask_ = mask;
    }

    static constexpr std::size_t kFirst = 16;

    std::size_t mask_ = SIZE_MAX;  ///< the places, a power of two or none, less 1
    std::size_t head_ = 0;
    std::size_t tail_ = 0;
    std::unique_ptr<T[]> ring_;
};

}  // namespace isoplane::runtime
