// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <vector>

#include <isoplane/portals/event_queue.hh>
#include <isoplane/portals/pieces.hh>

namespace isoplane::portals {

struct MatchEntry;

/// A memory descriptor. While `pending` is not 0 it neither goes nor changes, so its segments may be read and
/// written without the interface's lock.
struct Descriptor : Slot {
    MdSpec spec{};      ///< as its user has given it
    int threshold = 0;  ///< what is left of it
    Segment plain{};
    std::vector<Segment> iovec{};
    Size total = 0;         ///< bytes
    Size local_offset = 0;  ///< where the next request goes, if the MD says so and not the request
    unsigned pending = 0;   ///< operations in progress
    bool inactive = false;
    bool unlink_due = false;  ///< as soon as nothing is pending
    Unlink on_exhaustion = Unlink::kRetain;
    Unlink on_no_fit = Unlink::kRetain;
    MatchEntry* entry = nullptr;
    EventQueue* events = nullptr;

    /// As new, but for what it gets with its next user's spec.
    void clear() noexcept {
        iovec.clear();
        local_offset = 0;
        pending = 0;
        unlink_due = false;
        on_exhaustion = on_no_fit = Unlink::kRetain;
        entry = nullptr;
        events = nullptr;
    }

    bool has(unsigned option) const noexcept { return (spec.options & option) == option; }
    Pieces pieces(Size offset, Size length) const noexcept {
        if (has(kIovec)) return {iovec, offset, length};
        return {{&plain, 1}, offset, length};
    }

    bool tells_start() const noexcept { return events != nullptr && !has(kStartDisable); }
    bool tells_end() const noexcept { return events != nullptr && !has(kEndDisable); }
    /// Whether it tells of what has neither START nor END: ACK and UNLINK.
    bool tells_single() const noexcept { return events != nullptr && !has(kStartDisable | kEndDisable); }
    bool tells_unlink() const noexcept { return tells_single() && !has(kUnlinkDisable); }

    /// What a request of that kind must find enabled is.
    bool serves(unsigned operations) const noexcept { return !inactive && has(operations); }
    /// There is less room than a request may need.
    bool is_exhausted() const noexcept {
        return has(kMaxSize) && !has(kManageRemote) && total - local_offset < spec.max_size;
    }
};

}  // namespace isoplane::portals
