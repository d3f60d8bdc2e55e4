// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "memory_figures.hh"

#include <rte_cycles.h>

#include <utility>

#include "../report/statistics.hh"

namespace isoplane::perf {

double ns_of(double ticks) {
    return ticks * 1e9 / static_cast<double>(rte_get_tsc_hz());
}

std::uint64_t ticks_of(double seconds) {
    return static_cast<std::uint64_t>(seconds * static_cast<double>(rte_get_tsc_hz()));
}

std::optional<double> Rate::per_second() const {
    const auto middle = report::median(slices_);
    return middle ? std::optional(*middle * static_cast<double>(rte_get_tsc_hz())) : std::nullopt;
}

void add_times(Figures& figures, FigureName name, const runtime::Histogram& ticks) {
    if (ticks.count() == 0) return;
    for (const auto& [figure, fraction] :
         {std::pair{"ns_p50", 0.5}, std::pair{"ns_p99", 0.99}, std::pair{"ns_p999", 0.999}}) {
        name.figure = figure;
        figures.add(name, ns_of(static_cast<double>(ticks.quantile(fraction))));
    }
}

}  // namespace isoplane::perf
