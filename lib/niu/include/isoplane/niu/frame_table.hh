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
    using Id = std::uint32_t;

    rte_mbuf* packet = nullptr;
    const std::byte* unread = nullptr;  ///< the header of the message that is next
    /// The body of its one message, where that is not behind the header: then what is unread is only so long.
    const std::byte* apart = nullptr;
    std::uint32_t left = 0;   ///< bytes that are unread
    std::uint32_t holds = 0;  ///< messages under way to their users, and one while it is being read
    Id id = 0;
    std::uint16_t source = 0;
    bool begun = false;  ///< some of it has been read

    void skip(std::size_t bytes) noexcept {
        unread += bytes;
        left -= static_cast<std::uint32_t>(bytes);
        begun = true;
    }
};

/// The received frames that users hold, and the order in which they came. As many as credit has been given
/// for, so there is always a place.
class FrameTable {
  public:
    using Id = ReceivedFrame::Id;

    /// Packets are those of `pool`, mostly.
    FrameTable(unsigned capacity, rte_mempool* pool)
        : bin_(pool), frames_(capacity), free_(capacity), queue_(std::bit_ceil(capacity)) {
        for (unsigned i = 0; i < capacity; ++i) {
            frames_[i].id = i;
            free_[i] = capacity - 1 - i;
        }
        free_count_ = capacity;
    }

    /// Takes the packet over, with one hold.
    void push(rte_mbuf* packet, std::span<const std::byte> payload, const std::byte* apart,
              std::uint16_t source) noexcept {
        const Id id = free_[--free_count_];
        ReceivedFrame& frame = frames_[id];
        frame = {packet, payload.data(), apart, static_cast<std::uint32_t>(payload.size()), 1, id, source};
        queue_[tail_++ & mask_] = id;
        if (front_ == nullptr) front_ = &frame;
    }

    /// The one that came first of those that have not been read to their ends, or nullptr.
    ReceivedFrame* front() noexcept { return front_; }
    const ReceivedFrame* front() const noexcept { return front_; }
    /// That one has been.
    void pop() noexcept {
        front_ = nullptr;
        if (++head_ == tail_) return;
        front_ = &frames_[queue_[head_ & mask_]];
        // Of the next packet, which on a link of rings its sender may just have given back, too.
        runtime::prefetch_to_write(front_->packet);
    }

    ReceivedFrame& operator[](Id id) noexcept { return frames_[id]; }
    /// Of a packet that is to be given back.
    void prefetch(Id id) const noexcept { runtime::prefetch_to_write(frames_[id].packet); }

    /// Packets of frames that were released go back to their pool together, at the latest now.
    void flush() noexcept { bin_.flush(); }

    /// Gives one hold back. Returns whether that was the last, and the packet with it freed.
    bool release(ReceivedFrame& frame) noexcept {
        if (--frame.holds != 0) return false;
        bin_.put(frame.packet);
        free_[free_count_++] = frame.id;
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
    ReceivedFrame* front_ = nullptr;
};

}  // namespace isoplane::niu
