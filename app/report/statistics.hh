// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <optional>
#include <vector>

namespace isoplane::report {

/// Nothing when there are no values; the mean of the two in the middle when their number is even.
std::optional<double> median(std::vector<double> values);

/// How many times as large one thing is as another, each measured several times.
struct Ratio {
    double value = 1;  ///< of the geometric means
    /// Of the 95 % confidence interval. Without: one of the two was measured less than twice.
    std::optional<double> low{};
    std::optional<double> high{};

    /// The two differ, by all that their repetitions tell.
    bool significant() const noexcept { return low && (*low > 1 || *high < 1); }
};

/// By Welch's t test of the logarithms: what disturbs a measurement multiplies it, and the two may have been
/// disturbed differently. Values that are not above 0 are left out; nothing when none is left of one.
std::optional<Ratio> ratio_of(const std::vector<double>& values, const std::vector<double>& to);

/// What Student's t stays below with a probability of 97.5 %, for so many degrees of freedom; those between
/// whole numbers count as the lower one, which makes intervals wider.
double student_t(double degrees);

}  // namespace isoplane::report
