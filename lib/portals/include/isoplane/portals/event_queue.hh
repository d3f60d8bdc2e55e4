// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <bit>
#include <memory>
#include <utility>

#include <isoplane/portals/slots.hh>

namespace isoplane::portals {

/// A function of whoever reads the queue, called with each event. The core keeps it, and never calls it.
using EventHandler = void (*)();

/// A ring of events. When it is full the oldest is overwritten, and its reader told so: nothing that arrives
/// ever waits for a reader.
struct EventQueue : Slot {
    /// Room for `count` events and for as many more as a power of two has. Throws std::bad_alloc.
    void open(Size count, EventHandler its_handler) {
        const Size capacity = std::bit_ceil(std::max<Size>(count, 2));
        ring = std::make_unique_for_overwrite<Event[]>(capacity);
        mask = static_cast<Sequence>(capacity - 1);
        // They wrap early, so that nobody gets used to their not doing so.
        write = read = -static_cast<Sequence>(capacity);
        handler = its_handler;
    }

    void post(Event& event) noexcept {
        if (write - read > mask) {
            ++read;
            lost = true;
        }
        event.sequence = write;
        ring[write++ & mask] = event;
    }

    /// kEqDropped when events in front of this one were overwritten.
    Status take(Event& event) noexcept {
        if (write == read) return Status::kEqEmpty;
        event = ring[read++ & mask];
        return std::exchange(lost, false) ? Status::kEqDropped : Status::kOk;
    }

    /// No event is in it, and none is sure to come from what has happened already.
    bool settled() const noexcept { return write == read && promised == 0; }

    std::unique_ptr<Event[]> ring{};
    Sequence mask = 0;
    Sequence write = 0;  ///< the next event's
    Sequence read = 0;
    std::uint64_t promised = 0;  ///< events that will follow those that began an operation
    bool lost = false;
    EventHandler handler = nullptr;
};

}  // namespace isoplane::portals
