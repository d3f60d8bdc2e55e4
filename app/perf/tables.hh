// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Figures as people and programs read them.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "breakdown.hh"
#include "comparison.hh"

namespace isoplane::perf {

std::string fixed(double value, int digits);
/// Three digits or so, for a person; "-" for what was not measured.
std::string figure(double value);
std::string figure(std::optional<double> value);
/// "64", "8K", "1M".
std::string size_text(std::size_t size);

using Cell = std::function<std::string(const Sample&, std::size_t)>;
using Ratio = std::optional<double> (Results::*)(const std::string&, const std::string&, std::size_t) const;

/// A line for each size, a column for each transport, and one for each ratio of those of `subjects` that were
/// measured to `base`.
std::string table(const Results& results, const Cell& cell, Ratio ratio,
                  const std::vector<std::string>& subjects, const std::string& base);

/// Round trips, messages and bytes a second, each as above.
std::string message_tables(const Results& results, const std::vector<std::string>& subjects,
                           const std::string& base);
/// Millions of messages a second, as above.
std::string rate_table(const Results& results, const std::vector<std::string>& subjects,
                       const std::string& base);

/// Cycles of each step, a column for each transport.
std::string table(const std::vector<Costs>& all);
nlohmann::json costs_json(const std::vector<Costs>& all);

/// All samples, a line or an object for each transport and size.
std::string results_csv(const Results& results);
std::string results_lines(const Results& results);  ///< the same without the names of the columns
nlohmann::json results_json(const Results& results);

/// What was measured how, as a report begins.
nlohmann::json setup_json(const Comparison& comparison);
std::string setup_text(const Comparison& comparison);

std::string target_lines(const std::vector<Target>& all);
nlohmann::json targets_json(const std::vector<Target>& all);
nlohmann::json ratio_json(std::optional<double> ratio);

}  // namespace isoplane::perf
