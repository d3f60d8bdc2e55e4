// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "memory_figures.hh"

#include <rte_cycles.h>

#include <algorithm>

namespace isoplane::perf {

namespace {

std::optional<double> middle_of(std::vector<double> values) {
    if (values.empty()) return std::nullopt;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

double ns_of(double ticks) {
    return ticks * 1e9 / static_cast<double>(rte_get_tsc_hz());
}

std::uint64_t ticks_of(double seconds) {
    return static_cast<std::uint64_t>(seconds * static_cast<double>(rte_get_tsc_hz()));
}

std::optional<double> Rate::per_second() const {
    const auto middle = middle_of(slices_);
    return middle ? std::optional(*middle * static_cast<double>(rte_get_tsc_hz())) : std::nullopt;
}

void Figures::add(const FigureName& name, double value) {
    std::vector<double>& values = values_[name];
    if (values.empty()) names_.push_back(name);
    values.push_back(value);
}

void Figures::add_times(FigureName name, const runtime::Histogram& ticks) {
    if (ticks.count() == 0) return;
    for (const auto& [figure, fraction] :
         {std::pair{"ns_p50", 0.5}, std::pair{"ns_p99", 0.99}, std::pair{"ns_p999", 0.999}}) {
        name.figure = figure;
        add(name, ns_of(static_cast<double>(ticks.quantile(fraction))));
    }
}

std::optional<double> Figures::median(const FigureName& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : middle_of(found->second);
}

std::optional<double> Figures::ratio(const FigureName& of, const FigureName& to) const {
    const auto ours = values_.find(of);
    const auto theirs = values_.find(to);
    if (ours == values_.end() || theirs == values_.end()) return std::nullopt;
    std::vector<double> ratios;
    for (std::size_t round = 0; round < std::min(ours->second.size(), theirs->second.size()); ++round) {
        if (theirs->second[round] > 0) ratios.push_back(ours->second[round] / theirs->second[round]);
    }
    return middle_of(std::move(ratios));
}

}  // namespace isoplane::perf
