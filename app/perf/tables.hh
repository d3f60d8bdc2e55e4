// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Figures as people and programs read them.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "results.hh"

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

std::string target_lines(const std::vector<Target>& all);
nlohmann::json targets_json(const std::vector<Target>& all);
nlohmann::json ratio_json(std::optional<double> ratio);

}  // namespace isoplane::perf
