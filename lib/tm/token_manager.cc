// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/tm/token_manager.hh>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include <isoplane/tm/relay_steps.hh>
#include <isoplane/tm/report.hh>

namespace isoplane::tm {

namespace {

ExchangeOptions with_place(ExchangeOptions options, const niu::Niu& niu, const topology::Paths& paths,
                           NodeId node) {
    if (niu.options().nodes.size() != paths.topology().node_count())
        throw std::invalid_argument("the NIU knows " + std::to_string(niu.options().nodes.size()) +
                                    " nodes, the topology has " +
                                    std::to_string(paths.topology().node_count()));
    options.node = node;
    options.neighbours = paths.topology().token_neighbours(node);
    return options;
}

std::uint64_t unprompted_by_managers(const topology::Topology& topology, const ExchangeOptions& options) {
    const auto managers =
        std::ranges::count_if(options.neighbours, [&](NodeId node) { return !topology.is_host(node); });
    return static_cast<std::uint64_t>(managers) * options.ahead;
}

}  // namespace

TokenManager::TokenManager(niu::Niu& niu, const topology::Paths& paths, NodeId node, ExchangeOptions options)
    : Relay(niu, paths, with_place(std::move(options), niu, paths, node)),
      unprompted_(unprompted_by_managers(paths.topology(), this->options())) {}

/// As long as nobody has been heard but token managers with their first tokens, logical time may not be used
/// here: who wants it repeats its own until they are answered.
bool TokenManager::may_resend() const noexcept {
    if (view() != 0) return true;
    const ExchangeCounters& heard = counters();
    return heard.received.get() + heard.duplicates.get() + heard.beyond.get() + heard.stale_epoch.get() +
               heard.unlike.get() >
           unprompted_;
}

bool TokenManager::on_restart(NodeId /*neighbour*/) noexcept {
    restarts_.add();
    forget_wanted();
    return true;
}

void TokenManager::describe(nlohmann::json& out) const {
    describe_exchange(*this, paths().topology(), out);
    out["restarts"] = restarts();
}

template class Relay<TokenManager>;

}  // namespace isoplane::tm
