// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>
#include <vector>

#include "active_costs.hh"
#include "comparison.hh"

namespace isoplane::perf {

/// All there is to say about a run.
struct ActiveReport : Comparison {
    ActiveCosts costs{};
};

std::vector<Target> active_targets(const ActiveReport& report);

std::string to_tables(const ActiveReport& report);
std::string to_json(const ActiveReport& report);
std::string to_csv(const ActiveReport& report);

}  // namespace isoplane::perf
