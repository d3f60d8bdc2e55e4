// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "report.hh"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <isoplane/runtime/views.hh>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "../command.hh"
#include "tables.hh"
#include "transport.hh"

namespace isoplane::perf {

namespace {

using Json = nlohmann::json;
using Lines = std::vector<std::vector<std::string>>;

bool is_niu(const std::string& transport) {
    return transport == transport::kNiu || transport == transport::kNiuCoalesced;
}

/// A line for each size, a column for each transport, and one for each ratio of an NIU to `base`.
std::string table(const Results& results, const Cell& cell, Ratio ratio, const std::string& base) {
    return table(results, cell, ratio, {transport::kNiu, transport::kNiuCoalesced}, base);
}

std::string round_trips(const Results& results) {
    const auto part = [&](double RoundTrip::*which) {
        return table(
            results, [&](const Sample& s, std::size_t) { return figure(s.round_trip.*which / 1e3); },
            &Results::round_trip_ratio, transport::kRaw);
    };
    std::string text = "Round trip, microseconds, median; ratios to raw, medians over the rounds\n" +
                       part(&RoundTrip::median);
    // Of the tails no ratio is given: they are the machine's more than anybody's.
    for (const auto& [name, which] :
         {std::pair{"99 %", &RoundTrip::p99}, std::pair{"99.9 %", &RoundTrip::p999}}) {
        Lines lines{{"bytes"}};
        lines[0].insert(lines[0].end(), results.transports().begin(), results.transports().end());
        for (const std::size_t size : results.sizes()) {
            auto& line = lines.emplace_back();
            line.push_back(size_text(size));
            for (const std::string& transport : results.transports())
                line.push_back(figure(results.median(transport, size).round_trip.*which / 1e3));
        }
        text += "\nRound trip, microseconds, " + std::string(name) + "\n" + runtime::align(lines);
    }
    return text;
}

Json figures_json(const Results& results, const std::string& transport, std::size_t size) {
    const Sample sample = results.median(transport, size);
    Json out{{"transport", transport},
             {"bytes", size},
             {"round_trip_ns",
              {{"p50", sample.round_trip.median},
               {"p99", sample.round_trip.p99},
               {"p999", sample.round_trip.p999}}},
             {"messages_per_second", sample.messages_per_second},
             {"bytes_per_second", sample.messages_per_second * static_cast<double>(size)}};
    if (!is_niu(transport)) return out;
    for (const std::string& other : results.transports()) {
        if (is_niu(other)) continue;
        out["round_trip_ratio"][other] = ratio_json(results.round_trip_ratio(transport, other, size));
        out["rate_ratio"][other] = ratio_json(results.rate_ratio(transport, other, size));
    }
    return out;
}

}  // namespace

std::string to_tables(const Report& report) {
    const Results& results = report.results;
    std::string text = setup_text(report);
    text += round_trips(results);
    text += "\nMillion messages a second, one way; ratios to io\n" +
            table(
                results, [](const Sample& s, std::size_t) { return figure(s.messages_per_second / 1e6); },
                &Results::rate_ratio, transport::kIo);
    text += "\nMegabytes a second, one way; ratios to raw\n" +
            table(
                results,
                [](const Sample& s, std::size_t size) {
                    return figure(s.messages_per_second * static_cast<double>(size) / 1e6);
                },
                &Results::rate_ratio, transport::kRaw);
    text += "\nCycles of a message of " + std::to_string(kBreakdownSize) +
            " bytes, both sides in turn on one CPU, " + std::to_string(kBatch) + " messages a poll\n" +
            table(report.costs);
    return text + "\n" + target_lines(report.targets);
}

std::string to_json(const Report& report) {
    Json out = setup_json(report);
    out["results"] = Json::array();
    for (const std::string& transport : report.results.transports()) {
        for (const std::size_t size : report.results.sizes())
            out["results"].push_back(figures_json(report.results, transport, size));
    }
    out["breakdown"] = {
        {"bytes", kBreakdownSize}, {"messages_a_poll", kBatch}, {"costs", costs_json(report.costs)}};
    out["targets"] = targets_json(report.targets);
    return out.dump(2) + "\n";
}

std::string to_csv(const Report& report) {
    std::string text =
        "transport,bytes,round_trip_ns_p50,round_trip_ns_p99,round_trip_ns_p999,messages_per_second,"
        "bytes_per_second,round_trip_to_raw,rate_to_io,rate_to_raw\n";
    const Results& results = report.results;
    const auto plain = [](std::optional<double> ratio) { return ratio ? fixed(*ratio, 4) : std::string(); };
    for (const std::string& transport : results.transports()) {
        for (const std::size_t size : results.sizes()) {
            const Sample s = results.median(transport, size);
            text += transport + "," + std::to_string(size);
            for (const double value :
                 {s.round_trip.median, s.round_trip.p99, s.round_trip.p999, s.messages_per_second,
                  s.messages_per_second * static_cast<double>(size)})
                text += "," + fixed(value, 1);
            text += "," + plain(results.round_trip_ratio(transport, transport::kRaw, size)) + "," +
                    plain(results.rate_ratio(transport, transport::kIo, size)) + "," +
                    plain(results.rate_ratio(transport, transport::kRaw, size)) + "\n";
        }
    }
    return text;
}

int conclude(const char* command, const std::vector<std::string>& failures,
             const std::vector<Target>& targets, bool check) {
    int code = app::kSuccess;
    for (const std::string& failure : failures) {
        std::fprintf(stderr, "isoplane %s: %s\n", command, failure.c_str());
        code = app::kRunFailed;
    }
    for (const Target& target : targets) {
        if (!check || !target.missed()) continue;
        std::fprintf(stderr, "isoplane %s: the target '%s' was missed: it is %.2f\n", command,
                     target.sentence.c_str(), *target.value);
        code = app::kRunFailed;
    }
    return code;
}

void write_to(const std::string& file, const std::string& text) {
    if (file == "-") {
        std::fputs(text.c_str(), stdout);
        return;
    }
    std::ofstream out(file);
    out << text;
    out.close();
    if (!out) {
        throw std::runtime_error("the file '" + file + "' cannot be written: " + std::strerror(errno) +
                                 "; give another one, or make room for it");
    }
}

}  // namespace isoplane::perf
