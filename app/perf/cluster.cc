// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "cluster.hh"

#include <algorithm>
#include <array>
#include <isoplane/topology/mac.hh>
#include <stdexcept>

namespace isoplane::perf {

namespace {

constexpr std::chrono::seconds kPatience{10};

std::shared_ptr<const node::Ways> around_one_switch(unsigned hosts) {
    topology::SwitchSpec spec{.number = 1, .ports = {}, .at = {}};
    for (unsigned host = 0; host < hosts; ++host)
        spec.ports.push_back({topology::PortKind::kHost, "host" + std::to_string(host), 0, {}});
    return std::make_shared<const node::Ways>(topology::Topology({&spec, 1}, "cluster"));
}

/// Each cluster is a job of its own.
std::uint32_t next_job() {
    static std::uint32_t jobs = 1U << 16;
    return ++jobs;
}

}  // namespace

ClusterHost::ClusterHost(const std::string& name, runtime::Input& from, runtime::Output& to,
                         runtime::Pool& pool, const niu::Options& options, const siu::SiuOptions& siu,
                         const topology::Paths& paths)
    : niu_(name, from, to, pool, options),
      dispatcher_(niu_),
      siu_(niu_, paths, siu),
      isotach_(niu_, siu_, pool),
      isochron_(isotach_.isochron()) {
    isotach_.attach_to(dispatcher_);
    dispatcher_.attach(wire::Protocol::kNoniso, this);
}

void ClusterHost::poll(runtime::Time now) noexcept {
    const std::uint64_t begin = rte_rdtsc();
    niu_.poll(now);
    dispatcher_.dispatch();
    isotach_.poll(now);
    for (isotach::Delivery delivery; isotach_.receive(delivery);) {
        executed_ += delivery.time.host != niu_.options().node ? 1U : 0U;
        isotach_.release(delivery);
    }
    spend(begin);
}

void ClusterHost::spend(std::uint64_t begin) noexcept {
    const std::uint64_t ticks = rte_rdtsc() - begin;
    if (ticks < interruption_) ticks_ += ticks;
}

void ClusterHost::take(const niu::Received& message) noexcept {
    ++received_;
    niu_.release(message);
}

bool ClusterHost::issue(std::span<const niu::NodeId> to) noexcept {
    static constexpr std::array<std::byte, kSize> kMessage{};
    const std::uint64_t begin = rte_rdtsc();
    if (isochron_.empty())
        for (const niu::NodeId node : to)
            isochron_.add(node, kMessage);
    const bool issued = isotach_.send(isochron_);
    spend(begin);
    return issued;
}

bool ClusterHost::send(niu::NodeId to) noexcept {
    static constexpr std::array<std::byte, kSize> kMessage{};
    return niu_.transfer(to, wire::Protocol::kNoniso, kMessage);
}

bool ClusterHost::settled() const noexcept {
    if (isotach_.outstanding() != 0) return false;
    for (niu::NodeId peer = 0; peer < niu_.options().nodes.size(); ++peer)
        if (niu_.state(peer) == niu::PeerState::kUp && !niu_.peer(peer).sent_all()) return false;
    return true;
}

std::size_t ClusterHost::discard() noexcept {
    isochron_.clear();
    return isotach_.discard() + niu_.discard();
}

Cluster::Cluster(runtime::Pool& pool, const ClusterOptions& options)
    : options_(options), ways_(around_one_switch(options.hosts)) {
    const std::size_t nodes = ways_->topology.node_count();
    std::vector<fabric::Port> ports;
    std::vector<std::pair<runtime::Ring*, runtime::Ring*>> wires;
    for (std::size_t node = 0; node < nodes; ++node) {
        wires.emplace_back(&add_ring(), &add_ring());
        ports.push_back({wires.back().first->input(), wires.back().second->output()});
    }
    fabric_ = std::make_unique<fabric::Switch>("fabric", ports, pool);
    for (unsigned port = 0; port < nodes; ++port)
        fabric_->set(port, {.loss = options.loss});

    niu::Options niu{.job_key = next_job(), .chains = true, .in_process = true};
    niu.nodes = niu::names_of_hosts(ways_->topology);
    siu::SiuOptions siu{.pulse_interval = options.pulse_interval};
    siu.exchange.ahead = options.ahead;
    for (unsigned node = 0; node < nodes; ++node) {
        niu.node = static_cast<niu::NodeId>(node);
        niu.mac = topology::default_mac(niu.node);
        runtime::Input& from = wires[node].second->input();
        runtime::Output& to = wires[node].first->output();
        if (node < options.hosts)
            hosts_.push_back(
                std::make_unique<ClusterHost>(niu.nodes[node], from, to, pool, niu, siu, ways_->paths));
        else
            manager_ = std::make_unique<node::ManagerStage>("tm", from, to, pool, ways_, niu,
                                                            node::TimeOptions{.ahead = options.ahead});
    }
}

Cluster::~Cluster() {
    for (const auto& host : hosts_)
        host->discard();
    manager_->discard();
    fabric_->discard();
}

runtime::Ring& Cluster::add_ring() {
    static std::uint64_t number = 0;
    return *rings_.emplace_back(std::make_unique<runtime::Ring>("cluster" + std::to_string(number++)));
}

void Cluster::round() noexcept {
    ++rounds_;
    const runtime::Time now = clock_.now();
    for (const auto& host : hosts_)
        host->poll(now);
    fabric_->poll(now);
    manager_->poll(now);
    fabric_->poll(now);
}

void Cluster::come_up() {
    const runtime::Time limit = clock_.now() + kPatience;
    while (!std::ranges::all_of(hosts_, [](const auto& host) { return host->ready(); })) {
        if (clock_.now() > limit)
            throw std::runtime_error("the hosts of a cluster do not find each other within 10 s");
        round();
    }
}

void Cluster::settle() {
    const runtime::Time limit = clock_.now() + kPatience;
    while (!std::ranges::all_of(hosts_, [](const auto& host) { return host->settled(); })) {
        if (clock_.now() > limit)
            throw std::runtime_error("what the hosts of a cluster have sent does not arrive within 10 s");
        round();
    }
}

void Cluster::cut_off(unsigned host, bool off) noexcept {
    fabric_->set(host, {.loss = off ? 1 : options_.loss});
}

std::uint64_t Cluster::frames() const noexcept {
    std::uint64_t sum = 0;
    for (unsigned port = 0; port < fabric_->ports(); ++port)
        sum += fabric_->ingress(port).in.get();
    return sum;
}

std::uint64_t Cluster::tokens() const noexcept {
    std::uint64_t sum = manager_->manager().counters().frames.get();
    for (const auto& host : hosts_)
        sum += host->siu().counters().frames.get();
    return sum;
}

std::uint64_t Cluster::sent_again() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& host : hosts_) {
        const niu::Counters& frames = host->niu().counters();
        sum +=
            frames.resent_overtaken.get() + frames.resent_timeout.get() + host->siu().counters().resent.get();
    }
    return sum;
}

}  // namespace isoplane::perf
