// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What there is to see of transports.
#pragma once

#include <string>
#include <vector>

#include "../report/plot.hh"
#include "breakdown.hh"
#include "results.hh"

namespace isoplane::perf {

/// Round trips, message rates and bandwidths by size; the distribution of round trips at a size in the range
/// of 64 bytes.
std::vector<report::Plot> message_plots(const Results& results);

report::Plot rate_plot(const std::string& name, const std::string& title, const Results& results);
report::Plot costs_plot(const std::string& title, const std::vector<Costs>& all);

}  // namespace isoplane::perf
