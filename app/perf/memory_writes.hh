// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "memory_figures.hh"
#include "memory_pair.hh"

namespace isoplane::perf {

/// Whose copies are written.
enum class Copies {
    kRemote,  ///< the other host's
    kMixed,   ///< and this one's, in turn
};

/// One host issues isochrons of so many writes as fast as they are let: figures of "write" by "remote" or
/// "mixed", at that number.
void measure_writes(MemoryPair& pair, unsigned writes, Copies copies, double seconds, Figures& figures);

/// Both do, of mixed writes: figures of "load" by "mixed", at that number.
void measure_load(MemoryPair& pair, unsigned writes, double seconds, Figures& figures);

}  // namespace isoplane::perf
