// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_mbuf.h>

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include <isoplane/niu/packets.hh>

namespace isoplane::niu {

/// A frame that has arrived in order, until the last of its messages has been released.
struct ReceivedFrame {
    rte_mbuf* packet = nullptr;
    std::span<const std::byte> payload{};
    /// The body of its one message, where that is not behind the header: then the payload is only so long.
    const std::byte* apart = nullptr;
    std::uint32_t holds = 0;  ///< messages under way to their users, and one while it is being read
    std::uint16_t source = 0;
};

/// The received frames that users hold, and the order in which they came. As many as credit has been given
/// for, so there is always a place.
class FrameTable {
  public:
    using Id = std::uint32_t;

    /// Packets are those of `pool`, mostly.
    FrameTable(unsigned capacity, rte_mempool* pool)
        : bin_(pool), frames_(capacity), free_(capacity), queue_(std::bit_ceil(capacity)) {
        for (unsigned i = 0; i < capacity; ++i)
            free_[i] = capacity - 1 - i;
        free_count_ = capacity;
    }

    /// Takes the packet over, with one hold.
    void push(rte_mbuf* packet, std::span<const std::byte> payload, const std::byte* apart,
              std::uint16_t source) noexcept {
        const Id id = free_[--free_count_];
        frames_[id] = {packet, payload, apart, 1, source};
        queue_[tail_++ & mask_] = id;
    }

    bool empty() const noexcept { return head_ == tail_; }
    /// The frame that came first. Only while not empty.
    Id front() const noexcept { return queue_[head_ & mask_]; }
    /// The same, for reading.
    Id pop() noexcept {
        const Id id = front();
        ++head_;
        // Of the next packet, which on a link of rings its sender may just have given back, too.
        if (!empty()) runtime::prefetch_to_write(frames_[front()].packet);
        return id;
    }

    ReceivedFrame& operator[](Id id) noexcept { return frames_[id]; }
    const ReceivedFrame& operator[](Id id) const noexcept { return frames_[id]; }
    /// Of a packet that is to be given back.
    void prefetch(Id id) const noexcept { runtime::prefetch_to_write(frames_[id].packet); }

    /// Packets of frames that were released go back to their pool together, at the latest now.
    void flush() noexcept { bin_.flush(); }

    /// Gives one hold back. Returns whether that was the last, and the packet with it freed.
    bool release(Id id) noexcept {
        if (--frames_[id].holds != 0) return false;
        bin_.put(frames_[id].packet);
        free_[free_count_++] = id;
        return true;
    }

    unsigned capacity() const noexcept { return static_cast<unsigned>(frames_.size()); }
    unsigned in_use() const noexcept { return capacity() - free_count_; }
    bool full() const noexcept { return free_count_ == 0; }

  private:
    PacketBin bin_;
    std::vector<ReceivedFrame> frames_;
    std::vector<Id> free_;  ///< a stack: the place used last is the warmest
    std::vector<Id> queue_;
    unsigned mask_ = static_cast<unsigned>(queue_.size()) - 1;
    unsigned free_count_;
    unsigned head_ = 0;
    unsigned tail_ = 0;
};

}  // namespace isoplane::niu
