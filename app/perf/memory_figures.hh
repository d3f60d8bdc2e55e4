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
std::uint64_t ticks_of(double seconds);

/// How much of something there is in a second: the median over slices of time, so that those in which
/// something else had the CPU do not count. A slice lasts until there is more: what comes in bursts is
/// counted whole.
class Rate {
  public:
    /// `so_far` is how much there has been, now.
    void note(std::uint64_t now, std::uint64_t so_far) {
        if (so_far == seen_) return;
        seen_ = so_far;
        if (begin_ != 0 && now - begin_ < slice_) return;
        if (begin_ != 0)
            slices_.push_back(static_cast<double>(so_far - was_) / static_cast<double>(now - begin_));
        begin_ = now;
        was_ = so_far;
    }
    std::size_t slices() const noexcept { return slices_.size(); }
    /// Nothing when no slice has ended.
    std::optional<double> per_second() const;

  private:
    static constexpr double kSlice = 200e-6;

    std::uint64_t slice_ = ticks_of(kSlice);
    std::uint64_t begin_ = 0;
    std::uint64_t was_ = 0;
    std::uint64_t seen_ = 0;
    std::vector<double> slices_{};
};

}  // namespace isoplane::perf
