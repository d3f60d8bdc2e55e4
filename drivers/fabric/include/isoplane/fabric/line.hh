// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

#include <isoplane/runtime/packet.hh>
#include <isoplane/runtime/time.hh>

namespace isoplane::fabric {

/// Frames waiting to leave, first in first out, each with the time when it may. Owns them. Holds a fixed
/// number.
class Line {
  public:
    using Time = runtime::Time;

    /// Room for `capacity` frames at least.
    explicit Line(unsigned capacity);
    ~Line() { clear(); }
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    unsigned size() const noexcept { return tail_ - head_; }
    unsigned capacity() const noexcept { return mask_ + 1; }

    /// Only while there is room. `due` must not be before that of the frame ahead. `late` is kept for
    /// pop().
    void push(rte_mbuf* frame, Time due, bool late) noexcept {
        frames_[tail_ & mask_] = frame;
        notes_[tail_ & mask_] = {nanoseconds(due), late};
        ++tail_;
    }

    /// When the first may leave; Time::max() when there is none.
    Time first_due() const noexcept {
        return size() == 0 ? Time::max() : Time{runtime::Duration{notes_[head_ & mask_].due}};
    }

    /// The first frames that may leave now, up to a burst: a view until the next push() or pop(). A shorter
    /// view than there are frames due is possible where the line wraps.
    std::span<rte_mbuf*> due(Time now) noexcept {
        const unsigned first = head_ & mask_;
        const unsigned most = std::min({size(), capacity() - first, unsigned{runtime::kBurst}});
        unsigned n = 0;
        while (n < most && notes_[first + n].due <= nanoseconds(now))
            ++n;
        return {frames_.get() + first, n};
    }

    /// Forgets the first `n` frames, which have left. Returns how many of them were late.
    unsigned pop(unsigned n) noexcept;

    /// All may leave at once.
    void release() noexcept;

    /// Frees all. Returns how many that were.
    std::size_t clear() noexcept;

  private:
    /// Trivial, unlike Time, so that it need not be initialised.
    struct Note {
        Time::rep due;
        bool late;
    };

    static Time::rep nanoseconds(Time t) noexcept { return t.time_since_epoch().count(); }

    unsigned mask_;
    unsigned head_ = 0;
    unsigned tail_ = 0;
    // Apart, because outputs take arrays of frames.
    std::unique_ptr<rte_mbuf*[]> frames_;
    std::unique_ptr<Note[]> notes_;
};

}  // namespace isoplane::fabric
