// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "../report/record.hh"
#include "portals_figures.hh"
#include "results.hh"

namespace isoplane::perf {

/// All that is found in a run.
struct PortalsFindings {
    Results results{};
    std::vector<Matching> matching{};
    std::vector<Overlap> overlaps{};  ///< one of each round
    double copy = 0;                  ///< bytes a second
};

/// What there is to say beside the results.
void add_to(report::Record& record, const PortalsFindings& found);

}  // namespace isoplane::perf
