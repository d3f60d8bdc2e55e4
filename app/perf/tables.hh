// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Figures of transports as people and programs read them.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "../report/table.hh"
#include "breakdown.hh"
#include "results.hh"

namespace isoplane::perf {

using report::figure;
using report::fixed;
using report::size_text;
using report::Table;

/// Whom those of interest are held against, by what is measured.
struct Bases {
    std::string round_trip;
    std::string rate;
    std::string bandwidth;
};

/// Round trips, messages and bytes a second: a line for each size, a column for each transport, and one for
/// each ratio of those of `subjects` that were measured; and a table for each other percentile, without.
std::vector<Table> message_tables(const Results& results, const std::vector<std::string>& subjects,
                                  const Bases& bases, const std::vector<double>& percentiles);
/// Millions of messages a second, as above.
Table rate_table(const Results& results, const std::vector<std::string>& subjects, const std::string& base);

/// Cycles of each step, a column for each transport.
Table costs_table(const std::string& title, const std::vector<Costs>& all);
nlohmann::json costs_json(const std::vector<Costs>& all);
void add_costs(report::Figures& figures, const std::vector<Costs>& all, std::size_t size);

/// "p50", "p99", "p999"; "p0999" is that of 9.99.
std::string percentile_name(double percentile);

/// An object for each transport and size; of those of `subjects`, with the ratios to all others.
nlohmann::json results_json(const Results& results, const std::vector<std::string>& subjects,
                            const std::vector<double>& percentiles);
nlohmann::json ratio_json(std::optional<double> ratio);

}  // namespace isoplane::perf
