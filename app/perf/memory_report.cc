// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "memory_report.hh"

#include <algorithm>
#include <cstdio>
#include <isoplane/runtime/views.hh>
#include <nlohmann/json.hpp>

#include "memory_reads.hh"

namespace isoplane::perf {

namespace {

using Lines = std::vector<std::vector<std::string>>;

std::string fixed(double value, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

/// Three digits or so, for a person; nothing for what was not measured.
std::string cell(std::optional<double> value, double scale = 1) {
    if (!value) return "-";
    const double scaled = *value * scale;
    return fixed(scaled, scaled < 10 ? 2 : scaled < 100 ? 1 : 0);
}

std::string reads(const Figures& figures) {
    Lines lines{{"", "ns", "99 %", "99.9 %", "cycles"}};
    const auto add = [&](const std::string& title, const std::string& what, const std::string& by) {
        lines.push_back({title});
        for (const char* figure : {"ns_p50", "ns_p99", "ns_p999", "cycles_p50"})
            lines.back().push_back(cell(figures.median({what, by, 0, figure})));
    };
    add("local read", "read", "local");
    add("remote read", "read", "remote");
    for (const char* step : kReadSteps)
        add("  " + std::string(step), "read_step", step);
    add("isotach round trip", "round_trip", "isotach");
    return runtime::align(lines);
}

std::string writes(const Figures& figures, const MemoryOptions& options) {
    Lines lines{{"writes", "issue ns, remote", "99 %", "mixed", "99 %", "isochrons/ms, remote", "mixed",
                 "writes/ms, remote", "mixed", "us/token", "99 %", "writes/ms, both hosts issue"}};
    for (const unsigned n : options.writes) {
        lines.push_back({std::to_string(n)});
        const auto add = [&](const char* what, const char* by, const char* figure, double scale) {
            lines.back().push_back(cell(figures.median({what, by, n, figure}), scale));
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
    return runtime::align(lines);
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

std::string updates(const Figures& figures, const MemoryOptions& options) {
    Lines lines{{"variables", "by", "updates/ms", "us", "99 %", "99.9 %", "rate to locks_tcp"}};
    for (const unsigned n : options.variables) {
        for (const std::string& by : updaters(figures)) {
            lines.push_back(
                {std::to_string(n), by, cell(figures.median({"update", by, n, "per_second"}), 1e-3)});
            for (const char* figure : {"ns_p50", "ns_p99", "ns_p999"})
                lines.back().push_back(cell(figures.median({"update", by, n, figure}), 1e-3));
            lines.back().push_back(cell(
                figures.ratio({"update", by, n, "per_second"}, {"update", "locks_tcp", n, "per_second"})));
        }
    }
    return runtime::align(lines);
}

std::string verdict(const Target& target) {
    return !target.value ? "not measured" : target.missed() ? "missed" : "met";
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

}  // namespace

std::vector<Target> memory_targets(const Figures& figures, const MemoryOptions& options) {
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

std::string to_tables(const MemoryReport& report) {
    const MemoryOptions& options = report.options;
    std::string text =
        "Links " + report.links[0] + " and " + report.links[1] + ", MTU " + std::to_string(options.mtu) +
        ", " + std::to_string(options.rounds) + " rounds of " + fixed(options.duration, 3) +
        " s a measurement; the token manager beside the host\nthat is measured. Figures are medians "
        "over the rounds; ratios are those within a round.\n\nReads, one at a time\n" +
        reads(report.figures) + "\nWrites, as many isochrons as are let\n" + writes(report.figures, options);
    text += "\nUpdates of two variables by " + std::to_string(options.workers) + " workers";
    if (!report.kernel.empty()) text += "; TCP over " + report.kernel + "; " + report.redis;
    text += "\n" + updates(report.figures, options) + "\n";
    Lines lines{{"target", "is", "verdict"}};
    for (const Target& target : report.targets)
        lines.push_back({target.sentence, target.value ? fixed(*target.value, 2) : "-", verdict(target)});
    return text + runtime::align(lines);
}

std::string to_json(const MemoryReport& report) {
    using Json = nlohmann::json;
    const MemoryOptions& options = report.options;
    Json out{{"links", report.links},
             {"mtu", options.mtu},
             {"cpus", options.cpus},
             {"rounds", options.rounds},
             {"seconds_each", options.duration},
             {"workers", options.workers},
             {"kernel", report.kernel.empty() ? Json(nullptr) : Json(report.kernel)},
             {"redis", report.redis.empty() ? Json(nullptr) : Json(report.redis)},
             {"failures", report.failures},
             {"figures", Json::array()},
             {"targets", Json::array()}};
    for (const FigureName& name : report.figures.names())
        out["figures"].push_back({{"what", name.what},
                                  {"by", name.by},
                                  {"at", name.at},
                                  {"figure", name.figure},
                                  {"value", *report.figures.median(name)}});
    for (const Target& target : report.targets)
        out["targets"].push_back({{"target", target.sentence},
                                  {"limit", target.limit},
                                  {"value", target.value ? Json(*target.value) : Json(nullptr)},
                                  {"verdict", verdict(target)}});
    return out.dump(2) + "\n";
}

std::string to_csv(const MemoryReport& report) {
    std::string text = "what,by,at,figure,value\n";
    for (const FigureName& name : report.figures.names())
        text += name.what + "," + name.by + "," + std::to_string(name.at) + "," + name.figure + "," +
                fixed(*report.figures.median(name), 3) + "\n";
    return text;
}

}  // namespace isoplane::perf
