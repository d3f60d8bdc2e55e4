// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/portals/slots.hh>

namespace isoplane::portals {

struct Descriptor;

/// Whom and what an entry matches.
struct MatchSpec {
    ProcessId id = kAnyone;
    Bits bits = 0;
    Bits ignore = 0;  ///< a 1 where the bits may be anything
    Unlink unlink = Unlink::kRetain;
};

/// A cache line, because whoever searches a list reads each of its entries.
struct alignas(64) MatchEntry : Slot {
    void set(const MatchSpec& spec, Index its_portal) noexcept {
        unlink = spec.unlink;
        portal = static_cast<std::uint16_t>(its_portal);
        id = spec.id;
        bits = spec.bits;
        ignore = spec.ignore;
    }
    /// Its place in a list is that of the next, and so is what it matches.
    void clear() noexcept { md = nullptr; }
    bool matches(const ProcessId& initiator, Bits request) const noexcept {
        return ((bits ^ request) & ~ignore) == 0 && (id.nid == kAny || id.nid == initiator.nid) &&
               (id.pid == kAny || id.pid == initiator.pid);
    }

    Unlink unlink = Unlink::kRetain;
    std::uint16_t portal = 0;
    Bits bits = 0;
    Bits ignore = 0;
    ProcessId id = kAnyone;
    MatchEntry* after = nullptr;
    MatchEntry* before = nullptr;
    Descriptor* md = nullptr;
};
static_assert(sizeof(MatchEntry) == 64);

/// What a portal is: entries in the order in which they are tried.
struct MatchList {
    MatchEntry* head = nullptr;
    MatchEntry* tail = nullptr;
    unsigned length = 0;

    /// Before or behind `base`; without one, at an end of the list.
    void insert(MatchEntry& entry, MatchEntry* base, Position position) noexcept {
        const bool in_front = position == Position::kBefore;
        entry.before =
            in_front ? (base != nullptr ? base->before : nullptr) : (base != nullptr ? base : tail);
        entry.after = in_front ? (base != nullptr ? base : head) : (base != nullptr ? base->after : nullptr);
        (entry.before != nullptr ? entry.before->after : head) = &entry;
        (entry.after != nullptr ? entry.after->before : tail) = &entry;
        ++length;
    }
    void remove(MatchEntry& entry) noexcept {
        (entry.before != nullptr ? entry.before->after : head) = entry.after;
        (entry.after != nullptr ? entry.after->before : tail) = entry.before;
        --length;
    }
};

}  // namespace isoplane::portals
