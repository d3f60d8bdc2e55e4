// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "shmem_network.hh"

#include <algorithm>

namespace isoplane::test {

ShmemNetwork::ShmemNetwork(const sim::Scenario& scenario, shmem::Planted planted, bool misleads)
    : scenario_(scenario),
      random_(scenario.seed, 7),
      topology_(scenario.switches, "scenario"),
      paths_(topology_),
      map_(some_map()),
      world_(scenario.seed, pool(),
             {.gap = Duration{50 + random_.below(400)}, .idle = Duration{2000 << random_.below(5)}}) {
    const std::size_t hosts = topology_.host_count();
    history_.resize(hosts);
    std::vector<sim::Link::End> ends;
    for (std::size_t node = 0; node < topology_.node_count(); ++node) {
        const auto id = static_cast<NodeId>(node);
        const bool beside =
            node >= hosts && scenario_.manager_at[topology_.switch_of(id)] != sim::Scenario::kOnItsOwn;
        ends.push_back(beside ? sim::Link::End(ends.front()) : connect(topology_.name(id)));
    }
    fabric_ = std::make_unique<fabric::Switch>(
        "fabric", ports_, pool(),
        fabric::SwitchOptions{.seed = scenario_.seed,
                              .capacity = 1024,
                              .addresses = std::max(64U, static_cast<unsigned>(topology_.node_count()))});
    world_.add(*fabric_);
    const tm::ExchangeOptions exchange = scenario_.exchange_options();
    ShmemHost::Setting setting{.paths = paths_,
                               .map = map_,
                               .siu = {.exchange = exchange,
                                       .pulse_interval = scenario_.pulse_interval,
                                       .longest_pause = scenario_.longest_pause},
                               .planted = planted,
                               .seed = scenario_.seed,
                               .isochrons = scenario_.traffic.isochrons / 2 + 1};
    for (std::size_t i = 0; i < hosts; ++i) {
        const auto node = static_cast<NodeId>(i);
        setting.misleads = misleads && i + 1 == hosts;
        hosts_.push_back(std::make_unique<ShmemHost>(topology_.name(node), ends[i],
                                                     scenario_.niu_options(topology_, node, 1U + node),
                                                     setting, history_[i]));
    }
    for (topology::SwitchId s = 0; s < topology_.switch_count(); ++s) {
        const NodeId node = topology_.token_manager(s);
        const std::string name = topology_.name(node);
        if (scenario_.manager_at[s] == sim::Scenario::kOnItsOwn) {
            managers_.push_back(std::make_unique<sim::Manager>(name, ends[node]));
            managers_.back()->start(pool(), scenario_.niu_options(topology_, node, 1U + node), paths_,
                                    exchange);
        } else if (!scenario_.manages(topology_, static_cast<NodeId>(scenario_.manager_at[s]))) {
            hosts_[scenario_.manager_at[s]]->put_beside(paths_, node, exchange);
        }
    }
    for (const auto& host : hosts_)
        world_.add(*host);
    for (const auto& manager : managers_)
        world_.add(*manager);
}

sim::Link::End ShmemNetwork::connect(const std::string& name) {
    sim::Link& link = world_.connect(name, {.latency = scenario_.latency, .capacity = 256});
    ports_.push_back({link.b().input, link.b().output});
    return link.a();
}

/// Each page at one host, or at any hosts.
topology::ShmemMap ShmemNetwork::some_map() {
    std::string text;
    for (std::uint32_t page = 0; page < kExtent.pages; ++page) {
        std::string nodes;
        if (random_.below(2) == 0) nodes = std::to_string(random_.below(topology_.host_count()));
        const bool is_single = !nodes.empty();
        while (!is_single && nodes.empty()) {
            for (std::size_t host = 0; host < topology_.host_count(); ++host) {
                if (random_.below(2) != 0) continue;
                nodes += (nodes.empty() ? "" : ",") + std::to_string(host);
            }
        }
        text += std::to_string(page) + ": " + nodes + ";\n";
    }
    return topology::parse_shmem_map(text, "scenario", {.pages = kExtent.pages, .topology = &topology_});
}

std::string ShmemNetwork::run(Duration limit) {
    const auto over = [this] { return all_rest(); };
    for (unsigned change = 0; change < 8 && !over(); ++change) {
        for (unsigned port = 0; port < fabric_->ports(); ++port)
            fabric_->set(port, some_impairment(random_, scenario_.worst));
        world_.run_until(over, some(random_, 1ms));
    }
    world_.run_until(over, limit);
    if (!all_rest()) return where_it_stands();
    Words memory;
    std::string wrong = replay(history_, std::size_t{kExtent.pages} * kExtent.page_words, memory);
    if (wrong.empty()) wrong = compare_copies(memory);
    return wrong.empty() ? leave(limit) : wrong;
}

bool ShmemNetwork::all_rest() const {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t parts = 0;
    for (const auto& host : hosts_) {
        if (!host->rests()) return false;
        sent += host->program().sent();
        received += host->program().received();
        parts += host->isotach().messages_sent() - host->isotach().executed.get();
    }
    return sent == received && parts == 0;
}

std::string ShmemNetwork::where_it_stands() const {
    std::string text = "it stands still:";
    for (const auto& host : hosts_) {
        if (host->rests()) continue;
        const shmem::Memory& memory = host->memory();
        text += " " + host->name() + " has issued " + std::to_string(memory.issued()) + ", executed " +
                std::to_string(memory.executed()) + ", awaits " +
                std::to_string(memory.reads().outstanding()) + " reads, blocks " +
                std::to_string(memory.store().blocked()) + ";";
    }
    return text;
}

std::string ShmemNetwork::compare_copies(const Words& memory) const {
    std::uint64_t malformed = 0;
    for (const auto& host : hosts_) {
        const shmem::Store& store = host->memory().store();
        for (shmem::Address at = 0; at < memory.size(); ++at) {
            if (!host->memory().pages().page(at).is_here()) continue;
            if (!store.has_value(at) || store.word(at) != memory[at])
                return "the copy of word " + std::to_string(at) + " at " + host->name() +
                       " is not as all others";
        }
        const auto& counters = host->memory().counters();
        malformed += counters.malformed.get();
        if (counters.unanswered.get() + store.counters().misplaced.get() != 0)
            return host->name() + " got what no host sends";
        if (store.blocked() != 0) return host->name() + " still blocks a read";
    }
    return malformed == hosts_.back()->misled() ? "" : "not all that misleads is counted, or more";
}

std::string ShmemNetwork::leave(Duration limit) {
    for (unsigned port = 0; port < fabric_->ports(); ++port)
        fabric_->set(port, {});
    for (const auto& host : hosts_)
        host->niu().close();
    world_.run_until(
        [this] {
            return std::all_of(hosts_.begin(), hosts_.end(), [](const auto& h) { return h->niu().closed(); });
        },
        limit);
    return world_.drain() != 0 ? "frames are left" : "";
}

void ShmemNetwork::add_to(ShmemTotals& totals) const {
    ++totals.seeds;
    for (const auto& host : hosts_) {
        const shmem::Memory& memory = host->memory();
        totals.isochrons += memory.issued();
        totals.at_once += memory.counters().at_once.get();
        totals.answers += memory.counters().answers.get();
        totals.accesses += host->program().accesses();
        totals.given_away += host->program().sent();
        totals.misled += host->misled();
        totals.blocked += memory.store().counters().blocked.get();
    }
    totals.faults.add(*fabric_);
}

}  // namespace isoplane::test
