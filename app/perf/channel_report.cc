// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "channel_report.hh"

#include <nlohmann/json.hpp>

#include "tables.hh"

namespace isoplane::perf {

namespace {

using Json = nlohmann::json;
using transport::kNiuCoalesced;

const std::vector<std::string> kSubjects{transport::kDatagram, transport::kReliable, transport::kCopied,
                                         transport::kCopyFree};

Json relays_json(const Results& relays) {
    Json out = Json::array();
    for (const std::string& by : relays.transports()) {
        for (const std::size_t size : relays.sizes()) {
            out.push_back({{"by", by},
                           {"bytes", size},
                           {"messages_per_second", relays.median(by, size).messages_per_second},
                           {"to_forward", ratio_json(relays.rate_ratio(by, relay::kForward, size))}});
        }
    }
    return out;
}

}  // namespace

std::vector<Target> channel_targets(const ChannelReport& report) {
    return {{.sentence = "relay of 1 KB messages at least 0.8 of forwarding frames",
             .limit = 0.8,
             .value = report.relays.rate_ratio(relay::kDatagram, relay::kForward, 1024)}};
}

std::string to_tables(const ChannelReport& report) {
    std::string text = setup_text(report) + message_tables(report.results, kSubjects, kNiuCoalesced);
    text += "\nMillion messages a second that come back from a node that sends on what comes\n" +
            rate_table(report.relays, {relay::kDatagram, relay::kReliable}, relay::kForward) +
            "Of the datagrams of 256 bytes and more, " + fixed(report.as_is * 100, 1) +
            " % were sent on as they were.\n";
    return text + "\n" + target_lines(report.targets);
}

std::string to_json(const ChannelReport& report) {
    Json out = setup_json(report);
    out["results"] = results_json(report.results);
    out["relays"] = relays_json(report.relays);
    out["sent_on_as_is"] = report.as_is;
    out["targets"] = targets_json(report.targets);
    return out.dump(2) + "\n";
}

std::string to_csv(const ChannelReport& report) {
    return results_csv(report.results) + results_lines(report.relays);
}

}  // namespace isoplane::perf
