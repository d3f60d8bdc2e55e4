// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "tables.hh"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace isoplane::perf {

namespace {

using Json = nlohmann::json;
using Cell = std::function<double(const std::string& transport, std::size_t size)>;
using RatioOf = std::optional<double> (Results::*)(const std::string&, const std::string&, std::size_t) const;

bool is_among(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

struct Compared {
    RatioOf ratio;
    const std::vector<std::string>& subjects;
    const std::string& base;
};

std::vector<std::vector<std::string>> lines_of(const Results& results, const Cell& cell,
                                               const Compared& compared) {
    std::vector<std::string> subjects;
    for (const std::string& name : results.transports())
        if (is_among(compared.subjects, name)) subjects.push_back(name);
    std::vector<std::vector<std::string>> lines{{"bytes"}};
    for (const std::string& name : results.transports())
        lines[0].push_back(name);
    for (const std::string& name : subjects)
        lines[0].push_back(name + "/" + compared.base);
    for (const std::size_t size : results.sizes()) {
        std::vector<std::string>& line = lines.emplace_back(1, size_text(size));
        for (const std::string& name : results.transports())
            line.push_back(figure(cell(name, size)));
        for (const std::string& name : subjects)
            line.push_back(figure((results.*compared.ratio)(name, compared.base, size)));
    }
    return lines;
}

std::string digits_of(double percentile) {
    char text[32];
    std::snprintf(text, sizeof text, "%.10g", percentile);
    return text;
}

/// Of the tails no ratio is given: they are the machine's more than anybody's.
Table tail_table(const Results& results, double percentile) {
    const std::vector<std::string> none;
    return {.name = "round_trip_" + percentile_name(percentile),
            .title = "Round trip, microseconds, " + digits_of(percentile) + " %",
            .lines = lines_of(results,
                              [&](const std::string& by, std::size_t size) {
                                  return results.round_trip(by, size, percentile / 100) / 1e3;
                              },
                              {&Results::round_trip_ratio, none, {}})};
}

}  // namespace

std::string percentile_name(double percentile) {
    std::string name = digits_of(percentile);
    // The point is behind two digits, or 9.99 would have the name of 99.9.
    if (name.find('.') == 1) name.insert(0, 1, '0');
    std::erase(name, '.');
    return 'p' + name;
}

Table rate_table(const Results& results, const std::vector<std::string>& subjects, const std::string& base) {
    return {
        .name = "rate",
        .title = "Million messages a second, one way; ratios to " + base,
        .lines = lines_of(
            results, [&](const std::string& by, std::size_t size) { return results.rate(by, size) / 1e6; },
            {&Results::rate_ratio, subjects, base})};
}

std::vector<Table> message_tables(const Results& results, const std::vector<std::string>& subjects,
                                  const Bases& bases, const std::vector<double>& percentiles) {
    std::vector<Table> all;
    all.push_back({.name = "round_trip",
                   .title = "Round trip, microseconds, median; ratios to " + bases.round_trip +
                            ", medians over the rounds",
                   .lines = lines_of(results,
                                     [&](const std::string& by, std::size_t size) {
                                         return results.round_trip(by, size) / 1e3;
                                     },
                                     {&Results::round_trip_ratio, subjects, bases.round_trip})});
    for (const double percentile : percentiles)
        if (percentile != 50) all.push_back(tail_table(results, percentile));
    all.push_back(rate_table(results, subjects, bases.rate));
    all.push_back({.name = "bandwidth",
                   .title = "Megabytes a second, one way; ratios to " + bases.bandwidth,
                   .lines = lines_of(results,
                                     [&](const std::string& by, std::size_t size) {
                                         return bytes_per_second(results, by, size) / 1e6;
                                     },
                                     {&Results::rate_ratio, subjects, bases.bandwidth})});
    return all;
}

Table costs_table(const std::string& title, const std::vector<Costs>& all) {
    Table table{.name = "cycles", .title = title, .lines = {{"step"}}};
    for (const Costs& costs : all)
        table.lines[0].push_back(costs.transport);
    for (std::size_t step = 0; step < kSteps.size(); ++step) {
        std::vector<std::string>& line = table.lines.emplace_back(1, std::string(kSteps[step]));
        for (const Costs& costs : all)
            line.push_back(fixed(costs.cycles[step], 1));
    }
    std::vector<std::string>& last = table.lines.emplace_back(1, "together");
    for (const Costs& costs : all)
        last.push_back(fixed(costs.total(), 1));
    return table;
}

Json costs_json(const std::vector<Costs>& all) {
    Json out = Json::array();
    for (const Costs& costs : all) {
        Json steps = Json::object();
        for (std::size_t step = 0; step < kSteps.size(); ++step)
            steps[std::string(kSteps[step])] = costs.cycles[step];
        out.push_back({{"transport", costs.transport}, {"steps", steps}, {"cycles", costs.total()}});
    }
    return out;
}

void add_costs(report::Figures& figures, const std::vector<Costs>& all, std::size_t size) {
    for (const Costs& costs : all)
        figures.add({"message", costs.transport, size, "cycles"}, costs.total());
}

Json results_json(const Results& results, const std::vector<std::string>& subjects,
                  const std::vector<double>& percentiles) {
    Json out = Json::array();
    for (const std::string& by : results.transports()) {
        for (const std::size_t size : results.sizes()) {
            if (!results.has(by, size)) continue;
            Json& one = out.emplace_back(Json{{"transport", by},
                                              {"bytes", size},
                                              {"messages_per_second", results.rate(by, size)},
                                              {"bytes_per_second", bytes_per_second(results, by, size)}});
            for (const double percentile : percentiles)
                one["round_trip_ns"][percentile_name(percentile)] =
                    results.round_trip(by, size, percentile / 100);
            if (!is_among(subjects, by)) continue;
            for (const std::string& other : results.transports()) {
                if (is_among(subjects, other)) continue;
                one["round_trip_ratio"][other] = ratio_json(results.round_trip_ratio(by, other, size));
                one["rate_ratio"][other] = ratio_json(results.rate_ratio(by, other, size));
            }
        }
    }
    return out;
}

Json ratio_json(std::optional<double> ratio) {
    return ratio ? Json(*ratio) : Json(nullptr);
}

}  // namespace isoplane::perf
