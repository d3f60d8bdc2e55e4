// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <memory>

#include <isoplane/runtime/packet.hh>
#include <isoplane/runtime/time.hh>

namespace isoplane::fabric {

/// Copies of frames that are to come long after them, each at its time. Owns them. Holds a fixed number.
class LateCopies {
  public:
    using Time = runtime::Time;

    static constexpr unsigned kMost = 256;

    LateCopies();
    ~LateCopies() { clear(); }
    LateCopies(const LateCopies&) = delete;
    LateCopies& operator=(const LateCopies&) = delete;

    unsigned size() const noexcept { return size_; }
    bool full() const noexcept { return size_ == kMost; }

    /// Only while it is not full.
    void push(rte_mbuf* copy, Time due) noexcept;

    /// When the next comes; Time::max() when there is none.
    Time first_due() const noexcept {
        return size_ == 0 ? Time::max() : Time{runtime::Duration{heap_[0].due}};
    }
    /// The next, which is the caller's from then on. Only while there is one.
    rte_mbuf* pop() noexcept;

    void clear() noexcept;

  private:
    /// Trivial, so that it need not be initialised.
    struct Entry {
        Time::rep due;
        rte_mbuf* copy;
    };
    static bool later(const Entry& a, const Entry& b) noexcept { return a.due > b.due; }

    unsigned size_ = 0;
    std::unique_ptr<Entry[]> heap_;
};

}  // namespace isoplane::fabric
