// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Where values are along an axis, and which of them have a mark.
#pragma once

#include <string>
#include <vector>

#include "plot.hh"

namespace isoplane::report {

/// A number as it stands at an axis: "0.5", "20", "1.5k", "2M"; of bytes "64", "1K", "4M".
std::string label_of(double value, Notation notation);

class Ruler {
  public:
    struct Tick {
        double value = 0;
        std::string label;  ///< empty: a line only
    };

    /// For values of `from` to `to`; a linear one begins at 0, and a logarithmic one leaves out what is not
    /// above 0. `pixels` is how long the axis is, and about `most` of its ticks have room for a label.
    Ruler(const Axis& axis, const std::vector<double>& values, double pixels, unsigned most);

    double low() const noexcept { return low_; }
    double high() const noexcept { return high_; }
    bool holds(double value) const noexcept { return !is_log_ || value > 0; }
    /// Pixels from where the axis begins.
    double place(double value) const;
    const std::vector<Tick>& ticks() const noexcept { return ticks_; }

  private:
    void mark_linear(unsigned most);
    void mark_decades(unsigned most);
    void mark_doublings(unsigned most);

    bool is_log_;
    Notation notation_;
    double pixels_;
    double low_ = 0;
    double high_ = 1;
    std::vector<Tick> ticks_{};
};

}  // namespace isoplane::report
