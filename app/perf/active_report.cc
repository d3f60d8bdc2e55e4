// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "active_report.hh"

#include <isoplane/runtime/views.hh>
#include <nlohmann/json.hpp>

#include "active_end.hh"
#include "tables.hh"
#include "transport.hh"

namespace isoplane::perf {

namespace {

using Json = nlohmann::json;
using transport::kNiuCoalesced;
using transport::kRequest;
using transport::kTransfer;

std::string half_power_points(const Results& results) {
    std::vector<std::vector<std::string>> lines(2);
    for (const std::string& transport : results.transports()) {
        if (transport == kRequest) continue;
        const auto point = results.half_power_point(transport);
        lines[0].push_back(transport);
        lines[1].push_back(point ? fixed(*point, 0) : "-");
    }
    return runtime::align(lines);
}

std::string feature_lines(const ActiveCosts& costs) {
    const auto features = features_of(costs);
    if (!features) return "What they are for cannot be told: a layer was not measured.\n";
    return runtime::align({{"feature", "cycles"},
                           {"base", fixed(features->base, 0)},
                           {"reliability", fixed(features->reliability, 0)},
                           {"protection", fixed(features->protection, 0)}}) +
           "Protection is to name the handler (" + fixed(costs.names.name, 1) + ") and to find it (" +
           fixed(costs.names.find, 1) + "); that a frame is the job's is seen with the rest of its header.\n";
}

Json features_json(const ActiveCosts& costs) {
    const auto features = features_of(costs);
    if (!features) return nullptr;
    return {{"base", features->base},
            {"reliability", features->reliability},
            {"protection", features->protection}};
}

}  // namespace

std::vector<Target> active_targets(const ActiveReport& report) {
    return {{.sentence = "round trip of a four-word request at most 1.2 times the NIU's",
             .limit = 1.2,
             .at_most = true,
             .value = report.results.round_trip_ratio(kRequest, kNiuCoalesced, ActiveEnd::kRequestSize)}};
}

std::string to_tables(const ActiveReport& report) {
    std::string text = setup_text(report);
    text += message_tables(report.results, {kRequest, kTransfer}, kNiuCoalesced);
    text +=
        "\nBytes of a message that has half of the most bytes a second\n" + half_power_points(report.results);
    text += "\nCycles of a request of four words, both sides in turn on one CPU, " + std::to_string(kBatch) +
            " messages a poll\n" + table(report.costs.steps) + "\n" + feature_lines(report.costs);
    return text + "\n" + target_lines(report.targets);
}

std::string to_json(const ActiveReport& report) {
    Json out = setup_json(report);
    out["results"] = results_json(report.results);
    out["half_power_bytes"] = Json::object();
    for (const std::string& transport : report.results.transports())
        if (transport != kRequest)
            out["half_power_bytes"][transport] = ratio_json(report.results.half_power_point(transport));
    out["breakdown"] = {{"bytes", ActiveEnd::kRequestSize},
                        {"messages_a_poll", kBatch},
                        {"costs", costs_json(report.costs.steps)},
                        {"features", features_json(report.costs)}};
    out["targets"] = targets_json(report.targets);
    return out.dump(2) + "\n";
}

std::string to_csv(const ActiveReport& report) {
    return results_csv(report.results);
}

}  // namespace isoplane::perf
