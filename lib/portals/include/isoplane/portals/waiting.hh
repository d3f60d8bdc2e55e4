// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/portals/interface.hh>

namespace isoplane::portals {

/// A deadline that is over.
inline constexpr std::chrono::steady_clock::time_point kAtOnce{};

/// The next event of the first of these queues that has one, waiting for it until then; with no deadline,
/// for ever. One that is over: one look, a round of progress, and another look. Any number of threads may
/// wait, and each event goes to one of them.
Status wait(Interface& interface, std::span<const Handle> queues,
            std::optional<std::chrono::steady_clock::time_point> until, Event& event, std::size_t& which,
            EventHandler& handler);

}  // namespace isoplane::portals
