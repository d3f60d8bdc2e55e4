// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// A run beside an earlier one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record.hh"
#include "statistics.hh"

namespace isoplane::report {

/// A figure of both.
struct Change {
    std::string benchmark;
    FigureName name;
    double before = 0;  ///< medians
    double now = 0;
    Ratio ratio{};  ///< of how good it is: above 1 is better, whether more or less of it is

    /// All of the interval lies below: it is surely not as good as that.
    bool is_below(double limit) const noexcept { return ratio.high && *ratio.high < limit; }
};

struct Comparison {
    std::string file;  ///< of the earlier run
    std::vector<Change> changes{};
    std::vector<std::string> differences{};  ///< of the environments, in sentences
    std::size_t only_once = 0;               ///< figures without repetitions, of which nothing can be said

    std::size_t significant() const;
};

/// Figures of runs by the same command, so far as both have them.
Comparison compare(const std::vector<Record>& before, const std::vector<Record>& now,
                   const std::string& file);

/// What differs beyond chance, and how many there are of what does not. `all`: every figure.
Table table_of(const Comparison& comparison, bool all);
std::string summary_of(const Comparison& comparison);
std::string to_text(const Comparison& comparison);
nlohmann::json to_json(const Comparison& comparison);

/// How the earlier figures relate to a limit: a sentence for each that is surely worse.
std::vector<std::string> below(const Comparison& comparison, double limit);

}  // namespace isoplane::report
