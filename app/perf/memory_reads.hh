// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "memory_figures.hh"
#include "memory_pair.hh"

namespace isoplane::perf {

/// The steps of a remote read, in their order.
inline constexpr std::array kReadSteps{"issue", "way_there", "order", "execution", "answer_back"};

/// Of a variable whose copy is here: figures of "read" by "local".
void measure_local_reads(MemoryPair& pair, double seconds, Figures& figures);

/// Of a variable whose copy the other host has, one at a time: figures of "read" by "remote".
void measure_remote_reads(MemoryPair& pair, double seconds, Figures& figures);

/// The same step by step: figures of "read_step" by the steps. To note the time of each takes time itself.
void measure_read_steps(MemoryPair& pair, double seconds, Figures& figures);

}  // namespace isoplane::perf
