// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <bit>
#include <isoplane/fabric/line.hh>

namespace isoplane::fabric {

// Not zeroed: a line that never fills up never touches most of its memory.
Line::Line(unsigned capacity)
    : mask_(std::bit_ceil(capacity) - 1),
      frames_(std::make_unique_for_overwrite<rte_mbuf*[]>(mask_ + 1)),
      notes_(std::make_unique_for_overwrite<Note[]>(mask_ + 1)) {}

unsigned Line::pop(unsigned n) noexcept {
    unsigned late = 0;
    for (unsigned i = 0; i < n; ++i)
        late += notes_[head_++ & mask_].late ? 1U : 0U;
    // Starting over keeps a line that is mostly empty within a few cache lines.
    if (head_ == tail_) head_ = tail_ = 0;
    return late;
}

void Line::release() noexcept {
    for (unsigned i = head_; i != tail_; ++i)
        notes_[i & mask_].due = nanoseconds(Time::min());
}

std::size_t Line::clear() noexcept {
    const std::size_t freed = size();
    for (; head_ != tail_; ++head_)
        rte_pktmbuf_free(frames_[head_ & mask_]);
    return freed;
}

}  // namespace isoplane::fabric
