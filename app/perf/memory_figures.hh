// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <isoplane/runtime/histogram.hh>
#include <optional>
#include <vector>

#include "../report/figures.hh"

namespace isoplane::perf {

using report::FigureName;
using report::Figures;

/// The quantiles of a time in ticks, in nanoseconds. Nothing when there are none.
void add_times(Figures& figures, FigureName name, const runtime::Histogram& ticks);

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
