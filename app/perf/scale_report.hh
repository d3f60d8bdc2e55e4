// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>
#include <vector>

#include "../report/record.hh"
#include "scale_network.hh"

namespace isoplane::perf {

/// What `isoplane perf scale` is told.
struct ScaleOptions {
    std::vector<unsigned> hosts{};
    std::vector<double> losses{};
    unsigned rounds = 3;
    ScaleSetup each{};  ///< of each simulation, but for hosts, loss and seed
};

/// What a round has found.
void add_scale(report::Figures& figures, const ScaleOptions& options, unsigned hosts, double loss,
               const ScaleFigures& found);

/// Of all rounds, tables and plots.
void report_scale(report::Record& record, const ScaleOptions& options);

}  // namespace isoplane::perf
