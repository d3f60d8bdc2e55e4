// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Match entries and event queues come and go.
#include <new>

#include <isoplane/portals/interface.hh>

namespace isoplane::portals {

MatchEntry* Interface::make_entry(Index portal, const MatchSpec& match, MatchEntry* base, Position position,
                                  Status& status) {
    MatchList& list = portals_[portal];
    status = Status::kMeListTooLong;
    if (list.length >= static_cast<unsigned>(std::max(options_.limits.list, 0))) return nullptr;
    MatchEntry* const entry = entries_.take();
    status = entry != nullptr ? Status::kOk : Status::kNoSpace;
    if (entry == nullptr) return nullptr;
    entry->set(match, portal);
    list.insert(*entry, base, position);
    return entry;
}

void Interface::remove(MatchEntry& entry) noexcept {
    portals_[entry.portal].remove(entry);
    entries_.give_back(entry);
}

/// An MD that goes takes its entry along, if that is to be unlinked.
void Interface::remove(Descriptor& md) noexcept {
    if (MatchEntry* const entry = md.entry) {
        entry->md = nullptr;
        if (entry->unlink == Unlink::kUnlink) remove(*entry);
    }
    descriptors_.give_back(md);
}

Status Interface::attach_entry(Index portal, const MatchSpec& match, Position position, Handle& entry) {
    const Lock lock(mutex_);
    if (!is_open_) return Status::kNiInvalid;
    if (portal >= portals_.size()) return Status::kPtIndexInvalid;
    Status status{};
    if (const MatchEntry* made = make_entry(portal, match, nullptr, position, status)) entry = made->handle;
    return status;
}

Status Interface::attach_any_entry(Index& portal, const MatchSpec& match, Handle& entry) {
    const Lock lock(mutex_);
    if (!is_open_) return Status::kNiInvalid;
    const auto empty = std::find_if(portals_.begin(), portals_.end(),
                                    [](const MatchList& list) { return list.length == 0; });
    if (empty == portals_.end()) return Status::kPtFull;
    const auto index = static_cast<Index>(empty - portals_.begin());
    Status status{};
    if (const MatchEntry* made = make_entry(index, match, nullptr, Position::kAfter, status)) {
        portal = index;
        entry = made->handle;
    }
    return status;
}

Status Interface::insert_entry(Handle base, const MatchSpec& match, Position position, Handle& entry) {
    const Lock lock(mutex_);
    MatchEntry* const beside = entries_.find(base);
    if (beside == nullptr) return Status::kMeInvalid;
    Status status{};
    if (const MatchEntry* made = make_entry(beside->portal, match, beside, position, status))
        entry = made->handle;
    return status;
}

Status Interface::unlink_entry(Handle handle) {
    const Lock lock(mutex_);
    MatchEntry* const entry = entries_.find(handle);
    if (entry == nullptr) return Status::kMeInvalid;
    if (entry->md != nullptr) {
        if (entry->md->pending > 0) return Status::kMeInUse;
        descriptors_.give_back(*entry->md);
    }
    remove(*entry);
    return Status::kOk;
}

Status Interface::open_queue(Size count, EventHandler handler, Handle& queue) {
    if (count == 0) {
        queue = kNoQueue;
        return Status::kOk;
    }
    const Lock lock(mutex_);
    if (!is_open_) return Status::kNiInvalid;
    constexpr Size kMostEvents = Size{1} << 31;
    EventQueue* const made = count <= kMostEvents ? queues_.take() : nullptr;
    if (made == nullptr) return Status::kNoSpace;
    try {
        made->open(count, handler);
    } catch (const std::bad_alloc&) {
        queues_.give_back(*made);
        return Status::kNoSpace;
    }
    queue = made->handle;
    return Status::kOk;
}

/// MDs that still have it fall silent.
Status Interface::free_queue(Handle handle) {
    const Lock lock(mutex_);
    EventQueue* const queue = queues_.find(handle);
    if (queue == nullptr) return Status::kEqInvalid;
    descriptors_.for_each([queue](Descriptor& md) {
        if (md.events != queue) return;
        md.events = nullptr;
        md.spec.eq = kNoQueue;
    });
    queues_.give_back(*queue);
    changed();
    return Status::kOk;
}

Status Interface::take(std::span<const Handle> queues, Event& event, std::size_t& which,
                       EventHandler& handler) {
    const auto shows_empty = [this](Handle queue) {
        const EventQueue* const place = queues_.place_of(queue);
        return place != nullptr && place->shows_empty(queue);
    };
    if (std::all_of(queues.begin(), queues.end(), shows_empty)) return Status::kEqEmpty;
    const Lock lock(mutex_);
    for (which = 0; which < queues.size(); ++which) {
        if (queues_.find(queues[which]) == nullptr) return Status::kEqInvalid;
    }
    for (which = 0; which < queues.size(); ++which) {
        EventQueue& queue = *queues_.find(queues[which]);
        const Status status = queue.take(event);
        if (status == Status::kEqEmpty) continue;
        handler = queue.handler;
        return status;
    }
    return Status::kEqEmpty;
}

Status Interface::count_events(Handle handle, Size& count) {
    const Lock lock(mutex_);
    const EventQueue* const queue = queues_.find(handle);
    if (queue == nullptr) return Status::kEqInvalid;
    count = queue->unread();
    return Status::kOk;
}

}  // namespace isoplane::portals
