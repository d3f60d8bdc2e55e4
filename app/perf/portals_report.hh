// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "comparison.hh"
#include "portals_figures.hh"

namespace isoplane::perf {

/// All there is to say about a run.
struct PortalsReport : Comparison {
    std::vector<Matching> matching{};
    std::vector<Overlap> overlaps{};  ///< one of each round
    double copy = 0;                  ///< bytes a second
};

std::vector<Target> portals_targets(const PortalsReport& report);

std::string to_tables(const PortalsReport& report);
std::string to_json(const PortalsReport& report);
std::string to_csv(const PortalsReport& report);

}  // namespace isoplane::perf
