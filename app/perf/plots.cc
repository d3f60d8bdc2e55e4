// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "plots.hh"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "../report/table.hh"

namespace isoplane::perf {

namespace {

using report::Axis;
using report::Form;
using report::Notation;
using report::Plot;
using report::Scale;
using report::Series;

using Value = std::function<double(const std::string& transport, std::size_t size)>;

Plot by_size(const std::string& name, const std::string& title, const std::string& unit,
             const Results& results, const Value& value) {
    Plot plot{.name = name,
              .title = title,
              .x = {.title = "bytes of a message", .scale = Scale::kLog, .notation = Notation::kBytes},
              .y = {.title = unit, .scale = Scale::kLog}};
    for (const std::string& by : results.transports()) {
        Series& series = plot.series.emplace_back(Series{.name = by, .role = role_of(by)});
        for (const std::size_t size : results.sizes()) {
            const double y = value(by, size);
            if (y > 0 && size > 0) series.dots.push_back({static_cast<double>(size), y});
        }
        if (series.dots.empty()) plot.series.pop_back();
    }
    return plot;
}

std::size_t nearest(const std::vector<std::size_t>& sizes, std::size_t wanted) {
    std::size_t best = sizes.front();
    const auto far = [wanted](std::size_t size) {
        return std::abs(static_cast<double>(size) - static_cast<double>(wanted));
    };
    for (const std::size_t size : sizes)
        if (far(size) < far(best)) best = size;
    return best;
}

Plot distribution(const Results& results, std::size_t size) {
    static constexpr std::array kFractions{0.001, 0.01, 0.02, 0.05, 0.1,  0.15, 0.2,  0.25,  0.3,
                                           0.35,  0.4,  0.45, 0.5,  0.55, 0.6,  0.65, 0.7,   0.75,
                                           0.8,   0.85, 0.9,  0.95, 0.97, 0.98, 0.99, 0.995, 0.999};
    Plot plot{.name = "distribution",
              .title = "Distribution of round trips, " + report::size_text(size) + " bytes",
              .form = Form::kCurve,
              .x = {.title = "microseconds", .scale = Scale::kLog},
              .y = {.title = "share of round trips that take no longer, %"},
              .note = "Each quantile is the median over the rounds."};
    for (const std::string& by : results.transports()) {
        Series series{.name = by, .role = role_of(by)};
        for (const double fraction : kFractions)
            if (const double ns = results.round_trip(by, size, fraction); ns > 0)
                series.dots.push_back({ns / 1e3, 100 * fraction});
        if (!series.dots.empty()) plot.series.push_back(std::move(series));
    }
    return plot;
}

}  // namespace

Plot rate_plot(const std::string& name, const std::string& title, const Results& results) {
    return by_size(name, title, "million messages a second", results,
                   [&](const std::string& by, std::size_t size) { return results.rate(by, size) / 1e6; });
}

std::vector<Plot> message_plots(const Results& results) {
    constexpr std::size_t kSmall = 64;
    return {
        by_size("round_trip", "Round trip", "microseconds, median", results,
                [&](const std::string& by, std::size_t size) { return results.round_trip(by, size) / 1e3; }),
        distribution(results, nearest(results.sizes(), kSmall)),
        rate_plot("rate", "Message rate, one way", results),
        by_size("bandwidth", "Bandwidth, one way", "megabytes a second", results,
                [&](const std::string& by, std::size_t size) {
                    return bytes_per_second(results, by, size) / 1e6;
                })};
}

Plot costs_plot(const std::string& title, const std::vector<Costs>& all) {
    Plot plot{.name = "cycles",
              .title = title,
              .form = Form::kBars,
              .y = {.title = "cycles of the time stamp counter"},
              .note = "Both ends on one CPU, in turn."};
    for (const Costs& costs : all)
        plot.categories.push_back(costs.transport);
    for (std::size_t step = 0; step < kSteps.size(); ++step) {
        Series& series = plot.series.emplace_back(Series{.name = std::string(kSteps[step])});
        for (std::size_t i = 0; i < all.size(); ++i)
            series.dots.push_back({static_cast<double>(i), std::max(0.0, all[i].cycles[step])});
    }
    return plot;
}

}  // namespace isoplane::perf
