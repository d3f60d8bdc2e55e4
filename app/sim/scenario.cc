// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/scenario.hh"

#include <algorithm>
#include <isoplane/membership/agreement.hh>
#include <isoplane/wire/hello.hh>
#include <string>

namespace isoplane::sim {

namespace {

using namespace std::chrono_literals;
using fabric::Random;
using topology::PortKind;
using topology::PortSpec;
using topology::SwitchSpec;

void join(SwitchSpec& a, SwitchSpec& b) {
    a.ports.push_back({PortKind::kLink, "", b.number, {}});
    b.ports.push_back({PortKind::kLink, "", a.number, {}});
}

bool joined(const SwitchSpec& a, const SwitchSpec& b) {
    return std::any_of(a.ports.begin(), a.ports.end(), [&](const PortSpec& port) {
        return port.kind == PortKind::kLink && port.number == b.number;
    });
}

std::vector<std::uint32_t> some_places(Random& random, std::size_t managers, unsigned hosts) {
    std::vector<std::uint32_t> places;
    std::vector<bool> taken(hosts);
    for (std::size_t i = 0; i < managers; ++i) {
        const auto host = static_cast<std::uint32_t>(random.below(hosts));
        const bool beside = random.below(2) == 0 && !taken[host];
        places.push_back(beside ? host : Scenario::kOnItsOwn);
        if (beside) taken[host] = true;
    }
    return places;
}

fabric::Impairment some_worst(Random& random) {
    fabric::Impairment worst;
    worst.loss = 0.1;
    worst.duplicate = 0.1;
    worst.reorder = 0.2;
    worst.corrupt = 0.05;
    worst.delay = random.below(8) == 0 ? runtime::Duration{500us} : runtime::Duration{10us};
    worst.jitter = 20us;
    worst.gap = 10;
    worst.hold = 50us;
    return worst;
}

}  // namespace

unsigned hosts_of(const std::vector<SwitchSpec>& switches) {
    std::ptrdiff_t hosts = 0;
    for (const SwitchSpec& spec : switches) {
        hosts += std::count_if(spec.ports.begin(), spec.ports.end(),
                               [](const PortSpec& port) { return port.kind == PortKind::kHost; });
    }
    return static_cast<unsigned>(hosts);
}

std::vector<SwitchSpec> random_switches(Random& random, unsigned switches, unsigned hosts) {
    std::vector<SwitchSpec> specs(switches);
    for (unsigned i = 0; i < switches; ++i) {
        specs[i].number = i + 1;
        if (i != 0) join(specs[random.below(i)], specs[i]);
    }
    for (std::uint64_t extra = random.below(switches); extra > 0; --extra) {
        SwitchSpec& a = specs[random.below(switches)];
        SwitchSpec& b = specs[random.below(switches)];
        if (&a != &b && !joined(a, b)) join(a, b);
    }
    for (unsigned i = 0; i < hosts; ++i) {
        specs[random.below(switches)].ports.push_back({PortKind::kHost, "host" + std::to_string(i), 0, {}});
    }
    return specs;
}

void Scenario::set_network(std::vector<SwitchSpec> network) {
    Random random(seed, 4);
    switches = std::move(network);
    manager_at = some_places(random, switches.size(), hosts_of(switches));
}

void Scenario::let_come_late() {
    worst.late = 0.05;
    worst.after = {100us, mortality.survive ? 4 * mortality.limit : runtime::Duration{5ms}};
}

Scenario Scenario::of(std::uint64_t seed) {
    Random random(seed, 1);
    Scenario s;
    s.seed = seed;
    const bool large = random.below(20) == 0;
    const auto hosts = static_cast<unsigned>(2 + random.below(large ? 23 : 5));
    const auto switches = static_cast<unsigned>(1 + random.below(large ? 6 : 3));
    s.switches = random_switches(random, switches, hosts);
    s.manager_at = some_places(random, switches, hosts);
    s.ahead = static_cast<std::uint32_t>(random.below(3) == 0 ? 2 + random.below(4) : 1);
    s.mtu = static_cast<std::uint16_t>(wire::kMinMtu + 64 + random.below(1700 - wire::kMinMtu));
    s.window = 1U << (3 + random.below(4));
    s.coalesce = random.below(4) != 0;
    s.pulse_interval = random.below(4) == 0 ? runtime::Duration(random.below(20'000)) : runtime::Duration{0};
    s.latency = runtime::Duration(100 + random.below(5000));
    s.traffic.isochrons = static_cast<unsigned>(large ? 1 + random.below(8) : 3 + random.below(30));
    s.traffic.most_parts = static_cast<unsigned>(random.below(10) == 0 ? 32 : 1 + random.below(8));
    s.traffic.acts = static_cast<unsigned>(random.below(2) * random.below(40));
    s.traffic.eagerness = static_cast<unsigned>(1 + random.below(8));
    s.worst = some_worst(random);
    s.partitions = random.below(4) == 0;
    s.max_message = static_cast<std::uint32_t>(2'000 + random.below(50'000));
    s.paranoid = random.below(3) == 0;
    return s;
}

/// Mostly so few die that a majority lives.
Scenario Scenario::mortal(std::uint64_t seed) {
    Scenario s = of(seed);
    Random random(seed, 5);
    const unsigned hosts = hosts_of(s.switches);
    s.partitions = false;
    s.latency = std::min(s.latency, runtime::Duration{2us});
    s.worst.delay = std::min<runtime::Duration>(s.worst.delay, 10us);
    s.mortality.survive = true;
    s.mortality.hosts = static_cast<unsigned>(random.below(std::min(hosts, 4U)));
    s.mortality.managers = random.below(3) == 0 ? 1 : 0;
    s.mortality.cuts = random.below(4) == 0 ? 1 : 0;
    s.mortality.within =
        runtime::Duration{100us} + runtime::Duration{static_cast<std::int64_t>(random.below(8'000'000))};
    return s;
}

/// For so long that some are missed before they are back, and others not.
Scenario Scenario::returning(std::uint64_t seed) {
    Scenario s = mortal(seed);
    Random random(seed, 6);
    s.traffic.isochrons *= 4;
    s.mortality.restarts = static_cast<unsigned>(1 + random.below(4));
    s.mortality.within =
        runtime::Duration{100us} + runtime::Duration{static_cast<std::int64_t>(random.below(40'000'000))};
    return s;
}

Scenario Scenario::leaping(std::uint64_t seed) {
    Scenario s = mortal(seed);
    Random random(seed, 7);
    s.traffic.isochrons *= 4;
    s.worst.loss = 0.01;
    s.clocks.every = s.mortality.limit;
    s.mortality.hosts = s.mortality.managers = s.mortality.cuts = 0;
    s.mortality.rest = 5 * s.mortality.limit;
    const std::uint64_t kinds = 1 + random.below(3);
    if ((kinds & 1) != 0) s.clocks.leap = 10 * s.mortality.limit;
    if ((kinds & 2) != 0) s.clocks.nap = s.mortality.limit / 2;
    return s;
}

bool Scenario::manages(const topology::Topology& topology, topology::NodeId host) const {
    return topology.is_host(host) && manager_at[topology.switch_of(host)] == host;
}

wire::MacAddress Scenario::mac_of(topology::NodeId node) {
    return {2, 0, 0, 0, static_cast<std::uint8_t>(node >> 8), static_cast<std::uint8_t>(node)};
}

niu::Options Scenario::niu_options(const topology::Topology& topology, topology::NodeId node,
                                   std::uint32_t epoch) const {
    niu::Options options;
    options.node = node;
    options.nodes = niu::names_of_hosts(topology);
    options.job_key = 7;
    options.manages = manages(topology, node);
    options.epoch = epoch;
    options.mac = mac_of(node);
    options.mtu = mtu;
    options.window = window;
    options.coalesce = coalesce;
    options.timeout = {.initial = 1ms, .least = 100us, .most = 5ms};
    options.hello_every = 200us;
    options.linger = 3ms;
    options.planted.first = planted.first_frame;
    if (mortality.survive) options.silence = membership::silence_for(mortality.limit);
    return options;
}

tm::ExchangeOptions Scenario::exchange_options() const {
    return {.ahead = ahead,
            .timeout = {.initial = 200us, .least = 50us, .most = 5ms},
            .idle_timeout = 4 * longest_pause,
            .in_views = mortality.survive,
            .accept_any_number = planted.tokens_unnumbered};
}

}  // namespace isoplane::sim
