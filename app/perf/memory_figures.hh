// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <compare>
#include <cstdint>
#include <isoplane/runtime/histogram.hh>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace isoplane::perf {

/// What a figure is of.
struct FigureName {
    std::string what;    ///< "read", "write", "update" …
    std::string by;      ///< who was measured
    unsigned at = 0;     ///< the value of what is varied
    std::string figure;  ///< with its unit, as "ns_p50"

    auto operator<=>(const FigureName&) const = default;
};

/// The figures of a run, by name. Each is measured once a round, and what is read from it are medians over
/// the rounds.
class Figures {
  public:
    void add(const FigureName& name, double value);
    /// The quantiles of a time in ticks, in nanoseconds. Nothing when there are none.
    void add_times(FigureName name, const runtime::Histogram& ticks);

    /// In the order in which they were measured first.
    const std::vector<FigureName>& names() const noexcept { return names_; }
    /// Nothing when it was not measured.
    std::optional<double> median(const FigureName& name) const;
    /// The median of the ratios within the rounds: a machine that is faster in some rounds than in others
    /// does not change it.
    std::optional<double> ratio(const FigureName& of, const FigureName& to) const;

  private:
    std::vector<FigureName> names_;
    std::map<FigureName, std::vector<double>> values_;
};

double ns_of(double ticks);

}  // namespace isoplane::perf
