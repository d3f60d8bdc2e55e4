// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <bit>
#include <isoplane/niu/epoch.hh>
#include <isoplane/tm/token_exchange.hh>
#include <stdexcept>
#include <string>
#include <utility>

namespace isoplane::tm {

namespace {

ExchangeOptions checked(ExchangeOptions options) {
    if (options.ahead == 0 || options.ahead > 64) {
        throw std::invalid_argument(std::to_string(options.ahead) + " tokens ahead cannot be; give 1 to 64");
    }
    return options;
}

}  // namespace

TokenExchange::TokenExchange(niu::Niu& niu, ExchangeOptions options)
    : niu_(niu),
      options_(checked(std::move(options))),
      mask_(std::bit_ceil(std::size_t{2} * options_.ahead) - 1),
      most_entries_(std::size_t{options_.hosts} * options_.hosts),
      index_(niu.options().nodes.size(), kNoNeighbour),
      along_(niu.options().nodes.named() + 1),
      takes_(options_.in_views ? kNone : 0),
      quiet_(options_.in_views ? kFrozen : 0),
      rtt_(options_.timeout) {
    for (const NodeId node : options_.neighbours)
        add_neighbour(node);
    niu_.attach(options_.node, this);
}

TokenExchange::~TokenExchange() {
    niu_.attach(options_.node, nullptr);
}

void TokenExchange::add_neighbour(NodeId node) {
    index_[node] = static_cast<NodeId>(neighbours_.size());
    neighbours_.push_back(
        {.node = node, .in = std::vector<Incoming>(mask_ + 1), .out = std::vector<Outgoing>(mask_ + 1)});
    neighbour_count_ = neighbours_.size();
}

void TokenExchange::forget_neighbours() noexcept {
    neighbours_.clear();
    neighbour_count_ = 0;
    std::fill(index_.begin(), index_.end(), kNoNeighbour);
}

void TokenExchange::begin_at(std::uint32_t view, std::uint64_t base) noexcept {
    view_ = view;
    takes_ = static_cast<std::uint16_t>(view);
    base_ = sent_ = complete_ = base;
    level_ = 0;
    prompt_ = pending_ = resending_ = false;
    unlike_ = {};
    set(kFrozen, false);
    rtt_ = niu::RttEstimator(options_.timeout);
    resend_at_ = Time::max();
    for (Neighbour& neighbour : neighbours_) {
        neighbour.in_to = base;
        neighbour.gone = {base};
        neighbour.heard = now_;
    }
}

void TokenExchange::freeze() noexcept {
    takes_ = kNone;
    base_ = complete_;  // there is no time to send at any more
    set(kFrozen, true);
    pending_ = false;
}

/// That nobody was heard says nothing while this node itself did not run.
void TokenExchange::note_poll(Time now) noexcept {
    const Duration missed = watch_.missed(now);
    if (missed == Duration{0}) return;
    for (Neighbour& neighbour : neighbours_)
        runtime::put_off(neighbour.heard, missed, now);
}

/// Returns whether the neighbour's tokens are complete further than before.
bool TokenExchange::keep(Neighbour& neighbour, const wire::Token& token,
                         const wire::TokenView& view) noexcept {
    if (options_.accept_any_number && token.number <= neighbour.in_to) [[unlikely]] {
        if (neighbour.in_to < sent_ + options_.ahead) ++neighbour.in_to;
        return true;
    }
    if (token.number > sent_ + options_.ahead) {
        counters_.beyond.add();
        return false;
    }
    if (token.number + token.further <= neighbour.in_to) {
        counters_.duplicates.add();
        return false;
    }
    if (token.number > neighbour.in_to) keep_part(neighbour, token, view);
    if (token.further != 0) keep_empty(neighbour, token);
    const std::uint64_t before = neighbour.in_to;
    pass_whole(neighbour);
    return neighbour.in_to != before;
}

inline void TokenExchange::keep_part(Neighbour& neighbour, const wire::Token& token,
                                     const wire::TokenView& view) noexcept {
    Incoming& slot = neighbour.in[token.number & mask_];
    neighbour.kept_to = std::max(neighbour.kept_to, token.number);
    const bool is_host = neighbour.node < options_.hosts;
    const bool is_possible =
        token.last_part == 0 || token.last_part < (is_host ? options_.hosts : most_entries_);
    if (slot.number != token.number) [[likely]]
        slot.begin(token.number, is_possible ? token.last_part : std::uint16_t{0});
    slot.wanted = std::max(slot.wanted, token.wanted);
    if (!is_possible) [[unlikely]] {
        // It says nothing then, rather than have all wait for the rest.
        if (slot.last_part == 0) slot.parts = 1;
        return counters_.malformed.add();
    }
    if (slot.whole() || token.last_part != slot.last_part || (token.last_part != 0 && slot.seen[token.part]))
        return counters_.duplicates.add();
    if (token.last_part != 0) slot.seen[token.part] = true;
    ++slot.parts;
    if (slot.entries.empty() && view.size() != 0 && is_host)
        slot.said_to.assign(options_.hosts + std::size_t{1}, false);
    for (std::size_t i = 0; i < view.size(); ++i) {
        const wire::TokenEntry entry = view.entry(i);
        if (is_news(neighbour, slot, entry)) [[likely]]
            slot.entries.push_back(entry);
        else
            counters_.refused.add();
    }
}

/// A host speaks for itself, and says one thing to each: so what all say fits a token, wherever their ways
/// meet. What a token manager passes on is not known so exactly here.
inline bool TokenExchange::is_news(const Neighbour& neighbour, Incoming& slot,
                                   const wire::TokenEntry& entry) const noexcept {
    const NodeId hosts = options_.hosts;
    const bool to_all = entry.destination == wire::kEveryHost;
    if (entry.source >= hosts || (entry.destination >= hosts && !to_all)) return false;
    if (neighbour.node >= hosts) return slot.entries.size() < most_entries_;
    const std::size_t whom = to_all ? hosts : entry.destination;
    if (entry.source != neighbour.node || slot.said_to[whom]) return false;
    return slot.said_to[whom] = true;
}

/// Token managers have said things twice: that is no reason why the others should not learn the rest.
void TokenExchange::keep_one_of_each(Entries& entries) noexcept {
    const auto what = [](const wire::TokenEntry& entry) {
        return std::uint32_t{entry.source} << 16 | entry.destination;
    };
    std::sort(entries.begin(), entries.end(),
              [&](const auto& a, const auto& b) { return what(a) < what(b); });
    const auto end = std::unique(entries.begin(), entries.end(),
                                 [&](const auto& a, const auto& b) { return what(a) == what(b); });
    counters_.refused.add(static_cast<std::size_t>(entries.end() - end));
    entries.erase(end, entries.end());
}

inline void TokenExchange::keep_empty(Neighbour& neighbour, const wire::Token& token) noexcept {
    const std::uint64_t last = std::min(token.number + token.further, sent_ + options_.ahead);
    for (std::uint64_t number = std::max(token.number, neighbour.in_to) + 1; number <= last; ++number) {
        Incoming& slot = neighbour.in[number & mask_];
        if (slot.number != number || !slot.whole()) slot.fill(number, 0);
        slot.wanted = std::max(slot.wanted, token.wanted);
    }
    neighbour.kept_to = std::max(neighbour.kept_to, last);
}

bool TokenExchange::is_unlike(const Neighbour& neighbour, const wire::Token& first) noexcept {
    const unsigned ahead = first.further + 1U;
    if (ahead != options_.ahead) {
        unlike_ = {neighbour.node, ahead};
        counters_.unlike.add();
        return true;
    }
    if (unlike_.node == neighbour.node) unlike_ = {};
    return false;
}

/// A neighbour that says it has tokens which have not been sent to it would be sent others in their place.
bool TokenExchange::has_place(std::uint64_t number) const noexcept {
    return std::ranges::all_of(
        neighbours_, [&](const Neighbour& neighbour) { return number <= neighbour.gone.number + mask_ + 1; });
}

void TokenExchange::begin_anew() noexcept {
    options_.epoch = niu::next_epoch(options_.epoch);
    sent_ = complete_ = 0;
    level_ = 0;
    prompt_ = pending_ = resending_ = false;
    rtt_ = niu::RttEstimator(options_.timeout);
    resend_at_ = Time::max();
    for (Neighbour& neighbour : neighbours_) {
        neighbour.in_to = 0;
        neighbour.gone = {};
        neighbour.forget_theirs();
        neighbour.forget_ours();
    }
}

std::vector<NodeId> TokenExchange::awaited() const {
    std::vector<NodeId> nodes;
    for (const Neighbour& neighbour : neighbours_) {
        if (neighbour.in_to == complete_) nodes.push_back(neighbour.node);
    }
    return nodes;
}

}  // namespace isoplane::tm
