// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "channel_report.hh"

#include <nlohmann/json.hpp>

#include "plots.hh"
#include "tables.hh"

namespace isoplane::perf {

namespace {

using Json = nlohmann::json;

Json relays_json(const Results& relays) {
    Json out = Json::array();
    for (const std::string& by : relays.transports()) {
        for (const std::size_t size : relays.sizes()) {
            out.push_back({{"by", by},
                           {"bytes", size},
                           {"messages_per_second", relays.rate(by, size)},
                           {"to_forward", ratio_json(relays.rate_ratio(by, relay::kForward, size))}});
        }
    }
    return out;
}

}  // namespace

void add_to(report::Record& record, const Results& relays, double as_is) {
    Table table = rate_table(relays, {relay::kDatagram, relay::kReliable}, relay::kForward);
    table.name = "relays";
    table.title =
        "Million messages a second that come back from a node that sends on what comes; ratios to forward";
    table.note =
        "Of the datagrams that are not copied, " + fixed(as_is * 100, 1) + " % were sent on as they were.";
    record.tables.push_back(std::move(table));
    record.plots.push_back(rate_plot("relays", "Messages that a relay sends back", relays));
    relays.add_to(record.figures, "relay", {relay::kDatagram, relay::kReliable});
    record.details["relays"] = relays_json(relays);
    record.details["sent_on_as_is"] = as_is;
    record.targets = {{.sentence = "relay of 1 KB messages at least 0.8 of forwarding frames",
                       .limit = 0.8,
                       .value = relays.rate_ratio(relay::kDatagram, relay::kForward, 1024)}};
}

void add_to(report::Record& record, const Results& relays, const std::string& wire) {
    Table table = rate_table(relays, {relay::kDatagram, relay::kReliable}, relay::kForward);
    table.name = "wire_relays";
    table.title = "The same on a link that carries " + wire + " a second, as a wire does";
    record.tables.push_back(std::move(table));
    relays.add_to(record.figures, "wire_relay", {relay::kDatagram, relay::kReliable});
    record.details["wire"] = wire;
    record.details["wire_relays"] = relays_json(relays);
    record.targets.push_back({.sentence = "the same on a wire of " + wire + ", at least 0.8",
                              .limit = 0.8,
                              .value = relays.rate_ratio(relay::kDatagram, relay::kForward, 1024)});
}

}  // namespace isoplane::perf
