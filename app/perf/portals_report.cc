// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "portals_report.hh"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tables.hh"

namespace isoplane::perf {

namespace {

using Json = nlohmann::json;
using transport::kNiuCoalesced;
using transport::kPortals;
using transport::kRaw;

constexpr std::size_t kLong = std::size_t{1} << 20;

/// Only where the link is not slower than the copy.
std::optional<double> share_of_copy(const PortalsFindings& report) {
    if (!(report.copy > 0) || bytes_per_second(report.results, kRaw, kLong) < report.copy)
        return std::nullopt;
    return bytes_per_second(report.results, kPortals, kLong) / report.copy;
}

template <typename Figure>
std::optional<double> median_of(const std::vector<Overlap>& overlaps, Figure&& figure) {
    std::vector<double> values;
    for (const Overlap& overlap : overlaps)
        values.push_back(figure(overlap));
    if (values.empty()) return std::nullopt;
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

std::optional<double> availability(const PortalsFindings& report) {
    return median_of(report.overlaps, [](const Overlap& o) { return o.availability; });
}

std::vector<Target> targets_of(const PortalsFindings& report) {
    const Results& results = report.results;
    return {{.sentence = "8-byte round trip at most 1.3 times the NIU's",
             .limit = 1.3,
             .at_most = true,
             .value = results.round_trip_ratio(kPortals, kNiuCoalesced, 8)},
            {.sentence = "1 MB stream at least 0.85 of the NIU's",
             .limit = 0.85,
             .value = results.rate_ratio(kPortals, kNiuCoalesced, kLong)},
            {.sentence = "1 MB stream at least 0.9 of one copy, on a link that is not slower",
             .limit = 0.9,
             .value = share_of_copy(report)},
            {.sentence = "half-power point at most 2048 bytes",
             .limit = 2048,
             .at_most = true,
             .value = results.half_power_point(kPortals)},
            {.sentence = "matching at most 20 ns an entry",
             .limit = 20,
             .at_most = true,
             .value = report.matching.empty() ? std::nullopt : std::optional(report.matching.back().each())},
            {.sentence = "availability at least 0.95", .limit = 0.95, .value = availability(report)}};
}

Table matching_table(const PortalsFindings& report) {
    Table table{.name = "matching",
                .title =
                    "Nanoseconds to receive a put without data, by the length of the list and by which entry "
                    "matches",
                .lines = {{"entries", "first", "last", "each"}}};
    for (const Matching& matching : report.matching)
        table.lines.push_back({std::to_string(matching.entries), figure(matching.first),
                               figure(matching.last), figure(matching.each())});
    table.note =
        "While an lcore receives messages of 1 MB, " +
        figure(median_of(report.overlaps, [](const Overlap& o) { return o.bytes_per_second / 1e6; })) +
        " MB a second, a program on another CPU has " + figure(availability(report)) +
        " of it. One copy of 1 MB: " + figure(report.copy / 1e6) + " MB a second.";
    return table;
}

report::Plot matching_plot(const PortalsFindings& report) {
    report::Plot plot{.name = "matching",
                      .title = "Receiving a put without data",
                      .x = {.title = "entries of the list", .scale = report::Scale::kLog},
                      .y = {.title = "nanoseconds", .scale = report::Scale::kLog},
                      .series = {{.name = "first entry matches"}, {.name = "last entry matches"}}};
    for (const Matching& matching : report.matching) {
        plot.series[0].dots.push_back({static_cast<double>(matching.entries), matching.first});
        plot.series[1].dots.push_back({static_cast<double>(matching.entries), matching.last});
    }
    return plot;
}

}  // namespace

void add_to(report::Record& record, const PortalsFindings& found) {
    record.tables.push_back(matching_table(found));
    record.plots.push_back(matching_plot(found));
    record.targets = targets_of(found);
    record.details["copy_bytes_per_second"] = found.copy;
    record.details["matching"] = Json::array();
    record.details["overlap"] = Json::array();
    for (const Matching& matching : found.matching) {
        record.details["matching"].push_back(
            {{"entries", matching.entries}, {"first_ns", matching.first}, {"last_ns", matching.last}});
        record.figures.add({"matching", "last", matching.entries, "ns"}, matching.last);
    }
    for (const Overlap& overlap : found.overlaps) {
        record.details["overlap"].push_back(
            {{"availability", overlap.availability}, {"bytes_per_second", overlap.bytes_per_second}});
        record.figures.add({"overlap", "portals", 0, "availability"}, overlap.availability);
    }
}

}  // namespace isoplane::perf
