// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The benchmarks there are, by name.
#pragma once

#include <string>

namespace isoplane::perf {

/// What is wrong with the name, in a sentence with the one that was meant; empty when nothing is.
std::string unknown_benchmark(const std::string& name);

/// For the help: each with what it measures.
std::string benchmarks_text();

}  // namespace isoplane::perf
