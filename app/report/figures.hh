// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace isoplane::report {

/// What a figure is of.
struct FigureName {
    std::string what;    ///< "message", "read", "update" …
    std::string by;      ///< who was measured
    double at = 0;       ///< the value of what is varied, as bytes of a message
    std::string figure;  ///< with its unit, as "ns_p50"

    FigureName() = default;
    /// `varied` is any number.
    template <typename Number>
    FigureName(std::string of, std::string who, Number varied, std::string unit)
        : what(std::move(of)), by(std::move(who)), at(static_cast<double>(varied)), figure(std::move(unit)) {}

    auto operator<=>(const FigureName&) const = default;
};

/// Whether more of it is better, as its unit says.
bool more_is_better(const std::string& figure);

/// The figures of a run, by name. Each is measured once a round, and what is read from it are medians over
/// the rounds.
class Figures {
  public:
    void add(const FigureName& name, double value);

    /// In the order in which they were measured first.
    const std::vector<FigureName>& names() const noexcept { return names_; }
    /// One of each round; none when it was not measured.
    const std::vector<double>& samples(const FigureName& name) const;
    /// Nothing when it was not measured.
    std::optional<double> median(const FigureName& name) const;
    /// The median of the ratios within the rounds: a machine that is faster in some rounds than in others
    /// does not change it.
    std::optional<double> ratio(const FigureName& of, const FigureName& to) const;

  private:
    std::vector<FigureName> names_;
    std::map<FigureName, std::vector<double>> values_;
};

}  // namespace isoplane::report
