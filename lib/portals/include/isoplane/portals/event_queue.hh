// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <bit>
#include <utility>

#include <isoplane/portals/slots.hh>

namespace isoplane::portals {

/// A function of whoever reads the queue, called with each event. The core keeps it, and never calls it.
using EventHandler = void (*)();

/// A ring of events. When it is full the oldest is overwritten, and its reader told so: nothing that arrives
/// ever waits for a reader.
///
/// All of it is the interface's lock's, or that of who is alone with the interface, except what it shows: who
/// polls an empty queue takes no lock, and reads one line that is written only when an event comes or goes.
class EventQueue : public Slot {
  public:
    /// Room for `count` events and for as many more as a power of two has. Throws std::bad_alloc.
    void open(Size count, EventHandler its_handler) {
        const Size capacity = std::bit_ceil(std::max<Size>(count, 2));
        ring_ = std::make_unique_for_overwrite<Event[]>(capacity);
        mask_ = static_cast<Sequence>(capacity - 1);
        // They wrap early, so that nobody gets used to their not doing so.
        write_ = read_ = first_ = -static_cast<Sequence>(capacity);
        handler = its_handler;
        show();
    }
    void clear() noexcept {
        ring_.reset();
        promised = 0;
        lost_ = false;
        shown_.store(kNothing, std::memory_order_release);
    }

    /// The place of the next event, which has its number, for whoever posts it to write the rest. In place,
    /// because copying what has just been written makes the copy wait for the writing.
    Event& next() noexcept {
        if (unread() > mask_) {
            ++read_;
            lost_ = true;
        }
        Event& event = at(write_);
        event.sequence = write_;
        return event;
    }
    void post() noexcept {
        ++write_;
        show();
    }

    /// kEqDropped when events in front of this one were overwritten.
    Status take(Event& event) noexcept {
        const bool dropped = lost_;
        const Event* const next = begin_reading();
        if (next == nullptr) return Status::kEqEmpty;
        event = *next;
        end_reading();
        return dropped ? Status::kEqDropped : Status::kOk;
    }
    /// The same without a copy: the event is taken, and stays in its place until end_reading(), or until as
    /// many have come as there is room for. nullptr when there is none. `lost()` goes before it.
    const Event* begin_reading() noexcept {
        if (write_ == read_) return nullptr;
        lost_ = false;
        const Event& event = at(read_++);
        show();
        return &event;
    }
    /// Empty, it begins again at its first place: one that is read in time stays in the cache, however many
    /// events it has room for.
    void end_reading() noexcept {
        if (write_ == read_) first_ = write_;
    }
    /// Events in front of the next one were overwritten.
    bool lost() const noexcept { return lost_; }
    Sequence unread() const noexcept { return write_ - read_; }

    /// Without the lock: it is there, by this handle, and has no event.
    bool shows_empty(Handle its) const noexcept {
        return shown_.load(std::memory_order_acquire) == face(its, 0);
    }

    /// No event is in it, and none is sure to come from what has happened already.
    bool settled() const noexcept { return write_ == read_ && promised == 0; }

    std::uint64_t promised = 0;  ///< events that will follow those that began an operation
    EventHandler handler = nullptr;

  private:
    static constexpr std::uint64_t kNothing = ~std::uint64_t{0};
    static constexpr std::uint64_t face(Handle handle, Sequence unread) {
        return std::uint64_t{handle} << 32 | unread;
    }
    Event& at(Sequence number) noexcept { return ring_[(number - first_) & mask_]; }
    void show() noexcept { shown_.store(face(handle, unread()), std::memory_order_release); }

    std::unique_ptr<Event[]> ring_{};
    Sequence mask_ = 0;
    Sequence write_ = 0;  ///< the next event's
    Sequence read_ = 0;
    Sequence first_ = 0;  ///< whose place is the first of the ring
    bool lost_ = false;
    alignas(64) std::atomic<std::uint64_t> shown_{kNothing};
};

}  // namespace isoplane::portals
