// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <array>
#include <cstdio>
#include <isoplane/runtime/views.hh>
#include <nlohmann/json.hpp>

#include "sweep.hh"

namespace isoplane::perf {

namespace {

std::string fixed(double value, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

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

}  // namespace

std::string to_tables(const SweepResults& results) {
    std::string text;
    std::vector<std::vector<std::string>> lines;
    const auto flush = [&] {
        if (!lines.empty()) text += "\n" + runtime::align(lines);
        lines.clear();
    };
    std::string sweep;
    for (const Point& point : results.points) {
        if (point.sweep != sweep) {
            flush();
            sweep = point.sweep;
            std::vector<std::string>& heads = lines.emplace_back(1, title_of(sweep));
            for (const Column& column : kColumns)
                heads.emplace_back(column.title);
        }
        std::vector<std::string>& line = lines.emplace_back(1, value_of(point));
        for (const Column& column : kColumns)
            line.push_back(fixed(point.*column.figure * column.scale, column.digits));
    }
    flush();
    const Edges& edges = results.edges;
    text += "\nTokens a second of a host: " + fixed(edges.busy_tokens_per_second, 0) + " under load, " +
            fixed(edges.idle_tokens_per_second, 0) + " when idle. A token loop takes " +
            fixed(edges.loop_us, 2) + " us; on an idle\nnetwork an isochron takes " +
            fixed(edges.wake_loops, 2) +
            " loops longer. After a frame is lost its receiver executes nothing for " +
            fixed(edges.recovery_us, 0) + " us.\n";
    return text;
}

std::string to_csv(const SweepResults& results) {
    std::string text = "sweep,value";
    for (const Column& column : kColumns)
        text += std::string(",") + column.name;
    text += '\n';
    for (const Point& point : results.points) {
        text += point.sweep + ',' + value_of(point);
        for (const Column& column : kColumns)
            text += ',' + fixed(point.*column.figure, 6);
        text += '\n';
    }
    return text;
}

nlohmann::json to_json(const SweepResults& results) {
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

}  // namespace isoplane::perf
