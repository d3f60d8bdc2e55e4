// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <array>
#include <nlohmann/json.hpp>

#include "sweep.hh"
#include "tables.hh"

namespace isoplane::perf {

namespace {

/// The figures of a point, in the order of their columns.
struct Column {
    const char* name;   ///< in CSV and JSON
    const char* title;  ///< in tables
    double Point::*figure;
    int digits;
    double scale = 1;  ///< of tables
};

constexpr std::array kColumns{
    Column{"latency_us", "latency us", &Point::latency_us, 2},
    Column{"added_us", "added us", &Point::added_us, 2},
    Column{"issue_us", "issue us", &Point::issue_us, 2},
    Column{"cost_us", "cost us", &Point::cost_us, 2},
    Column{"isochrons_per_second", "isochrons/ms", &Point::isochrons_per_second, 1, 1e-3},
    Column{"messages_per_second", "messages/ms", &Point::messages_per_second, 1, 1e-3},
    Column{"token_us", "us/token", &Point::token_us, 2},
    Column{"token_share", "tokens %", &Point::token_share, 1, 100},
    Column{"sent_again_share", "again %", &Point::sent_again_share, 1, 100},
};

const char* title_of(const std::string& sweep) {
    if (sweep == "messages") return "messages";
    if (sweep == "mixed") return "messages, half own";
    if (sweep == "destinations") return "destinations of 15";
    if (sweep == "hosts") return "hosts, 1 addressed";
    if (sweep == "ahead") return "tokens ahead";
    if (sweep == "interval") return "pulse interval us";
    return "frames lost, of 1";
}

std::string value_of(const Point& point) {
    return fixed(point.value, point.sweep == "loss" ? 3 : 0);
}

/// What one message takes in logical time, and outside it, as one thing changes.
report::Plot latency_plot(const std::string& sweep, const SweepResults& results) {
    report::Plot plot{.name = "sweep_" + sweep,
                      .title = "Ordered and unordered, by " + std::string(title_of(sweep)),
                      .x = {.title = title_of(sweep)},
                      .y = {.title = "microseconds, median", .scale = report::Scale::kLog},
                      .series = {{.name = "isotach"}, {.name = "noniso", .role = report::Role::kLimit}},
                      .note = "One thread polls all hosts in turn."};
    const bool doubles = sweep != "interval" && sweep != "loss";
    if (doubles) plot.x.scale = report::Scale::kLog;
    if (doubles) plot.x.notation = report::Notation::kBytes;
    for (const Point& point : results.points) {
        if (point.sweep != sweep) continue;
        plot.series[0].dots.push_back({point.value, point.latency_us});
        plot.series[1].dots.push_back({point.value, point.latency_us - point.added_us});
    }
    return plot;
}

nlohmann::json json_of(const SweepResults& results) {
    nlohmann::json points = nlohmann::json::array();
    for (const Point& point : results.points) {
        nlohmann::json& out = points.emplace_back();
        out["sweep"] = point.sweep;
        out["value"] = point.value;
        out["tokens_per_second"] = point.tokens_per_second;
        for (const Column& column : kColumns)
            out[column.name] = point.*column.figure;
    }
    const Edges& edges = results.edges;
    return {{"points", std::move(points)},
            {"busy_tokens_per_second", edges.busy_tokens_per_second},
            {"idle_tokens_per_second", edges.idle_tokens_per_second},
            {"token_loop_us", edges.loop_us},
            {"wake_token_loops", edges.wake_loops},
            {"recovery_us", edges.recovery_us}};
}

std::string edges_text(const Edges& edges) {
    return "Tokens a second of a host: " + fixed(edges.busy_tokens_per_second, 0) + " under load, " +
           fixed(edges.idle_tokens_per_second, 0) + " when idle. A token loop takes " +
           fixed(edges.loop_us, 2) + " us; on an idle\nnetwork an isochron takes " +
           fixed(edges.wake_loops, 2) +
           " loops longer. After a frame is lost its receiver executes nothing for " +
           fixed(edges.recovery_us, 0) + " us.";
}

}  // namespace

void add_to(report::Record& record, const SweepResults& results) {
    if (results.points.empty()) return;
    std::string sweep;
    for (const Point& point : results.points) {
        if (point.sweep != sweep) {
            sweep = point.sweep;
            Table& table = record.tables.emplace_back(Table{.name = "sweep_" + sweep,
                                                            .title = "Sweep: " + std::string(title_of(sweep)),
                                                            .lines = {{title_of(sweep)}}});
            for (const Column& column : kColumns)
                table.lines[0].emplace_back(column.title);
            record.plots.push_back(latency_plot(sweep, results));
        }
        std::vector<std::string>& line = record.tables.back().lines.emplace_back(1, value_of(point));
        for (const Column& column : kColumns)
            line.push_back(fixed(point.*column.figure * column.scale, column.digits));
    }
    record.tables.back().note = edges_text(results.edges);
    for (const Point& point : results.samples)
        for (const Column& column : kColumns)
            record.figures.add({"sweep", point.sweep, point.value, column.name}, point.*column.figure);
    record.details["sweeps"] = json_of(results);
}

}  // namespace isoplane::perf
