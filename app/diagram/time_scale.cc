// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "diagram/time_scale.hh"

#include <algorithm>

namespace isoplane::diagram {

TimeScale::TimeScale(std::vector<Time> events, Time longest) {
    std::sort(events.begin(), events.end());
    double x = 0;
    for (const Time when : events) {
        if (!knots_.empty()) {
            const Time gap = when - knots_.back().when;
            const auto width = static_cast<double>(std::min(gap, longest).count());
            if (gap > longest) breaks_.push_back({x + width / 2, gap});
            x += width;
        }
        knots_.push_back({when, x});
    }
}

void TimeScale::place(double left, double width) {
    per_ns_ = width / std::max(knots_.back().x, 1.0);
    for (Knot& knot : knots_)
        knot.x = left + knot.x * per_ns_;
    for (Break& gap : breaks_)
        gap.at = left + gap.at * per_ns_;
}

Time TimeScale::event_behind(double x) const {
    const auto found =
        std::find_if(knots_.begin(), knots_.end(), [x](const Knot& knot) { return knot.x >= x; });
    return found == knots_.end() ? knots_.back().when : found->when;
}

std::vector<TimeScale::Knot>::const_iterator TimeScale::after(Time when) const {
    return std::upper_bound(knots_.begin(), knots_.end(), when,
                            [](Time t, const Knot& knot) { return t < knot.when; });
}

double TimeScale::at(Time when) const {
    const auto next = after(when);
    if (next == knots_.begin()) return next->x - static_cast<double>((next->when - when).count()) * per_ns_;
    const Knot& last = *std::prev(next);
    const auto since = static_cast<double>((when - last.when).count());
    if (next == knots_.end()) return last.x + since * per_ns_;
    return last.x + (next->x - last.x) * since / static_cast<double>((next->when - last.when).count());
}

}  // namespace isoplane::diagram
