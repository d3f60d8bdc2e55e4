// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/portals/waiting.hh>

namespace isoplane::portals {

Status wait(Interface& interface, std::span<const Handle> queues,
            std::optional<std::chrono::steady_clock::time_point> until, Event& event, std::size_t& which,
            EventHandler& handler) {
    Nal& nal = interface.nal();
    for (;;) {
        const std::uint64_t seen = interface.changes();
        const Status status = interface.take(queues, event, which, handler);
        if (status != Status::kEqEmpty) return status;
        const bool moved = nal.progress(interface);
        if (until && (*until == kAtOnce || std::chrono::steady_clock::now() >= *until))
            return interface.take(queues, event, which, handler);
        if (moved) continue;
        if (nal.moves_alone()) interface.sleep(seen, until);
    }
}

}  // namespace isoplane::portals
