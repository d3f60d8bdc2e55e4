// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// A network whose hosts and token managers die or are cut off, and what is to become of the others.

#include <algorithm>

#include "sim/majority.hh"
#include "sim/network.hh"
#include "sim/rules.hh"

namespace isoplane::sim {

using runtime::Duration;

void Network::make_mortal(std::size_t host) {
    membership::Options options{.limit = scenario_.mortality.limit};
    options.planted.no_majority = scenario_.planted.no_majority;
    for (topology::SwitchId s = 0; s < topology_.switch_count(); ++s)
        if (scenario_.manager_at[s] == host) options.plays = topology_.token_manager(s);
    hosts_[host]->survive(paths_, scenario_.exchange_options(), options);
}

void Network::make_mortal(Manager& manager) {
    membership::Options options{.limit = scenario_.mortality.limit};
    options.planted.no_majority = scenario_.planted.no_majority;
    manager.survive(topology_, options);
}

/// In a later life, which knows nothing of the one before.
void Network::start_again(std::size_t host) {
    constexpr std::uint32_t kNextLife = 1000;
    past_.push_back({static_cast<std::uint16_t>(host), epochs_[host], std::move(history_[host]), true});
    history_[host].clear();
    if (!hosts_[host]->dead()) hosts_[host]->die();
    epochs_[host] += kNextLife;
    start(host);
    make_mortal(host);
    ++restarts_;
}

void Network::start_again(Manager& manager) {
    constexpr std::uint32_t kNextLife = 1000;
    const topology::NodeId node = manager.niu().options().node;
    if (!manager.dead()) manager.die();
    epochs_[node] += kNextLife;
    manager.start(pool_, niu_options(node), paths_, scenario_.exchange_options());
    make_mortal(manager);
    ++restarts_;
}

/// Mostly one who is gone; or one who lives, so soon that perhaps nobody misses it.
void Network::start_again() {
    const auto remembers = [](const auto& one) {
        return !one->dead() && !one->agreement()->given_up() && one->agreement()->view().number != 0;
    };
    const auto witnesses =
        std::ranges::count_if(hosts_, remembers) + std::ranges::count_if(managers_, remembers);
    // When all start again, another history begins.
    if (witnesses == 0) return;
    const bool any = random_.below(4) == 0 && witnesses > 1;
    const auto is_candidate = [any](const auto& one) {
        return any || one.dead() || one.agreement()->given_up();
    };
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < hosts_.size(); ++i)
        if (is_candidate(*hosts_[i])) candidates.push_back(i);
    for (std::size_t i = 0; i < managers_.size(); ++i)
        if (is_candidate(*managers_[i])) candidates.push_back(hosts_.size() + i);
    if (candidates.empty()) return;
    const std::size_t chosen = candidates[random_.below(candidates.size())];
    if (chosen < hosts_.size()) return start_again(chosen);
    start_again(*managers_[chosen - hosts_.size()]);
}

/// Each host's in their order.
std::vector<Life> Network::lives() const {
    std::vector<Life> all;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        const auto host = static_cast<std::uint16_t>(i);
        std::ranges::copy_if(past_, std::back_inserter(all),
                             [host](const Life& life) { return life.host == host; });
        all.push_back({host, epochs_[i], history_[i], hosts_[i]->dead()});
    }
    return all;
}

/// It lives, and has not been told that the others go on without it.
bool Network::takes_part(const Host& host) const {
    return !host.dead() && !host.agreement()->given_up();
}

std::uint64_t Network::count_given_up() const {
    const auto is_given_up = [](const auto& one) {
        return !one->dead() && one->agreement() != nullptr && one->agreement()->given_up();
    };
    return static_cast<std::uint64_t>(std::ranges::count_if(hosts_, is_given_up) +
                                      std::ranges::count_if(managers_, is_given_up));
}

std::uint64_t Network::naps() const {
    std::uint64_t n = 0;
    for (const auto& host : hosts_)
        n += host->clock().naps();
    for (const auto& manager : managers_)
        n += manager->clock().naps();
    return n;
}

Duration Network::furthest_ahead() const {
    Duration most{};
    for (const auto& host : hosts_)
        most = std::max(most, host->clock().ahead());
    for (const auto& manager : managers_)
        most = std::max(most, manager->clock().ahead());
    return most;
}

void Network::look_at_views() {
    const auto look = [this](const auto& one) {
        if (!one.dead()) views_.see(one.niu().options().node, one.agreement()->view());
    };
    for (const auto& host : hosts_)
        look(*host);
    for (const auto& manager : managers_)
        look(*manager);
    deaths_.look(views_, world_.now());
}

/// Those who take part can agree on a view, when all hear each other who have not given each other up.
bool Network::has_majority() const {
    const wire::View* view = views_.latest();
    if (view == nullptr) return true;
    Majority majority(*view);
    for (const auto& host : hosts_)
        if (takes_part(*host)) majority.add(host->niu(), !host->isotach().arrives());
    for (const auto& manager : managers_)
        if (!manager->dead() && !manager->agreement()->given_up()) majority.add(manager->niu(), false);
    return majority.is_there();
}

/// Those who take part have nothing to do, are in one view, and nobody is in it who has died.
bool Network::survivors_rest() {
    const wire::View* view = views_.latest();
    if (view == nullptr) return false;
    Pulse acted = 0;
    Pulse executed = UINT64_MAX;
    for (const auto& host : hosts_) {
        if (host->dead() && membership::find(*view, host->niu().options().node) != nullptr) return false;
        if (!takes_part(*host)) continue;
        if (host->agreement()->view().number != view->number || !host->rests() || !host->siu().started() ||
            host->isotach().flushing())
            return false;
        acted = std::max(acted, host->isotach().acted_at() + host->siu().greatest_distance());
        executed = std::min(executed, host->isotach().ordering().executed());
    }
    for (const auto& manager : managers_) {
        const topology::NodeId node = manager->niu().options().node;
        if (manager->dead() && membership::find(*view, node)->played_by == node) return false;
    }
    return executed >= acted;
}

void Network::note_death(topology::NodeId node) {
    deaths_.add(node, epochs_[node], topology_.is_host(node), world_.now());
}

/// One who lives dies, or some are cut off from all others.
void Network::strike() {
    Mortality& left = scenario_.mortality;
    const std::uint64_t chance = random_.below(left.hosts + left.managers + left.cuts + left.restarts);
    if (chance < left.hosts) {
        --left.hosts;
        Host& host = *hosts_[random_.below(hosts_.size())];
        if (host.dead()) return;
        note_death(host.niu().options().node);
        host.die();
    } else if (chance < left.hosts + left.managers) {
        --left.managers;
        if (managers_.empty()) return;
        Manager& manager = *managers_[random_.below(managers_.size())];
        if (manager.dead()) return;
        note_death(manager.niu().options().node);
        manager.die();
    } else if (chance < left.hosts + left.managers + left.restarts) {
        --left.restarts;
        start_again();
    } else {
        --left.cuts;
        cut();
    }
}

/// Some from all others, or only what comes to them: for so long that they may be missed by tokens alone, or
/// that NIUs give each other up for good.
void Network::cut() {
    const Duration limit = scenario_.mortality.limit;
    std::vector<unsigned> cut_off;
    fabric::Partition groups(fabric_->ports(), 0);
    for (unsigned port = 0; port < fabric_->ports(); ++port) {
        if (random_.below(3) != 0) continue;
        cut_off.push_back(port);
        groups[port] = 1;
    }
    const bool one_way = random_.below(3) == 0;
    if (one_way) {
        ++partitions_;
        for (const unsigned port : cut_off)
            fabric_->set(port, {.loss = 1});
    } else {
        divide(groups);
    }
    const auto watch = [this] {
        look_at_views();
        return !complaint().empty();
    };
    run_until(watch, limit / 2 + some(random_, 11 * limit / 2));
    heal();
    if (one_way) disturb();
}

std::string Network::die_and_survive(Duration limit) {
    const auto over = [this] {
        look_at_views();
        return !complaint().empty() || !views_.complaint().empty();
    };
    const auto has_begun = [](const auto& one) { return one->agreement()->view().number != 0; };
    disturb();
    run_until(
        [&] {
            return over() ||
                   (std::ranges::all_of(hosts_, has_begun) && std::ranges::all_of(managers_, has_begun));
        },
        limit);
    Mortality& left = scenario_.mortality;
    while (left.hosts + left.managers + left.cuts + left.restarts != 0 && !over()) {
        disturb();
        run_until(over, some(random_, left.within));
        strike();
    }
    heal();
    disturb();
    run_until(over, left.rest);
    run_until([&] { return over() || survivors_rest(); }, some(random_, std::chrono::milliseconds{20}));
    clear_faults();
    // Doubts pass when those who are doubted are heard again, or a view is made without them.
    runtime::Time doubted = runtime::Time::max();
    runtime::Time counted{};
    const auto stands_still = [&] {
        if (world_.now() - counted < left.limit / 16) return false;
        counted = world_.now();
        doubted = has_majority() ? runtime::Time::max() : std::min(doubted, world_.now());
        return doubted != runtime::Time::max() && world_.now() - doubted > 10 * left.limit;
    };
    run_until([&] { return over() || survivors_rest() || (stood_still_ = stands_still()); }, limit);
    if (std::string wrong = complaint(); !wrong.empty()) return wrong;
    if (!views_.complaint().empty()) return views_.complaint();
    if (std::string wrong = judge(); !wrong.empty()) return wrong;
    if (!stood_still_ && !survivors_rest()) return where_it_stands();
    given_up_ = count_given_up();
    for (const auto& host : hosts_)
        if (!takes_part(*host)) host->die();
    for (const auto& manager : managers_)
        manager->die();
    if (stood_still_) {
        for (const auto& host : hosts_)
            host->die();
        world_.drain();
        return {};
    }
    return leave(limit);
}

}  // namespace isoplane::sim
