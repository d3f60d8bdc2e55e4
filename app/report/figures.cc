// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "figures.hh"

#include <algorithm>

#include "statistics.hh"

namespace isoplane::report {

bool more_is_better(const std::string& figure) {
    return figure.find("per_second") != std::string::npos || figure.find("rate_to") != std::string::npos ||
           figure == "availability" || figure == "back_to_back_frames";
}

void Figures::add(const FigureName& name, double value) {
    std::vector<double>& values = values_[name];
    if (values.empty()) names_.push_back(name);
    values.push_back(value);
}

const std::vector<double>& Figures::samples(const FigureName& name) const {
    static const std::vector<double> none;
    const auto found = values_.find(name);
    return found == values_.end() ? none : found->second;
}

std::optional<double> Figures::median(const FigureName& name) const {
    return report::median(samples(name));
}

std::optional<double> Figures::ratio(const FigureName& of, const FigureName& to) const {
    const std::vector<double>& ours = samples(of);
    const std::vector<double>& theirs = samples(to);
    std::vector<double> ratios;
    for (std::size_t round = 0; round < std::min(ours.size(), theirs.size()); ++round) {
        if (theirs[round] > 0) ratios.push_back(ours[round] / theirs[round]);
    }
    return report::median(std::move(ratios));
}

}  // namespace isoplane::report
