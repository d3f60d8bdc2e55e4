// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/tm/relay.hh>

namespace isoplane::tm {

namespace {

ExchangeOptions with_reach(ExchangeOptions options, const topology::Paths& paths) {
    options.reach = static_cast<std::uint8_t>(std::min(paths.greatest_token_hops(), std::uint32_t{255}));
    return options;
}

}  // namespace

Relay::Relay(niu::Niu& niu, const topology::Paths& paths, ExchangeOptions options)
    : TokenExchange(niu, with_reach(std::move(options), paths)),
      paths_(paths),
      passes_on_(!paths.topology().is_host(this->options().node)),
      woken_through_(std::size_t{this->options().reach} + 1) {}

void Relay::fill(std::uint64_t number, std::size_t neighbour, Entries& entries) noexcept {
    add_own(neighbour, entries);
    if (neighbour_count() == 1) return;
    const NodeId to = TokenExchange::neighbour(neighbour);
    for (std::size_t i = 0; i < neighbour_count(); ++i) {
        if (i == neighbour) continue;
        for (const wire::TokenEntry& entry : incoming(i, number - options().ahead)) {
            if (goes_to(entry, TokenExchange::neighbour(i), to)) entries.push_back(entry);
        }
    }
}

/// Entries that came by another way than they should are forged, or of another topology: they go nowhere.
bool Relay::goes_to(const wire::TokenEntry& entry, NodeId from, NodeId to) const noexcept {
    const NodeId here = options().node;
    if (entry.destination != wire::kEveryHost)
        return entry.destination != here && paths_.next_token_hop(here, entry.destination) == to;
    return entry.source != to && entry.source != here && paths_.next_token_hop(here, entry.source) == from &&
           paths_.next_token_hop(to, entry.source) == here;
}

/// One hop less than the neighbour that wants it for furthest.
std::uint8_t Relay::wanted() noexcept {
    if (wants()) return options().reach;
    const std::uint64_t number = sent() + 1;
    std::uint8_t hops = woken_for(number);
    if (number <= base() + options().ahead || !passes_on_) return hops;
    for (std::size_t i = 0; i < neighbour_count(); ++i) {
        const std::uint8_t theirs = incoming_wanted(i, number - options().ahead);
        if (theirs > hops + 1) hops = static_cast<std::uint8_t>(theirs - 1);
    }
    return hops;
}

std::uint8_t Relay::woken_for(std::uint64_t number) const noexcept {
    auto hops = static_cast<std::uint8_t>(woken_through_.size() - 1);
    while (hops != 0 && woken_through_[hops] < number)
        --hops;
    return hops;
}

void Relay::on_wanted(std::size_t neighbour, std::uint8_t hops) noexcept {
    on_others_want();
    if (!passes_on_) return;
    const auto further = static_cast<std::uint8_t>(std::min<std::size_t>(hops, woken_through_.size()) - 1);
    const bool awake = woken_for(sent() + 1) >= further;
    woken_through_[further] = sent() + std::uint64_t{2} * options().ahead;
    if (!awake && further != 0) wake(neighbour);
}

void Relay::forget_wanted() noexcept {
    std::fill(woken_through_.begin(), woken_through_.end(), 0);
}

}  // namespace isoplane::tm
