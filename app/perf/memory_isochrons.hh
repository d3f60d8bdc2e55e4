// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "memory_pair.hh"
#include "memory_updates.hh"

namespace isoplane::perf {

/// "isochron": each update is one isochron that adds to its variables.
std::unique_ptr<Updater> make_isochron_updater(MemoryPair& pair);

/// "sched": each is an isochron that reads its variables and schedules them, and a second one that assigns
/// what was computed from that; the second shares an isochron with the first of the worker's next update.
std::unique_ptr<Updater> make_sched_updater(MemoryPair& pair);

}  // namespace isoplane::perf
