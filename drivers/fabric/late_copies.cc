// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/fabric/late_copies.hh>

namespace isoplane::fabric {

// Not zeroed: most ports never have any, and touch none of the memory.
LateCopies::LateCopies() : heap_(std::make_unique_for_overwrite<Entry[]>(kMost)) {}

void LateCopies::push(rte_mbuf* copy, Time due) noexcept {
    heap_[size_++] = {due.time_since_epoch().count(), copy};
    std::push_heap(heap_.get(), heap_.get() + size_, later);
}

rte_mbuf* LateCopies::pop() noexcept {
    std::pop_heap(heap_.get(), heap_.get() + size_, later);
    return heap_[--size_].copy;
}

void LateCopies::clear() noexcept {
    while (size_ != 0)
        rte_pktmbuf_free(heap_[--size_].copy);
}

}  // namespace isoplane::fabric
