// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "shmem_mortal_network.hh"

#include <algorithm>

#include "sim/majority.hh"

namespace isoplane::test {

using topology::NodeId;

namespace {

/// Small, as what matters is who holds which copy; two of the hosts die only where three are left. Frames are
/// as large as when some of the seeds went wrong.
sim::Scenario scenario_of(std::uint64_t seed, bool returning) {
    sim::Scenario scenario = sim::Scenario::mortal(seed);
    Random random(seed, 8);
    const auto hosts = static_cast<unsigned>(3 + random.below(3));
    scenario.set_network(sim::random_switches(random, static_cast<unsigned>(1 + random.below(2)), hosts));
    scenario.mortality.hosts = hosts == 5 ? static_cast<unsigned>(1 + random.below(2)) : 1;
    scenario.mortality.managers = random.below(6) == 0 ? 1 : 0;
    if (returning) {
        ++scenario.mortality.hosts;
        scenario.mortality.restarts = static_cast<unsigned>(1 + random.below(3));
    }
    scenario.traffic.isochrons = static_cast<unsigned>(10 + random.below(120));
    scenario.mtu = std::max<std::uint16_t>(scenario.mtu, 600);
    if (seed % 4 == 2) scenario.let_come_late();
    return scenario;
}

}  // namespace

MortalShmemNetwork::MortalShmemNetwork(std::uint64_t seed, bool returning, shmem::Planted planted)
    : scenario_(scenario_of(seed, returning)),
      random_(seed, 9),
      topology_(scenario_.switches, "scenario"),
      paths_(topology_),
      map_(some_map()),
      world_(seed, pool(),
             {.gap = Duration{50 + random_.below(400)}, .idle = Duration{2000 << random_.below(5)}}),
      exchange_(scenario_.exchange_options()),
      setting_{.paths = paths_,
               .map = map_,
               .siu = {.exchange = exchange_,
                       .pulse_interval = scenario_.pulse_interval,
                       .longest_pause = scenario_.longest_pause},
               .planted = planted,
               .seed = seed,
               .isochrons = scenario_.traffic.isochrons} {
    const auto hosts = static_cast<NodeId>(topology_.host_count());
    std::vector<sim::Link::End> ends;
    for (std::size_t node = 0; node < topology_.node_count(); ++node) {
        const auto id = static_cast<NodeId>(node);
        const bool beside = !topology_.is_host(id) &&
                            scenario_.manager_at[topology_.switch_of(id)] != sim::Scenario::kOnItsOwn;
        ends.push_back(beside ? ends.front() : connect(topology_.name(id)));
        epochs_.push_back(1U + id);
    }
    fabric_ = std::make_unique<fabric::Switch>("fabric", ports_, pool(),
                                               fabric::SwitchOptions{.seed = seed, .capacity = 1024});
    world_.add(*fabric_);
    present_.resize(hosts);
    for (NodeId host = 0; host < hosts; ++host) {
        hosts_.push_back(std::make_unique<MortalShmemHost>(topology_.name(host), ends[host]));
        start(host);
        world_.add(*hosts_.back());
    }
    for (topology::SwitchId s = 0; s < topology_.switch_count(); ++s) {
        if (scenario_.manager_at[s] != sim::Scenario::kOnItsOwn) continue;
        const NodeId node = topology_.token_manager(s);
        managers_.push_back(std::make_unique<sim::Manager>(topology_.name(node), ends[node]));
        managers_.back()->start(pool(), scenario_.niu_options(topology_, node, epochs_[node]), paths_,
                                exchange_);
        managers_.back()->survive(topology_, membership_of(node));
        world_.add(*managers_.back());
    }
}

sim::Link::End MortalShmemNetwork::connect(const std::string& name) {
    sim::Link& link = world_.connect(name, {.latency = scenario_.latency, .capacity = 256});
    ports_.push_back({link.b().input, link.b().output});
    return link.a();
}

membership::Options MortalShmemNetwork::membership_of(NodeId node) const {
    membership::Options options{.limit = scenario_.mortality.limit};
    for (topology::SwitchId s = 0; s < topology_.switch_count(); ++s)
        if (scenario_.manager_at[s] == node) options.plays = topology_.token_manager(s);
    return options;
}

/// Each page at any hosts, mostly two or three.
topology::ShmemMap MortalShmemNetwork::some_map() {
    std::string text;
    const std::size_t hosts = topology_.host_count();
    for (std::uint32_t page = 0; page < kMortalExtent.pages; ++page) {
        std::vector<bool> holds(hosts);
        for (std::uint64_t n = 1 + random_.below(4); n > 0; --n)
            holds[random_.below(hosts)] = true;
        std::string nodes;
        for (std::size_t host = 0; host < hosts; ++host)
            if (holds[host]) nodes += (nodes.empty() ? "" : ",") + std::to_string(host);
        text += std::to_string(page) + ": " + nodes + ";\n";
    }
    return topology::parse_shmem_map(text, "scenario",
                                     {.pages = kMortalExtent.pages, .topology = &topology_});
}

void MortalShmemNetwork::start(NodeId host) {
    lives_.push_back({.host = host, .epoch = epochs_[host]});
    present_[host] = &lives_.back();
    hosts_[host]->start(scenario_.niu_options(topology_, host, epochs_[host]), membership_of(host), setting_,
                        lives_.back());
}

void MortalShmemNetwork::disturb() {
    for (unsigned port = 0; port < fabric_->ports(); ++port)
        fabric_->set(port, some_impairment(random_, scenario_.worst));
}

/// One who lives dies, or one who is gone starts again.
void MortalShmemNetwork::strike() {
    sim::Mortality& left = scenario_.mortality;
    const std::uint64_t chance = random_.below(left.hosts + left.managers + left.restarts);
    if (chance < left.hosts) {
        --left.hosts;
        MortalShmemHost& host = *hosts_[random_.below(hosts_.size())];
        if (host.dead()) return;
        host.die();
        ++totals_.deaths;
    } else if (chance < left.hosts + left.managers) {
        --left.managers;
        if (managers_.empty()) return;
        sim::Manager& manager = *managers_[random_.below(managers_.size())];
        if (manager.dead()) return;
        manager.die();
        ++totals_.deaths;
    } else {
        start_again();
    }
}

/// In a later life, which knows nothing of the one before. Nobody does before somebody is gone.
void MortalShmemNetwork::start_again() {
    constexpr std::uint32_t kNextLife = 1000;
    sim::Mortality& left = scenario_.mortality;
    for (NodeId node = 0; node < hosts_.size(); ++node) {
        MortalShmemHost& host = *hosts_[node];
        if (host.takes_part()) continue;
        if (!host.dead()) host.die();
        --left.restarts;
        epochs_[node] += kNextLife;
        start(node);
        ++totals_.returns;
        return;
    }
    if (left.hosts == 0) left.restarts = 0;
}

void MortalShmemNetwork::look_at_views() {
    for (const auto& host : hosts_)
        if (!host->dead()) views_.see(host->niu().options().node, host->present().agreement().view());
    for (const auto& manager : managers_)
        if (!manager->dead()) views_.see(manager->niu().options().node, manager->agreement()->view());
}

std::uint64_t MortalShmemNetwork::issued() const {
    std::uint64_t all = 0;
    for (const ShmemLife& life : lives_)
        all += life.issued;
    return all;
}

bool MortalShmemNetwork::have_begun() const {
    return std::ranges::all_of(hosts_,
                               [](const auto& h) { return h->present().agreement().view().number != 0; }) &&
           std::ranges::all_of(managers_, [](const auto& m) { return m->agreement()->view().number != 0; });
}

/// Those who take part have nothing to do, are in one view, and nobody is in it who has died.
bool MortalShmemNetwork::survivors_rest() const {
    const wire::View* view = views_.latest();
    if (view == nullptr) return false;
    std::uint64_t stamped = 0;
    std::uint64_t executed = UINT64_MAX;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        const MortalShmemHost& host = *hosts_[i];
        const bool is_in = membership::find(*view, static_cast<NodeId>(i)) != nullptr;
        if (host.dead() && is_in) return false;
        if (!host.takes_part()) continue;
        if (!is_in || host.present().agreement().view() != *view || !host.present().rests()) return false;
        stamped = std::max({stamped, host.present().isotach().last_stamp(), view->base});
        executed = std::min(executed, host.present().isotach().ordering().executed());
    }
    return executed >= stamped;
}

/// Those who take part can agree on a view, when all hear each other who have not given each other up.
bool MortalShmemNetwork::has_majority() const {
    const wire::View* view = views_.latest();
    if (view == nullptr) return true;
    sim::Majority majority(*view);
    for (const auto& host : hosts_)
        if (host->takes_part()) majority.add(host->niu(), !host->present().isotach().arrives());
    for (const auto& manager : managers_)
        if (!manager->dead() && !manager->agreement()->given_up()) majority.add(manager->niu(), false);
    return majority.is_there();
}

std::string MortalShmemNetwork::run(Duration limit) {
    const auto over = [this] {
        look_at_views();
        return !views_.complaint().empty();
    };
    disturb();
    world_.run_until([&] { return over() || have_begun(); }, 3s);
    const sim::Mortality& left = scenario_.mortality;
    while (left.hosts + left.managers + left.restarts != 0 && !over()) {
        disturb();
        const std::uint64_t when = issued() + random_.below(hosts_.size() * scenario_.traffic.isochrons);
        world_.run_until([&] { return over() || issued() >= when || survivors_rest(); },
                         some(random_, 3 * left.limit));
        world_.run_until(over, some(random_, 100us));
        strike();
    }
    disturb();
    world_.run_until([&] { return over() || survivors_rest(); }, some(random_, 20ms));
    for (unsigned port = 0; port < fabric_->ports(); ++port)
        fabric_->set(port, {});
    // Doubts come and go: who waits for a token of the dead sends none for a while either.
    world_.run_until([&] { return over() || survivors_rest(); }, 10 * left.limit);
    world_.run_until([&] { return over() || survivors_rest() || !has_majority(); }, limit);
    stood_still_ = !survivors_rest() && !has_majority();
    if (!views_.complaint().empty()) return views_.complaint();
    if (!stood_still_ && !survivors_rest()) return where_it_stands();
    if (std::string wrong = check(!stood_still_); !wrong.empty()) return wrong;
    return leave(limit);
}

std::string MortalShmemNetwork::where_it_stands() const {
    std::string text = "it stands still:";
    for (const auto& host : hosts_) {
        if (!host->takes_part() || host->present().rests()) continue;
        const shmem::Memory& memory = host->present().memory();
        text += " " + host->name() + " in view " + std::to_string(host->present().agreement().view().number) +
                " has issued " + std::to_string(memory.issued()) + ", executed " +
                std::to_string(memory.executed()) + ", awaits " +
                std::to_string(memory.reads().outstanding()) + " reads, blocks " +
                std::to_string(memory.store().blocked()) +
                (host->present().isotach().arrives() ? ", arrives;" : ";");
    }
    return text;
}

std::string MortalShmemNetwork::leave(Duration limit) {
    for (const auto& host : hosts_) {
        if (!host->dead() && host->present().agreement().given_up()) ++totals_.given_up;
        if (stood_still_ || !host->takes_part()) {
            host->die();
        } else {
            totals_.blocked += host->present().memory().store().counters().blocked.get();
            totals_.dropped += host->present().memory().store().counters().dropped.get();
            host->niu().close();
        }
    }
    for (const auto& manager : managers_)
        manager->die();
    const auto have_left = [this] {
        return std::ranges::all_of(hosts_, [](const auto& h) { return h->dead() || h->niu().closed(); });
    };
    world_.run_until(have_left, limit);
    if (!have_left()) return "not all close";
    for (const auto& host : hosts_)
        host->die();
    return world_.drain() != 0 && !stood_still_ ? "frames are left" : "";
}

void MortalShmemNetwork::add_to(MortalShmemTotals& totals) const {
    ++totals.seeds;
    totals.deaths += totals_.deaths;
    totals.returns += totals_.returns;
    totals.changes += views_.changes();
    totals.given_up += totals_.given_up;
    totals.stood_still += stood_still_ ? 1 : 0;
    totals.isochrons += issued();
    totals.blocked += totals_.blocked;
    totals.dropped += totals_.dropped;
    totals.faults.add(*fabric_);
    for (const ShmemLife& life : lives_)
        totals.lost += life.lost;
}

}  // namespace isoplane::test
