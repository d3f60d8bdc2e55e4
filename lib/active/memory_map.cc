// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <isoplane/active/memory_map.hh>
#include <memory>

namespace isoplane::active {

bool MemoryMap::has(std::uintptr_t at, std::size_t size, bool writable) noexcept {
    if (size == 0) return true;
    if (size > UINTPTR_MAX - at) return false;
    if (covers(at, size, writable)) [[likely]]
        return true;
    read();
    return covers(at, size, writable);
}

/// What is only read may lie in several pieces, as some of them may be written too.
bool MemoryMap::covers(std::uintptr_t at, std::size_t size, bool writable) noexcept {
    const std::uintptr_t end = at + size;
    const auto holds = [&](const Range& range) {
        return at >= range.begin && at < range.end && (range.writable || !writable);
    };
    if (last_ < ranges_.size() && holds(ranges_[last_]) && end <= ranges_[last_].end) [[likely]]
        return true;
    auto range = std::upper_bound(ranges_.begin(), ranges_.end(), at,
                                  [](std::uintptr_t value, const Range& r) { return value < r.end; });
    for (; range != ranges_.end() && holds(*range); ++range) {
        last_ = static_cast<std::size_t>(range - ranges_.begin());
        if (end <= range->end) return true;
        at = range->end;
    }
    return false;
}

void MemoryMap::read() noexcept {
    ranges_.clear();
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "r"),
                                                               std::fclose);
    if (maps == nullptr) return;
    char line[512];
    while (std::fgets(line, sizeof line, maps.get()) != nullptr) {
        Range range;
        char rights[5] = {};
        if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &range.begin, &range.end, rights) != 3)
            continue;
        if (rights[0] != 'r') continue;
        range.writable = rights[1] == 'w';
        if (!ranges_.empty() && ranges_.back().end == range.begin &&
            ranges_.back().writable == range.writable) {
            ranges_.back().end = range.end;
        } else {
            ranges_.push_back(range);
        }
    }
}

}  // namespace isoplane::active
