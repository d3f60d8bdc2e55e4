// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_mbuf.h>

#include <bit>
#include <cstdint>
#include <vector>

#include <isoplane/niu/sequence.hh>

namespace isoplane::niu {

enum class Arrival : std::uint8_t {
    kInOrder,    ///< the frame awaited: the caller hands it up, then what take() has
    kEarly,      ///< kept until those before it are there
    kDuplicate,  ///< has been here already; the caller frees it
    kBeyond,     ///< more than was granted; the caller frees it
};

/// The receiving end of a stream: which frame is awaited, and those that came before their turn, each at its
/// place in a ring.
class ReceiveWindow {
  public:
    /// `size` is a power of two, and at least the credit that the sender is given.
    explicit ReceiveWindow(unsigned size) : ring_(size), mask_(size - 1) {}

    /// `limit` is the first sequence number not granted. Takes the frame over if it is kEarly, and counts it
    /// as arrived if it is kInOrder.
    Arrival accept(Sequence sequence, rte_mbuf* frame, Sequence limit) noexcept {
        if (sequence == expected_ && before(sequence, limit)) [[likely]] {
            ++expected_;
            return Arrival::kInOrder;
        }
        if (before(sequence, expected_)) return Arrival::kDuplicate;
        if (!before(sequence, limit)) return Arrival::kBeyond;
        rte_mbuf*& place = ring_[sequence & mask_];
        if (place != nullptr) return Arrival::kDuplicate;
        place = frame;
        ++early_;
        return Arrival::kEarly;
    }

    /// The frame awaited if it had come early, and then the next is awaited; else nullptr.
    rte_mbuf* take() noexcept {
        if (early_ == 0) [[likely]]
            return nullptr;
        rte_mbuf*& place = ring_[expected_ & mask_];
        rte_mbuf* frame = place;
        if (frame == nullptr) return nullptr;
        place = nullptr;
        --early_;
        ++expected_;
        return frame;
    }

    Sequence expected() const noexcept { return expected_; }
    unsigned early() const noexcept { return early_; }

    /// Bit i: frame expected() + 1 + i is here.
    std::uint64_t selective() const noexcept {
        if (early_ == 0) [[likely]]
            return 0;
        std::uint64_t bits = 0;
        for (unsigned i = 0; i < 64 && i < mask_; ++i)
            bits |= std::uint64_t{ring_[(expected_ + 1 + i) & mask_] != nullptr} << i;
        return bits;
    }

    /// Starts a new stream, with that number. Returns how many frames it freed.
    unsigned reset(Sequence first = 0) noexcept {
        const unsigned freed = early_;
        for (rte_mbuf*& place : ring_) {
            rte_pktmbuf_free(place);
            place = nullptr;
        }
        early_ = 0;
        expected_ = first;
        return freed;
    }

  private:
    std::vector<rte_mbuf*> ring_;
    Sequence mask_;
    Sequence expected_ = 0;
    unsigned early_ = 0;
};

}  // namespace isoplane::niu
