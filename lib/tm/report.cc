// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/tm/report.hh>
#include <nlohmann/json.hpp>

namespace isoplane::tm {

void describe_exchange(const TokenExchange& exchange, const topology::Topology& topology,
                       nlohmann::json& out) {
    const ExchangeCounters& counters = exchange.counters();
    out["token_sent"] = exchange.sent();
    out["token_complete"] = exchange.complete();
    if (exchange.view() != 0) out["view"] = exchange.view();
    out["ahead"] = exchange.options().ahead;
    nlohmann::json& awaited = out["awaited"] = nlohmann::json::array();
    for (const NodeId node : exchange.awaited())
        awaited.push_back(topology.name(node));
    out["tokens_sent"] = counters.sent.get();
    out["tokens_received"] = counters.received.get();
    out["frames"] = counters.frames.get();
    out["along"] = counters.along.get();
    out["resent"] = counters.resent.get();
    out["entries"] = counters.entries.get();
    out["refused"] = counters.refused.get();
    out["overfull"] = counters.overfull.get();
    out["wakes"] = counters.wakes.get();
    out["duplicates"] = counters.duplicates.get();
    out["beyond"] = counters.beyond.get();
    out["stale_epoch"] = counters.stale_epoch.get();
    out["stale_view"] = counters.stale_view.get();
    out["unknown"] = counters.unknown.get();
    out["unlike"] = counters.unlike.get();
    out["malformed"] = counters.malformed.get();
}

std::string disagreement(const TokenExchange& exchange, const topology::Topology& topology) {
    const TokenExchange::Unlike* unlike = exchange.unlike();
    if (unlike == nullptr) return {};
    const auto sends = [&](NodeId node, unsigned ahead) {
        return topology.name(node) + " sends " + std::to_string(ahead);
    };
    return sends(unlike->node, unlike->ahead) + " tokens ahead, and " +
           sends(exchange.options().node, exchange.options().ahead) +
           ": there is no logical time between them; give all nodes of the job the same tokens-ahead";
}

}  // namespace isoplane::tm
