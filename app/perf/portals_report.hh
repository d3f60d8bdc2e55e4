// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "options.hh"
#include "portals_figures.hh"
#include "results.hh"

namespace isoplane::perf {

/// All there is to say about a run.
struct PortalsReport {
    const PairOptions& options;
    std::vector<std::string> links;  ///< their specs
    std::string kernel;              ///< the sockets' way; empty: they were left out
    Results results{};
    std::vector<Matching> matching{};
    std::vector<Overlap> overlaps{};  ///< one of each round
    double copy = 0;                  ///< bytes a second
    std::vector<Target> targets{};
    std::vector<std::string> failures{};  ///< sentences
};

std::vector<Target> portals_targets(const PortalsReport& report);

std::string to_tables(const PortalsReport& report);
std::string to_json(const PortalsReport& report);
std::string to_csv(const PortalsReport& report);

}  // namespace isoplane::perf
