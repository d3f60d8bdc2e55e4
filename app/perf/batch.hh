// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Several benchmarks after each other, each in a process of its own: there is one EAL a process.
#pragma once

#include <isoplane/runtime/stop_signal.hh>
#include <string>
#include <vector>

#include "../command.hh"
#include "../report/record.hh"

namespace isoplane::perf {

/// One of several: its name and its options, as words.
using Words = std::vector<std::string>;

/// The words of a line; quotes keep words with blanks together. Nothing behind a #.
Words split(const std::string& line);

/// Runs `isoplane perf WORDS`, its tables shown when `shown`. Throws std::runtime_error with a sentence when
/// it did not end with success and a record.
report::Record run_one(const Words& words, bool shown, const runtime::StopSignal& signal);

/// `isoplane perf --batch FILE`: a benchmark with its options on each line.
int run_batch(int argc, char** argv);

}  // namespace isoplane::perf
