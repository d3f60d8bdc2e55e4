// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "scale_network.hh"

#include <time.h>

#include <algorithm>
#include <bit>
#include <isoplane/topology/mac.hh>
#include <map>
#include <stdexcept>

#include "../sim/large.hh"

namespace isoplane::perf {

namespace {

using namespace std::chrono_literals;
using runtime::Time;

constexpr runtime::Duration kPatience = 5s;
constexpr runtime::Duration kSettling = 200us;

/// No lcore stalls: what is told is what hosts cost, not what disturbs them.
sim::Pace pace_of(const ScaleSetup& setup) {
    return {.gap = setup.poll, .stall = 0, .idle = std::max<runtime::Duration>(1us, setup.poll)};
}

niu::TimeoutLimits timeout_of(const ScaleSetup& setup, niu::TimeoutLimits limits) {
    limits.least = setup.timeout.value_or(limits.least);
    limits.initial = std::max(limits.initial, limits.least);
    return limits;
}

std::shared_ptr<const std::vector<wire::MacAddress>> macs_of(const topology::Topology& topology) {
    std::vector<wire::MacAddress> macs;
    for (std::size_t node = 0; node < topology.node_count(); ++node)
        macs.push_back(topology::default_mac(static_cast<topology::NodeId>(node)));
    return std::make_shared<const std::vector<wire::MacAddress>>(std::move(macs));
}

}  // namespace

double cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

ScaleNetwork::ScaleNetwork(const ScaleSetup& setup, runtime::Pool& pool)
    : setup_(setup),
      ways_(std::make_shared<const node::Ways>(scale_topology(setup))),
      world_(setup.seed, pool, pace_of(setup)) {
    const topology::Topology& topology = ways_->topology;
    niu::Options niu{.job_key = 1,
                     .macs = macs_of(topology),
                     .window = 16,
                     .timeout = timeout_of(setup, {}),
                     .hello_every = 200us,
                     .linger = 1ms};
    // Token managers have no NIU that anybody talks to.
    niu.nodes = std::vector<std::string>(topology.node_count());
    std::vector<sim::Link*> host_links(setup.hosts);
    std::map<std::pair<topology::SwitchId, topology::SwitchId>, sim::Link*> between;
    for (topology::SwitchId at = 0; at < topology.switch_count(); ++at) {
        std::vector<fabric::Port> ports;
        for (const topology::Port& port : topology.switches()[at].ports) {
            if (port.kind == topology::PortKind::kHost) {
                sim::Link& link = world_.connect(topology.name(port.node), {.latency = setup.latency});
                host_links[port.node] = &link;
                ports.push_back({link.b().input, link.b().output});
            } else if (port.kind == topology::PortKind::kLink) {
                sim::Link*& link = between[std::minmax(at, port.peer)];
                const bool is_first = link == nullptr;
                if (is_first)
                    link = &world_.connect(std::to_string(at) + "-" + std::to_string(port.peer),
                                           {.latency = setup.latency});
                const sim::Link::End end = is_first ? link->a() : link->b();
                ports.push_back({end.input, end.output});
            }
        }
        niu.node = topology.token_manager(at);
        add_hub(at, std::move(ports), niu, pool);
    }
    siu::SiuOptions siu;
    siu.exchange.ahead = setup.ahead;
    siu.exchange.timeout = timeout_of(setup, siu.exchange.timeout);
    const sim::Partners partners(topology, setup.partners);
    for (unsigned host = 0; host < setup.hosts; ++host) {
        niu.node = static_cast<niu::NodeId>(host);
        niu.mac = topology::default_mac(niu.node);
        niu.nodes = partners.names(niu.node);
        std::vector<niu::NodeId> others = partners.group(niu.node);
        std::erase(others, niu.node);
        hosts_.push_back(std::make_unique<ScaleHost>(topology.name(niu.node), host_links[host]->a(), pool,
                                                     niu, siu, ways_->paths, setup_, std::move(others),
                                                     times_));
        world_.add(*hosts_.back());
    }
}

void ScaleNetwork::add_hub(topology::SwitchId at, std::vector<fabric::Port> ports, niu::Options options,
                           runtime::Pool& pool) {
    const std::string number = std::to_string(at);
    Hub& hub = *hubs_.emplace_back(std::make_unique<Hub>(number));
    ports.push_back({hub.from_manager.input(), hub.to_manager.output()});
    hub.fabric = std::make_unique<fabric::Switch>(
        "fabric" + number, ports, pool,
        fabric::SwitchOptions{
            .seed = setup_.seed + at, .capacity = 1024, .addresses = std::max(64U, 4 * setup_.hosts)});
    tell_addresses(at);
    options.mac = topology::default_mac(options.node);
    hub.manager = std::make_unique<node::ManagerStage>(
        "tm" + number, hub.to_manager.input(), hub.from_manager.output(), pool, ways_, options,
        node::TimeOptions{.ahead = setup_.ahead, .timeout = timeout_of(setup_, node::TimeOptions{}.timeout)});
    world_.add(*hub.fabric, *hub.manager);
}

/// Switches know where everybody is, as those of a network do that has been in use: else what thousands of
/// hosts send first would go to all of them.
void ScaleNetwork::tell_addresses(topology::SwitchId at) {
    const topology::Topology& topology = ways_->topology;
    fabric::Switch& fabric = *hubs_[at]->fabric;
    for (std::size_t i = 0; i < topology.node_count(); ++i) {
        const auto node = static_cast<topology::NodeId>(i);
        const topology::SwitchId its = topology.switch_of(node);
        const unsigned port = its != at                ? ways_->paths.next_port(at, its)
                              : topology.is_host(node) ? *topology.port_of(node)
                                                       : fabric.ports() - 1;
        fabric.learn(std::bit_cast<rte_ether_addr>(topology::default_mac(node)), port);
    }
}

ScaleNetwork::~ScaleNetwork() {
    // At once: who is quiet acknowledges nothing, so that what is in windows would stay there.
    world_.drain(runtime::Duration{0});
    for (const auto& host : hosts_)
        host->discard();
    for (const auto& hub : hubs_) {
        hub->manager->discard();
        hub->fabric->discard();
    }
}

/// Those that hosts and token managers have sent.
std::uint64_t ScaleNetwork::frames() const noexcept {
    std::uint64_t sum = 0;
    for (topology::SwitchId at = 0; at < hubs_.size(); ++at) {
        const fabric::Switch& fabric = *hubs_[at]->fabric;
        const auto ports = ways_->topology.switches()[at].ports;
        for (unsigned port = 0; port < fabric.ports(); ++port)
            if (port >= ports.size() || ports[port].kind != topology::PortKind::kLink)
                sum += fabric.ingress(port).in.get();
    }
    return sum;
}

std::uint64_t ScaleNetwork::tokens() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& hub : hubs_)
        sum += hub->manager->manager().counters().frames.get();
    for (const auto& host : hosts_)
        sum += host->siu().counters().frames.get();
    return sum;
}

bool ScaleNetwork::all_ready() const {
    return std::ranges::all_of(hosts_, [](const auto& host) { return host->ready(); });
}

void ScaleNetwork::start() {
    const Time limit = world_.now() + kPatience;
    while (!all_ready()) {
        if (world_.now() >= limit)
            throw std::runtime_error(std::to_string(setup_.hosts) +
                                     " simulated hosts do not find each other");
        world_.run_for(kSettling);
    }
    for (const auto& hub : hubs_)
        for (unsigned port = 0; port < hub->fabric->ports(); ++port)
            hub->fabric->set(port, {.loss = setup_.loss});
}

ScaleFigures ScaleNetwork::run() {
    start();
    for (const auto& host : hosts_)
        host->send_until(world_.now() + kSettling + setup_.duration);
    world_.run_for(kSettling);
    times_.ordered.clear();
    times_.unordered.clear();
    const std::uint64_t frames_before = frames();
    const std::uint64_t tokens_before = tokens();
    const siu::Pulse pulse = hosts_[0]->siu().clock();
    const double begin = cpu_seconds();
    world_.run_for(setup_.duration);
    const double took = cpu_seconds() - begin;

    const auto pulses = static_cast<double>(hosts_[0]->siu().clock() - pulse);
    const double pulses_of_all = std::max(1.0, pulses) * setup_.hosts;
    const double seconds = std::chrono::duration<double>(setup_.duration).count();
    const auto sent = static_cast<double>(frames() - frames_before);
    const auto us = [](const runtime::Histogram& of, double fraction) {
        return static_cast<double>(of.quantile(fraction)) / 1e3;
    };
    return {.ordered_us = us(times_.ordered, 0.5),
            .unordered_us = us(times_.unordered, 0.5),
            .ordered_p99_us = us(times_.ordered, 0.99),
            .pulses_per_second = pulses / seconds,
            .token_share = sent > 0 ? static_cast<double>(tokens() - tokens_before) / sent : 0,
            .frames_per_host = sent / seconds / setup_.hosts,
            .frames_per_pulse = sent / pulses_of_all,
            .cpu_ns_per_pulse = took * 1e9 / pulses_of_all};
}

}  // namespace isoplane::perf
