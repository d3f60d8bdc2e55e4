// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "memory_figures.hh"
#include "options.hh"
#include "results.hh"

namespace isoplane::perf {

/// All there is to say about a run.
struct MemoryReport {
    const MemoryOptions& options;
    std::vector<std::string> links;  ///< their specs
    std::string kernel;              ///< the sockets' way; empty: they were left out
    std::string redis;               ///< its version, or why it was left out
    Figures figures{};
    std::vector<Target> targets{};
    std::vector<std::string> failures{};  ///< sentences
};

std::vector<Target> memory_targets(const Figures& figures, const MemoryOptions& options);

std::string to_tables(const MemoryReport& report);
std::string to_json(const MemoryReport& report);
std::string to_csv(const MemoryReport& report);

}  // namespace isoplane::perf
