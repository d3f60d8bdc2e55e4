// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What remote reads are held against: messages of the size of a read, there and back.
#pragma once

#include <optional>

#include "contestants.hh"
#include "memory_figures.hh"

namespace isoplane::perf {

/// In frames alone, in logical time, and by sockets.
Contestants round_trips(Workers& workers, Sides& sides, const std::optional<KernelPath>& kernel);

/// Figures of "round_trip", by who they are.
void measure_round_trips(const Contestants& all, double seconds, Figures& figures);

}  // namespace isoplane::perf
