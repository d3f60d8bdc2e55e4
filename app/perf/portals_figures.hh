// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What Portals costs beside what its messages do.
#pragma once

#include <memory>
#include <vector>

#include "portals_end.hh"
#include "workers.hh"

namespace isoplane::perf {

/// Nanoseconds that it takes to receive a message without data into a list of so many entries.
struct Matching {
    unsigned entries = 0;
    double first = 0;  ///< when it is the first that matches
    double last = 0;
    /// Of an entry that does not match.
    double each() const { return entries > 1 ? (last - first) / (entries - 1) : 0; }
};
std::vector<Matching> measure_matching();

/// How much of its CPU a program has for itself while large messages come, which an lcore on the other CPU
/// receives, where their sender is, too.
struct Overlap {
    double availability = 0;  ///< of the CPU: the time that a computation takes alone to that it takes then
    double bytes_per_second = 0;
};
Overlap measure_overlap(Workers& workers, PortalsEnd& from, PortalsEnd& to, double seconds);

/// Bytes a second that one copy moves, from one piece of memory of that size to another.
double measure_copy(std::size_t size, double seconds);

}  // namespace isoplane::perf
