// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "active_report.hh"

#include <nlohmann/json.hpp>

#include "active_end.hh"
#include "plots.hh"
#include "tables.hh"
#include "transport.hh"

namespace isoplane::perf {

namespace {

using Json = nlohmann::json;
using transport::kNiuCoalesced;

Table half_power_points(const Results& results) {
    Table table{.name = "half_power",
                .title = "Bytes of a message that has half of the most bytes a second",
                .lines = std::vector<std::vector<std::string>>(2)};
    for (const std::string& transport : results.transports()) {
        if (transport == transport::kRequest) continue;
        const auto point = results.half_power_point(transport);
        table.lines[0].push_back(transport);
        table.lines[1].push_back(point ? fixed(*point, 0) : "-");
    }
    return table;
}

Table features_table(const ActiveCosts& costs) {
    Table table{.name = "features", .title = "What the cycles are for", .lines = {{"feature", "cycles"}}};
    const auto features = features_of(costs);
    if (!features) {
        table.note = "It cannot be told: a layer was not measured.";
        return table;
    }
    table.lines.push_back({"base", fixed(features->base, 0)});
    table.lines.push_back({"reliability", fixed(features->reliability, 0)});
    table.lines.push_back({"protection", fixed(features->protection, 0)});
    table.note = "Protection is to name the handler (" + fixed(costs.names.name, 1) + ") and to find it (" +
                 fixed(costs.names.find, 1) +
                 "); that a frame is the job's is seen with the rest of its header.";
    return table;
}

Json features_json(const ActiveCosts& costs) {
    const auto features = features_of(costs);
    if (!features) return nullptr;
    return {{"base", features->base},
            {"reliability", features->reliability},
            {"protection", features->protection}};
}

}  // namespace

void add_to(report::Record& record, const Results& results, const ActiveCosts& costs) {
    record.tables.push_back(half_power_points(results));
    record.tables.push_back(costs_table("Cycles of a request of four words, both sides in turn on one CPU, " +
                                            std::to_string(kBatch) + " messages a poll",
                                        costs.steps));
    record.tables.push_back(features_table(costs));
    record.plots.push_back(costs_plot("Where the cycles of a request of four words go", costs.steps));
    add_costs(record.figures, costs.steps, ActiveEnd::kRequestSize);
    record.details["half_power_bytes"] = Json::object();
    for (const std::string& transport : results.transports())
        if (transport != transport::kRequest)
            record.details["half_power_bytes"][transport] = ratio_json(results.half_power_point(transport));
    record.details["breakdown"] = {{"bytes", ActiveEnd::kRequestSize},
                                   {"messages_a_poll", kBatch},
                                   {"costs", costs_json(costs.steps)},
                                   {"features", features_json(costs)}};
    record.targets = {
        {.sentence = "round trip of a four-word request at most 1.2 times the NIU's",
         .limit = 1.2,
         .at_most = true,
         .value = results.round_trip_ratio(transport::kRequest, kNiuCoalesced, ActiveEnd::kRequestSize)}};
}

}  // namespace isoplane::perf
