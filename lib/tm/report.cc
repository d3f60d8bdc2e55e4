// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/tm/report.hh>
#include <nlohmann/json.hpp>

namespace isoplane::tm {

namespace {

/// Each counter with its name: what is shown, and what is cleared.
template <typename Each>
void for_each_counter(auto& counters, Each&& each) {
    each("tokens_sent", counters.sent);
    each("tokens_received", counters.received);
    each("frames", counters.frames);
    each("along", counters.along);
    each("resent", counters.resent);
    each("entries", counters.entries);
    each("refused", counters.refused);
    each("overfull", counters.overfull);
    each("wakes", counters.wakes);
    each("duplicates", counters.duplicates);
    each("beyond", counters.beyond);
    each("stale_epoch", counters.stale_epoch);
    each("stale_view", counters.stale_view);
    each("unknown", counters.unknown);
    each("unlike", counters.unlike);
    each("malformed", counters.malformed);
}

}  // namespace

void describe_exchange(const TokenExchange& exchange, const topology::Topology& topology,
                       nlohmann::json& out) {
    out["token_sent"] = exchange.sent();
    out["token_complete"] = exchange.complete();
    if (exchange.view() != 0) out["view"] = exchange.view();
    out["ahead"] = exchange.options().ahead;
    nlohmann::json& awaited = out["awaited"] = nlohmann::json::array();
    for (const NodeId node : exchange.awaited())
        awaited.push_back(topology.name(node));
    for_each_counter(exchange.counters(),
                     [&](const char* key, const runtime::Counter& counter) { out[key] = counter.get(); });
}

void TokenExchange::clear_counters() {
    for_each_counter(counters_, [](const char*, runtime::Counter& counter) { counter.set(0); });
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
