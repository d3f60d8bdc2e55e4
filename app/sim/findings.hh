// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/checker.hh"

namespace isoplane::sim {

/// Keeps the first violation of each rule.
class Findings {
  public:
    bool has(Rule rule) const {
        return std::ranges::any_of(found_, [rule](const Violation& v) { return v.rule == rule; });
    }

    /// `text` is called for the first of a rule only, as a broken history may hold millions.
    template <typename Text>
    void report(Rule rule, Text&& text) {
        if (!has(rule)) found_.push_back({rule, text()});
    }

    std::vector<Violation> take() && { return std::move(found_); }

  private:
    std::vector<Violation> found_;
};

}  // namespace isoplane::sim
