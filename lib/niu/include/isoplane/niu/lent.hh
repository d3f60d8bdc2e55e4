// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_mbuf.h>

#include <algorithm>
#include <cstddef>
#include <isoplane/runtime/packet.hh>
#include <vector>

#include <isoplane/niu/memory.hh>

namespace isoplane::niu {

/// A frame that refers to a user's memory is two packets: one with headers, and one that stands for the
/// memory. This follows such frames to their end: acknowledged, and, where packets are handed over as they
/// are, released by the receiver too. Then the memory may change.
class Lent {
  public:
    /// `most` frames are ever lent at a time.
    Lent(bool by_reference, std::size_t most) : by_reference_(by_reference) {
        if (by_reference_) waiting_.reserve(most);
    }
    ~Lent() { give_up(); }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;

    static Memory::Region& memory_of(const rte_mbuf* frame) noexcept {
        return *static_cast<Memory::Region*>(frame->next->shinfo->fcb_opaque);
    }

    /// The frame has been acknowledged, or its receiver is lost. Takes our reference over.
    void retire(rte_mbuf* frame) noexcept {
        if (by_reference_ && is_read(frame)) {
            waiting_.push_back(frame);
        } else {
            finish(frame);
        }
    }

    /// Looks at some of those that receivers had not released.
    void sweep() noexcept {
        for (std::size_t looks = std::min(waiting_.size(), kLooks); looks > 0; --looks) {
            if (next_ >= waiting_.size()) next_ = 0;
            rte_mbuf* frame = waiting_[next_];
            if (is_read(frame)) {
                ++next_;
                continue;
            }
            waiting_[next_] = waiting_.back();
            waiting_.pop_back();
            finish(frame);
        }
    }

    bool empty() const noexcept { return waiting_.empty(); }
    std::size_t packets() const noexcept { return 2 * waiting_.size(); }

    /// Whoever reads them still has a reference of his own.
    void give_up() noexcept {
        for (rte_mbuf* frame : waiting_)
            finish(frame);
        waiting_.clear();
    }

  private:
    static constexpr std::size_t kLooks = 32;

    /// Receivers give back the header first, then what is behind it.
    static bool is_read(const rte_mbuf* frame) noexcept {
        return runtime::references(frame) != 1 || runtime::references(frame->next) != 1;
    }
    static void finish(rte_mbuf* frame) noexcept {
        memory_of(frame).done();
        rte_pktmbuf_free(frame);
    }

    bool by_reference_;
    std::vector<rte_mbuf*> waiting_;
    std::size_t next_ = 0;
};

}  // namespace isoplane::niu
