// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/tm/token_manager.hh>
#include <nlohmann/json.hpp>
#include <stdexcept>

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
    options.reach = static_cast<std::uint8_t>(std::min(paths.greatest_token_hops(), std::uint32_t{255}));
    return options;
}

std::uint64_t unprompted_by_managers(const topology::Topology& topology, const ExchangeOptions& options) {
    const auto managers =
        std::ranges::count_if(options.neighbours, [&](NodeId node) { return !topology.is_host(node); });
    return static_cast<std::uint64_t>(managers) * options.ahead;
}

}  // namespace

TokenManager::TokenManager(niu::Niu& niu, const topology::Paths& paths, NodeId node, ExchangeOptions options)
    : TokenExchange(niu, with_place(std::move(options), niu, paths, node)),
      paths_(paths),
      unprompted_(unprompted_by_managers(paths.topology(), this->options())),
      woken_through_(std::size_t{this->options().reach} + 1) {}

void TokenManager::fill(std::uint64_t number, std::size_t neighbour, Entries& entries) noexcept {
    const NodeId to = TokenExchange::neighbour(neighbour);
    for (std::size_t i = 0; i < neighbour_count(); ++i) {
        if (i == neighbour) continue;
        for (const wire::TokenEntry& entry : incoming(i, number - options().ahead)) {
            if (goes_to(entry, TokenExchange::neighbour(i), to)) entries.push_back(entry);
        }
    }
}

/// As long as nobody has been heard but token managers with their first tokens, logical time may not be used
/// here: who wants it repeats its own until they are answered.
bool TokenManager::may_resend() const noexcept {
    const ExchangeCounters& heard = counters();
    return heard.received.get() + heard.duplicates.get() + heard.beyond.get() + heard.stale_epoch.get() >
           unprompted_;
}

/// Entries that came by another way than they should are forged, or of another topology: they go nowhere.
bool TokenManager::goes_to(const wire::TokenEntry& entry, NodeId from, NodeId to) const noexcept {
    const NodeId here = options().node;
    if (entry.destination != wire::kEveryHost)
        return entry.destination != here && paths_.next_token_hop(here, entry.destination) == to;
    return entry.source != to && entry.source != here && paths_.next_token_hop(here, entry.source) == from &&
           paths_.next_token_hop(to, entry.source) == here;
}

/// One hop less than the neighbour that wants it for furthest.
std::uint8_t TokenManager::wanted() noexcept {
    const std::uint64_t number = sent() + 1;
    std::uint8_t hops = woken_for(number);
    if (number <= options().ahead) return hops;
    for (std::size_t i = 0; i < neighbour_count(); ++i) {
        const std::uint8_t theirs = incoming_wanted(i, number - options().ahead);
        if (theirs > hops + 1) hops = static_cast<std::uint8_t>(theirs - 1);
    }
    return hops;
}

std::uint8_t TokenManager::woken_for(std::uint64_t number) const noexcept {
    auto hops = static_cast<std::uint8_t>(woken_through_.size() - 1);
    while (hops != 0 && woken_through_[hops] < number)
        --hops;
    return hops;
}

void TokenManager::on_wanted(std::size_t neighbour, std::uint8_t hops) noexcept {
    const auto further = static_cast<std::uint8_t>(std::min<std::size_t>(hops, woken_through_.size()) - 1);
    const bool awake = woken_for(sent() + 1) >= further;
    woken_through_[further] = sent() + std::uint64_t{2} * options().ahead;
    if (!awake && further != 0) wake(neighbour);
}

bool TokenManager::on_restart(NodeId /*neighbour*/) noexcept {
    restarts_.add();
    std::fill(woken_through_.begin(), woken_through_.end(), 0);
    return true;
}

void TokenManager::describe(nlohmann::json& out) const {
    describe_exchange(*this, paths_.topology(), out);
    out["restarts"] = restarts();
}

}  // namespace isoplane::tm
