// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/siu/siu.hh>
#include <isoplane/tm/relay_steps.hh>

namespace isoplane::siu {

namespace {

/// Nothing is missing while this host only holds its next token back.
tm::ExchangeOptions with_patience(tm::ExchangeOptions options, Duration pulse_interval) {
    const Duration least = 2 * pulse_interval;
    niu::TimeoutLimits& timeout = options.timeout;
    for (Duration* limit : {&timeout.initial, &timeout.least, &timeout.most, &options.idle_timeout})
        *limit = std::max(*limit, least);
    return options;
}

tm::ExchangeOptions with_place(tm::ExchangeOptions options, const niu::Niu& niu,
                               const topology::Paths& paths) {
    const topology::Topology& topology = paths.topology();
    options.node = niu.options().node;
    options.epoch = niu.options().epoch;
    options.neighbours = topology.token_neighbours(options.node);
    if (!niu.options().manages) return options;
    const NodeId host = options.node;
    options.node = options.neighbours.front();
    options.neighbours = topology.token_neighbours(options.node);
    std::erase(options.neighbours, host);
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
    : Relay(niu, paths, with_patience(with_place(options.exchange, niu, paths), options.pulse_interval)),
      niu_(niu),
      own_(std::move(options)),
      here_(niu.options().node),
      greatest_distance_(paths.greatest_distance(TokenExchange::options().ahead)),
      pause_(own_.first_pause) {
    const std::size_t hosts = paths.topology().host_count();
    const std::uint32_t ahead = TokenExchange::options().ahead;
    for (std::size_t host = 0; host < hosts; ++host) {
        const Pulse distance = paths.distance(here_, static_cast<NodeId>(host), ahead);
        distances_.push_back(static_cast<std::uint32_t>(distance - (manages() ? ahead : 0)));
    }
    announced_.resize(hosts);
    pending_.reserve(hosts);
    managers_.assign(paths.topology().node_count(), wire::kNoNode);
    if (survives() && !own_.no_lag)
        held_from_ = lag_ = Pulse{TokenExchange::options().reach - (manages() ? 1U : 0U)} * ahead;
}

void Siu::begin_to_announce(NodeId to) noexcept {
    if (own_.no_counts) [[unlikely]]
        return;
    announced_[to].pending = true;
    pending_.push_back(to);
}

inline void Siu::forget_pending() noexcept {
    for (const NodeId to : pending_)
        announced_[to].pending = false;
    pending_.clear();
}

Pulse Siu::act(std::uint32_t group_word) noexcept {
    // The tokens that go unprompted take nothing along. All hosts reckon as if this one's had a token manager
    // to go to first.
    const std::uint64_t delay = manages() ? options().ahead : 0;
    const std::uint64_t next = std::max<Pulse>(clock(), base() + options().ahead) + 1;
    if (!to_do_.empty() && to_do_.back().with - delay >= next && may_join(to_do_.back().word, group_word)) {
        to_do_.back().word |= group_word;
    } else {
        const std::uint64_t after = to_do_.empty() ? 0 : to_do_.back().with + 1;
        to_do_.push({std::max(next + delay, after), group_word});
    }
    return to_do_.back().with - delay - 1;
}

bool Siu::next_act(Pulse pulse, GroupAct& act) noexcept {
    if (acts_.empty() || acts_.front().pulse > pulse) return false;
    std::pop_heap(acts_.begin(), acts_.end(), later);
    act = acts_.back();
    acts_.pop_back();
    return true;
}

inline void Siu::on_entry(std::uint64_t number, const wire::TokenEntry& entry) noexcept {
    if (entry.source >= distances_.size() || entry.source == here_) return;
    if (entry.destination == here_) {
        announcements_.push({number, entry.source, entry.value});
    } else if (entry.destination == wire::kEveryHost) {
        // It was done at number - distance.
        keep_act({number + greatest_distance_ - distances_[entry.source], entry.source, entry.value});
    }
}

/// What that counts of its own has come before it.
inline void Siu::on_entry_behind(NodeId sender, std::uint64_t number,
                                 const wire::TokenEntry& entry) noexcept {
    if (entry.source == sender && entry.destination == here_) return;
    on_entry(number, entry);
}

void Siu::begin_time(Pulse cut, Pulse base) noexcept {
    cut_ = cut;
    held_from_ = base + lag_;
    last_stamp_ = base;
    last_token_ = 0;
    look_at_ = 0;
    std::fill(managers_.begin(), managers_.end(), wire::kNoNode);
    forget_pending();
    for (; !announcements_.empty(); announcements_.pop()) {
    }
    std::erase_if(acts_, [this](const GroupAct& act) { return act.pulse > cut_ && act.source != here_; });
    for (; !to_do_.empty(); to_do_.pop())
        acts_.push_back({known_at(to_do_.front().with), here_, to_do_.front().word});
    std::make_heap(acts_.begin(), acts_.end(), later);
}

Pulse Siu::last() const noexcept {
    Pulse last = last_stamp_;
    for (const GroupAct& act : acts_)
        if (act.source == here_) last = std::max(last, act.pulse);
    return to_do_.empty() ? last : std::max(last, known_at(to_do_.back().with));
}

std::vector<GroupAct> Siu::own_acts() const {
    std::vector<GroupAct> own;
    std::ranges::copy_if(acts_, std::back_inserter(own),
                         [this](const GroupAct& act) { return act.source == here_; });
    return own;
}

void Siu::keep_act(const GroupAct& act) noexcept {
    acts_.push_back(act);
    std::push_heap(acts_.begin(), acts_.end(), later);
}

inline void Siu::on_send(std::uint64_t number) noexcept {
    const bool alone = neighbour_count() == 0;
    if (alone) [[unlikely]]
        forget_pending();
    acts_now_ = 0;
    if (!acts_with(number)) [[likely]]
        return;
    const std::uint32_t word = to_do_.front().word;
    to_do_.pop();
    if (!alone) acts_now_ = word;
    keep_act({known_at(number), here_, word});
}

/// Called for each neighbour in turn: the last takes what there was to say with it.
inline void Siu::add_own(std::size_t neighbour, Entries& entries) noexcept {
    const auto add = [&](NodeId destination, std::uint32_t value) {
        wire::TokenEntry& entry = entries.emplace_back();
        entry.source = here_;
        entry.destination = destination;
        entry.value = value;
    };
    entries.clear();
    for (const NodeId to : pending_) {
        if (neighbour_count() == 1 ||
            paths().next_token_hop(options().node, to) == TokenExchange::neighbour(neighbour))
            add(to, announced_[to].count);
    }
    if (acts_now_ != 0) add(wire::kEveryHost, acts_now_);
    if (neighbour + 1 == neighbour_count()) forget_pending();
}

inline std::uint64_t Siu::may_announce_to(NodeId host) const noexcept {
    const bool only_that = pending_.size() == 1 && pending_.front() == host && to_do_.empty();
    return only_that && wanted_ && own_.pulse_interval == Duration{0} ? last_token_ : 0;
}

inline void Siu::announce_to(NodeId host, Entries& entries) noexcept {
    prompt_until_ = now() + own_.linger;
    pause_ = own_.first_pause;
    forget_pending();
    entries.resize(1);
    entries.front() = {.source = here_, .destination = host, .value = announced_[host].count};
}

/// One at a time, but all that are due while time is wanted and pulses have no length.
inline std::uint64_t Siu::may_send_to() noexcept {
    if (sent() < base() + options().ahead) return std::min(last_token_, base() + options().ahead);
    const Duration since = now() - last_sent_at();
    if (wanted_) prompt_until_ = now() + own_.linger;
    if (now() < prompt_until_) {
        pause_ = own_.first_pause;
        if (own_.pulse_interval == Duration{0}) return last_token_;
        return since >= own_.pulse_interval ? std::min(last_token_, sent() + 1) : sent();
    }
    if (sent() >= last_token_ || since < std::max(pause_, own_.pulse_interval)) return sent();
    pause_ = std::min(2 * pause_, own_.longest_pause);
    return sent() + 1;
}

void Siu::change_wanted(bool wanted) noexcept {
    wanted_ = wanted;
    // A token that is due tells the token manager by itself.
    if (wanted && sent() == complete() + options().ahead) wake(kNobody);
}

/// Most token managers are no hosts; so it looks for one only now and then.
inline NodeId Siu::carrier(NodeId neighbour) noexcept {
    if (neighbour < options().hosts) return neighbour;
    constexpr std::uint64_t kNowAndThen = 64;
    NodeId& manager = managers_[neighbour];
    if (manager == wire::kNoNode && sent() >= look_at_) [[unlikely]] {
        look_at_ = sent() + kNowAndThen;
        const topology::Topology& topology = paths().topology();
        for (std::size_t i = 0; i < topology.host_count(); ++i) {
            const auto host = static_cast<NodeId>(i);
            if (niu_.peer(host).manages && topology.switch_of(host) == topology.switch_of(neighbour))
                manager = host;
        }
    }
    return manager;
}

bool Siu::on_restart(NodeId /*neighbour*/) noexcept {
    return false;
}

}  // namespace isoplane::siu

template class isoplane::tm::Relay<isoplane::siu::Siu>;
