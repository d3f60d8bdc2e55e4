// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "statistics.hh"

#include <algorithm>
#include <array>
#include <cmath>

namespace isoplane::report {

namespace {

/// Of the logarithms of values above 0.
struct Spread {
    double count = 0;
    double mean = 0;
    double variance = 0;  ///< of the mean; 0 when there is only one
};

Spread spread_of(const std::vector<double>& values) {
    Spread spread;
    for (const double value : values) {
        if (!(value > 0)) continue;
        ++spread.count;
        spread.mean += std::log(value);
    }
    if (spread.count == 0) return spread;
    spread.mean /= spread.count;
    for (const double value : values) {
        if (value > 0) spread.variance += std::pow(std::log(value) - spread.mean, 2);
    }
    spread.variance = spread.count > 1 ? spread.variance / (spread.count - 1) / spread.count : 0;
    return spread;
}

/// Welch and Satterthwaite.
double degrees_of(const Spread& a, const Spread& b) {
    const double sum = a.variance + b.variance;
    const double each = a.variance * a.variance / (a.count - 1) + b.variance * b.variance / (b.count - 1);
    return each > 0 ? sum * sum / each : a.count + b.count - 2;
}

}  // namespace

std::optional<double> median(std::vector<double> values) {
    if (values.empty()) return std::nullopt;
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double student_t(double degrees) {
    static constexpr std::array kOf{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                    2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                    2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    const double whole = std::floor(degrees);
    if (whole <= 1) return kOf.front();
    if (whole < static_cast<double>(kOf.size())) return kOf[static_cast<std::size_t>(whole) - 1];
    return whole < 60 ? kOf.back() : whole < 120 ? 2.000 : 1.980;
}

std::optional<Ratio> ratio_of(const std::vector<double>& values, const std::vector<double>& to) {
    const Spread a = spread_of(values);
    const Spread b = spread_of(to);
    if (a.count == 0 || b.count == 0) return std::nullopt;
    Ratio ratio{.value = std::exp(a.mean - b.mean)};
    if (a.count < 2 || b.count < 2) return ratio;
    const double reach = student_t(degrees_of(a, b)) * std::sqrt(a.variance + b.variance);
    ratio.low = std::exp(a.mean - b.mean - reach);
    ratio.high = std::exp(a.mean - b.mean + reach);
    return ratio;
}

}  // namespace isoplane::report
