// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/siu/siu.hh>

namespace isoplane::siu {

namespace {

constexpr std::uint32_t kNotPending = UINT32_MAX;

tm::ExchangeOptions with_place(tm::ExchangeOptions options, const niu::Niu& niu,
                               const topology::Paths& paths) {
    options.node = niu.options().node;
    options.epoch = niu.options().epoch;
    options.neighbours = paths.topology().token_neighbours(options.node);
    options.reach = static_cast<std::uint8_t>(std::min(paths.greatest_token_hops(), std::uint32_t{255}));
    return options;
}

/// The latest first, as the standard library's heaps have their greatest in front.
bool later(const GroupAct& a, const GroupAct& b) noexcept {
    return a.pulse != b.pulse ? a.pulse > b.pulse : a.source > b.source;
}

/// All bits of a group word that are about one barrier.
constexpr std::uint32_t barrier_bits(unsigned channel) {
    return wire::group_join(channel) | wire::group_enter(channel) | wire::group_leave(channel);
}

/// Whether two acts can be told in one word, which has no order but join, enter, leave.
bool may_join(std::uint32_t first, std::uint32_t second) noexcept {
    for (unsigned channel = 0; channel < wire::kBarrierChannels; ++channel) {
        const std::uint32_t bits = barrier_bits(channel);
        const std::uint32_t before = first & bits;
        const std::uint32_t after = second & bits;
        // A later bit is a later act: whatever comes second has to lie above all that came first.
        if (before != 0 && after != 0 && (after & ~(after - 1)) <= before) return false;
    }
    return true;
}

}  // namespace

Siu::Siu(niu::Niu& niu, const topology::Paths& paths, SiuOptions options)
    : TokenExchange(niu, with_place(options.exchange, niu, paths)),
      own_(std::move(options)),
      greatest_distance_(paths.greatest_distance(TokenExchange::options().ahead)),
      pause_(own_.first_pause) {
    const std::size_t hosts = paths.topology().host_count();
    for (std::size_t host = 0; host < hosts; ++host)
        distances_.push_back(
            paths.distance(niu.options().node, static_cast<NodeId>(host), TokenExchange::options().ahead));
    pending_at_.assign(hosts, kNotPending);
}

void Siu::announce(NodeId to, std::uint32_t count) noexcept {
    if (own_.no_counts) [[unlikely]]
        return;
    std::uint32_t& at = pending_at_[to];
    if (at == kNotPending) {
        at = static_cast<std::uint32_t>(pending_.size());
        pending_.push_back({.source = options().node, .destination = to, .value = count});
    } else {
        pending_[at].value = count;
    }
}

Pulse Siu::act(std::uint32_t group_word) noexcept {
    if (!to_do_.empty() && may_join(to_do_.back(), group_word)) {
        to_do_.back() |= group_word;
    } else {
        to_do_.push_back(group_word);
    }
    // The tokens that go unprompted take nothing along.
    return std::max<Pulse>(clock(), options().ahead) + to_do_.size() - 1;
}

bool Siu::next_act(Pulse pulse, GroupAct& act) noexcept {
    if (acts_.empty() || acts_.front().pulse > pulse) return false;
    std::pop_heap(acts_.begin(), acts_.end(), later);
    act = acts_.back();
    acts_.pop_back();
    return true;
}

/// The token manager's, the only neighbour.
void Siu::on_complete(std::uint64_t number) noexcept {
    for (const wire::TokenEntry& entry : incoming(0, number)) {
        if (entry.source >= distances_.size() || entry.source == options().node) continue;
        if (entry.destination == options().node) {
            announcements_.push({number, entry.source, entry.value});
        } else if (entry.destination == wire::kEveryHost) {
            // It was done at number - distance.
            acts_.push_back(
                {number + greatest_distance_ - distances_[entry.source], entry.source, entry.value});
            std::push_heap(acts_.begin(), acts_.end(), later);
        }
    }
}

void Siu::fill(std::uint64_t number, std::size_t /*neighbour*/, Entries& entries) noexcept {
    entries.assign(pending_.begin(), pending_.end());
    for (const wire::TokenEntry& entry : pending_)
        pending_at_[entry.destination] = kNotPending;
    pending_.clear();
    if (to_do_.empty()) return;
    const std::uint32_t word = to_do_.front();
    to_do_.erase(to_do_.begin());
    entries.push_back({.source = options().node, .destination = wire::kEveryHost, .value = word});
    acts_.push_back({number - 1 + greatest_distance_, options().node, word});
    std::push_heap(acts_.begin(), acts_.end(), later);
}

bool Siu::may_send() noexcept {
    if (sent() < options().ahead) return true;
    if (beside_ != nullptr && !beside_->waits_only_for(options().node, sent() + 1)) return false;
    const Duration since = now() - last_sent_at();
    if (wanted_) prompt_until_ = now() + own_.linger;
    if (now() < prompt_until_) {
        pause_ = own_.first_pause;
        return since >= own_.pulse_interval;
    }
    if (since < std::max(pause_, own_.pulse_interval)) return false;
    pause_ = std::min(2 * pause_, own_.longest_pause);
    return true;
}

void Siu::want(bool wanted) noexcept {
    if (wanted == wanted_) return;
    wanted_ = wanted;
    // A token that is due tells the token manager by itself.
    if (wanted && sent() == complete() + options().ahead) wake(kNobody);
}

void Siu::on_wanted(std::size_t /*neighbour*/, std::uint8_t /*hops*/) noexcept {
    prompt_until_ = now() + own_.linger;
}

bool Siu::on_restart(NodeId /*neighbour*/) noexcept {
    return false;
}

}  // namespace isoplane::siu
