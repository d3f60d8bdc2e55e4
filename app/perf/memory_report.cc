// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "memory_report.hh"

#include <algorithm>

#include "memory_reads.hh"
#include "results.hh"
#include "tables.hh"

namespace isoplane::perf {

namespace {

/// Three digits or so, for a person; nothing for what was not measured.
std::string cell(std::optional<double> value, double scale = 1) {
    if (!value) return "-";
    const double scaled = *value * scale;
    return fixed(scaled, scaled < 10 ? 2 : scaled < 100 ? 1 : 0);
}

Table reads(const Figures& figures) {
    Table table{
        .name = "reads", .title = "Reads, one at a time", .lines = {{"", "ns", "99 %", "99.9 %", "cycles"}}};
    const auto add = [&](const std::string& title, const std::string& what, const std::string& by) {
        table.lines.push_back({title});
        for (const char* figure : {"ns_p50", "ns_p99", "ns_p999", "cycles_p50"})
            table.lines.back().push_back(cell(figures.median({what, by, 0, figure})));
    };
    add("local read", "read", "local");
    add("remote read", "read", "remote");
    for (const char* step : kReadSteps)
        add("  " + std::string(step), "read_step", step);
    for (const FigureName& name : figures.names())
        if (name.what == "round_trip" && name.figure == "ns_p50")
            add(name.by + " round trip", name.what, name.by);
    return table;
}

Table writes(const Figures& figures, const MemoryOptions& options) {
    Table table{
        .name = "writes",
        .title = "Writes, as many isochrons as are let",
        .lines = {{"writes", "issue ns, remote", "99 %", "mixed", "99 %", "isochrons/ms, remote", "mixed",
                   "writes/ms, remote", "mixed", "us/token", "99 %", "writes/ms, both hosts issue"}}};
    for (const unsigned n : options.writes) {
        table.lines.push_back({std::to_string(n)});
        const auto add = [&](const char* what, const char* by, const char* figure, double scale) {
            table.lines.back().push_back(cell(figures.median({what, by, n, figure}), scale));
        };
        for (const char* by : {"remote", "mixed"})
            for (const char* figure : {"issue_ns_p50", "issue_ns_p99"})
                add("write", by, figure, 1);
        for (const char* figure : {"isochrons_per_second", "writes_per_second"})
            for (const char* by : {"remote", "mixed"})
                add("write", by, figure, 1e-3);
        for (const char* figure : {"token_ns_p50", "token_ns_p99"})
            add("load", "mixed", figure, 1e-3);
        add("load", "mixed", "writes_per_second", 1e-3);
    }
    return table;
}

/// Who updates, in the order in which they were measured.
std::vector<std::string> updaters(const Figures& figures) {
    std::vector<std::string> names;
    for (const FigureName& name : figures.names()) {
        if (name.what == "update" && std::ranges::find(names, name.by) == names.end())
            names.push_back(name.by);
    }
    return names;
}

Table updates(const Figures& figures, const MemoryOptions& options, const std::string& others) {
    Table table{
        .name = "updates",
        .title = "Updates of two variables by " + std::to_string(options.workers) + " workers" + others,
        .lines = {{"variables", "by", "updates/ms", "us", "99 %", "99.9 %", "rate to locks_tcp"}}};
    for (const unsigned n : options.variables) {
        for (const std::string& by : updaters(figures)) {
            table.lines.push_back(
                {std::to_string(n), by, cell(figures.median({"update", by, n, "per_second"}), 1e-3)});
            for (const char* figure : {"ns_p50", "ns_p99", "ns_p999"})
                table.lines.back().push_back(cell(figures.median({"update", by, n, figure}), 1e-3));
            table.lines.back().push_back(cell(
                figures.ratio({"update", by, n, "per_second"}, {"update", "locks_tcp", n, "per_second"})));
        }
    }
    return table;
}

/// The lowest ratio over all numbers of variables.
std::optional<double> worst_lead(const Figures& figures, const MemoryOptions& options,
                                 const std::string& by) {
    std::optional<double> worst;
    for (const unsigned n : options.variables) {
        const auto lead =
            figures.ratio({"update", by, n, "per_second"}, {"update", "locks_tcp", n, "per_second"});
        if (lead && (!worst || *lead < *worst)) worst = lead;
    }
    return worst;
}

std::vector<Target> targets_of(const Figures& figures, const MemoryOptions& options) {
    const auto many_to_one = [&](const char* by) {
        return figures.ratio({"write", by, 32, "writes_per_second"}, {"write", by, 1, "writes_per_second"});
    };
    return {{.sentence = "nanoseconds of a local read at most 150",
             .limit = 150,
             .at_most = true,
             .value = figures.median({"read", "local", 0, "ns_p50"})},
            {.sentence = "remote read at most 1.0 of an isotach round trip",
             .limit = 1,
             .at_most = true,
             .value = figures.ratio({"read", "remote", 0, "ns_p50"}, {"round_trip", "isotach", 0, "ns_p50"})},
            {.sentence = "mixed writes a second at 32 an isochron at least 5 times those at 1",
             .limit = 5,
             .value = many_to_one("mixed")},
            {.sentence = "remote writes a second at 32 an isochron at least 5 times those at 1",
             .limit = 5,
             .value = many_to_one("remote")},
            {.sentence = "updates by an isochron ahead of locks over TCP at every number of variables",
             .limit = 1,
             .value = worst_lead(figures, options, "isochron")},
            {.sentence = "updates by SCHED and ASSIGN ahead of locks over TCP at every number of variables",
             .limit = 1,
             .value = worst_lead(figures, options, "sched")}};
}

report::Plot updates_plot(const Figures& figures, const MemoryOptions& options) {
    report::Plot plot{.name = "updates",
                      .title = "Updates of two variables by " + std::to_string(options.workers) + " workers",
                      .x = {.title = "variables to choose from",
                            .scale = report::Scale::kLog,
                            .notation = report::Notation::kBytes},
                      .y = {.title = "thousand updates a second", .scale = report::Scale::kLog}};
    for (const std::string& by : updaters(figures)) {
        report::Series& series = plot.series.emplace_back(report::Series{.name = by, .role = role_of(by)});
        for (const unsigned n : options.variables)
            if (const auto rate = figures.median({"update", by, n, "per_second"}))
                series.dots.push_back({static_cast<double>(n), *rate / 1e3});
    }
    return plot;
}

report::Plot writes_plot(const Figures& figures, const MemoryOptions& options) {
    report::Plot plot{.name = "writes",
                      .title = "Writes by the size of their isochron",
                      .x = {.title = "writes of an isochron",
                            .scale = report::Scale::kLog,
                            .notation = report::Notation::kBytes},
                      .y = {.title = "thousand writes a second", .scale = report::Scale::kLog}};
    for (const char* by : {"remote", "mixed"}) {
        report::Series& series = plot.series.emplace_back(report::Series{.name = by});
        for (const unsigned n : options.writes)
            if (const auto rate = figures.median({"write", by, n, "writes_per_second"}))
                series.dots.push_back({static_cast<double>(n), *rate / 1e3});
    }
    return plot;
}

/// A remote read as a stack of what it waits for.
report::Plot reads_plot(const Figures& figures) {
    report::Plot plot{.name = "read",
                      .title = "Where the time of a remote read goes",
                      .form = report::Form::kBars,
                      .y = {.title = "nanoseconds, medians of each step"},
                      .categories = {"remote read"}};
    for (const char* step : kReadSteps)
        plot.series.push_back(
            {.name = step, .dots = {{0, figures.median({"read_step", step, 0, "ns_p50"}).value_or(0)}}});
    return plot;
}

/// A remote read is bound by the step that takes more than half of it, if one does.
std::vector<report::Bound> bounds_of(const Figures& figures) {
    const auto whole = figures.median({"read", "remote", 0, "ns_p50"});
    if (!whole) return {};
    const auto part = [&](const char* step) {
        return figures.median({"read_step", step, 0, "ns_p50"}).value_or(0) / *whole;
    };
    const double ways = part("way_there") + part("answer_back");
    report::Bound bound{
        .by = "remote read", .resource = "unknown", .reason = "no step takes more than half of it"};
    const auto takes = [&](const char* resource, double share) {
        if (share > 0.5)
            bound = {"remote read", 0, resource, "it takes " + fixed(100 * share, 0) + " % of the time"};
    };
    takes("the ways there and back", ways);
    takes("waiting for the pulse", part("order"));
    takes("execution", part("execution"));
    takes("issue", part("issue"));
    return {bound};
}

}  // namespace

void add_to(report::Record& record, const MemoryOptions& options, const std::string& others) {
    const Figures& figures = record.figures;
    record.tables = {reads(figures), writes(figures, options), updates(figures, options, others)};
    record.plots = {updates_plot(figures, options), writes_plot(figures, options), reads_plot(figures)};
    record.bounds = bounds_of(figures);
    record.targets = targets_of(figures, options);
}

}  // namespace isoplane::perf
