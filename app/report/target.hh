// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "table.hh"

namespace isoplane::report {

/// A ratio that this run is to reach.
struct Target {
    std::string sentence;  ///< what is to be, as "64-byte round trip at most 1.5 times raw"
    double limit = 0;
    bool at_most = false;
    std::optional<double> value{};  ///< nothing: not measured

    bool missed() const noexcept { return value && (at_most ? *value > limit : *value < limit); }
    std::string verdict() const { return !value ? "not measured" : missed() ? "missed" : "met"; }
};

inline Table table_of(const std::vector<Target>& targets) {
    Table table{.name = "targets", .title = "Targets", .lines = {{"target", "is", "verdict"}}};
    for (const Target& target : targets)
        table.lines.push_back({target.sentence, figure(target.value), target.verdict()});
    return table;
}

}  // namespace isoplane::report
