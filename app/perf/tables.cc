// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "tables.hh"

#include <algorithm>
#include <cstdio>
#include <isoplane/runtime/views.hh>
#include <nlohmann/json.hpp>

namespace isoplane::perf {

using Json = nlohmann::json;
using Lines = std::vector<std::vector<std::string>>;

std::string fixed(double value, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

std::string figure(double value) {
    if (!(value > 0)) return "-";
    return fixed(value, value < 10 ? 2 : value < 100 ? 1 : 0);
}

std::string figure(std::optional<double> value) {
    return value ? fixed(*value, 2) : "-";
}

std::string size_text(std::size_t size) {
    if (size >= (1U << 20) && size % (1U << 20) == 0) return std::to_string(size >> 20) + "M";
    if (size >= 1024 && size % 1024 == 0) return std::to_string(size >> 10) + "K";
    return std::to_string(size);
}

std::string table(const Results& results, const Cell& cell, Ratio ratio,
                  const std::vector<std::string>& subjects, const std::string& base) {
    std::vector<std::string> compared;
    for (const std::string& name : results.transports())
        if (std::find(subjects.begin(), subjects.end(), name) != subjects.end()) compared.push_back(name);
    Lines lines{{"bytes"}};
    for (const std::string& name : results.transports())
        lines[0].push_back(name);
    for (const std::string& name : compared)
        lines[0].push_back(name + "/" + base);
    for (const std::size_t size : results.sizes()) {
        auto& line = lines.emplace_back();
        line.push_back(size_text(size));
        for (const std::string& name : results.transports())
            line.push_back(cell(results.median(name, size), size));
        for (const std::string& name : compared)
            line.push_back(figure((results.*ratio)(name, base, size)));
    }
    return runtime::align(lines);
}

std::string rate_table(const Results& results, const std::vector<std::string>& subjects,
                       const std::string& base) {
    return table(
        results, [](const Sample& s, std::size_t) { return figure(s.messages_per_second / 1e6); },
        &Results::rate_ratio, subjects, base);
}

std::string message_tables(const Results& results, const std::vector<std::string>& subjects,
                           const std::string& base) {
    return "Round trip, microseconds, median; ratios are medians over the rounds\n" +
           table(
               results, [](const Sample& s, std::size_t) { return figure(s.round_trip.median / 1e3); },
               &Results::round_trip_ratio, subjects, base) +
           "\nMillion messages a second, one way\n" + rate_table(results, subjects, base) +
           "\nMegabytes a second, one way\n" +
           table(
               results,
               [](const Sample& s, std::size_t size) {
                   return figure(s.messages_per_second * static_cast<double>(size) / 1e6);
               },
               &Results::rate_ratio, subjects, base);
}

std::string table(const std::vector<Costs>& all) {
    Lines lines{{"step"}};
    for (const Costs& costs : all)
        lines[0].push_back(costs.transport);
    for (std::size_t step = 0; step < kSteps.size(); ++step) {
        auto& line = lines.emplace_back();
        line.emplace_back(kSteps[step]);
        for (const Costs& costs : all)
            line.push_back(fixed(costs.cycles[step], 1));
    }
    auto& last = lines.emplace_back();
    last.emplace_back("together");
    for (const Costs& costs : all)
        last.push_back(fixed(costs.total(), 1));
    return runtime::align(lines);
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

Json results_json(const Results& results) {
    Json out = Json::array();
    for (const std::string& transport : results.transports()) {
        for (const std::size_t size : results.sizes()) {
            if (!results.has(transport, size)) continue;
            const Sample sample = results.median(transport, size);
            out.push_back({{"transport", transport},
                           {"bytes", size},
                           {"round_trip_ns",
                            {{"p50", sample.round_trip.median},
                             {"p99", sample.round_trip.p99},
                             {"p999", sample.round_trip.p999}}},
                           {"messages_per_second", sample.messages_per_second},
                           {"bytes_per_second", sample.messages_per_second * static_cast<double>(size)}});
        }
    }
    return out;
}

std::string results_csv(const Results& results) {
    return "transport,bytes,round_trip_ns_p50,round_trip_ns_p99,round_trip_ns_p999,messages_per_second,"
           "bytes_per_second\n" +
           results_lines(results);
}

std::string results_lines(const Results& results) {
    std::string text;
    for (const std::string& transport : results.transports()) {
        for (const std::size_t size : results.sizes()) {
            if (!results.has(transport, size)) continue;
            const Sample s = results.median(transport, size);
            text += transport + "," + std::to_string(size);
            for (const double value :
                 {s.round_trip.median, s.round_trip.p99, s.round_trip.p999, s.messages_per_second,
                  s.messages_per_second * static_cast<double>(size)})
                text += "," + fixed(value, 1);
            text += "\n";
        }
    }
    return text;
}

Json setup_json(const Comparison& comparison) {
    const PairOptions& options = comparison.options;
    return {{"links", comparison.links},
            {"mtu", options.mtu},
            {"encapsulation", options.frames.udp ? "udp" : "ethernet"},
            {"trust_fcs", options.frames.trust_fcs},
            {"cpus", options.cpus},
            {"rounds", options.rounds},
            {"seconds_each", options.duration},
            {"kernel", comparison.kernel.empty() ? Json(nullptr) : Json(comparison.kernel)},
            {"failures", comparison.failures}};
}

std::string setup_text(const Comparison& comparison) {
    const PairOptions& options = comparison.options;
    const std::string& kernel = comparison.kernel;
    std::string text = "Links " + comparison.links[0] + " and " + comparison.links[1] + ", MTU " +
                       std::to_string(options.mtu) + ", " + std::to_string(options.rounds) + " rounds of " +
                       fixed(options.duration, 3) + " s a measurement";
    if (options.frames.udp) text += "; frames of the NIU in UDP";
    if (options.frames.trust_fcs) text += "; without its checksum over payloads";
    return text + (kernel.empty() ? ".\n\n" : "; sockets over " + kernel + ".\n\n");
}

namespace {

std::string verdict(const Target& target) {
    return !target.value ? "not measured" : target.missed() ? "missed" : "met";
}

}  // namespace

std::string target_lines(const std::vector<Target>& all) {
    Lines lines{{"target", "is", "verdict"}};
    for (const Target& target : all)
        lines.push_back({target.sentence, figure(target.value), verdict(target)});
    return runtime::align(lines);
}

Json targets_json(const std::vector<Target>& all) {
    Json out = Json::array();
    for (const Target& target : all) {
        out.push_back({{"target", target.sentence},
                       {"limit", target.limit},
                       {"value", ratio_json(target.value)},
                       {"verdict", verdict(target)}});
    }
    return out;
}

Json ratio_json(std::optional<double> ratio) {
    return ratio ? Json(*ratio) : Json(nullptr);
}

}  // namespace isoplane::perf
