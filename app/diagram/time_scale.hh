// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <vector>

#include "diagram/story.hh"

namespace isoplane::diagram {

/// Where a time is on paper. Linear but for stretches in which nothing happens: these are cut short, or a
/// network that rests now and then would be all paper.
class TimeScale {
  public:
    struct Break {
        double at = 0;   ///< its middle
        Time length{0};  ///< what it stands for
    };

    /// `events` are times at which something is drawn, at least one, in any order. Stretches between them
    /// that are longer than `longest` are cut to it.
    TimeScale(std::vector<Time> events, Time longest);
    /// Where it begins, and how wide it is.
    void place(double left, double width);

    double at(Time when) const;
    double end() const { return knots_.back().x; }
    /// A piece of it in which nothing is cut.
    double per_ns() const { return per_ns_; }
    /// The first event at x or behind it; the last when there is none.
    Time event_behind(double x) const;
    const std::vector<Break>& breaks() const { return breaks_; }

  private:
    struct Knot {
        Time when;
        double x;
    };
    std::vector<Knot>::const_iterator after(Time when) const;

    std::vector<Knot> knots_;
    std::vector<Break> breaks_;
    double per_ns_ = 1;
};

}  // namespace isoplane::diagram
