// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "network.hh"

#include <algorithm>
#include <chrono>
#include <isoplane/topology/mac.hh>
#include <stdexcept>
#include <thread>

namespace isoplane::demo {

namespace {

/// For hosts to find each other, and for what is under way to be executed. Both take milliseconds; on a
/// machine that has other things to do, longer.
constexpr auto kPatience = std::chrono::seconds(30);

node::NodeOptions node_options() {
    node::NodeOptions options;
    options.eal.workers = std::clamp(static_cast<unsigned>(runtime::allowed_cpus().size()), 1U, 4U);
    return options;
}

/// Two ends of a ring for each node: the even links are the nodes', the odd ones the switch's.
std::vector<link::LinkSpec> rings(std::size_t nodes) {
    std::vector<link::LinkSpec> specs;
    for (std::size_t node = 0; node < nodes; ++node) {
        for (int end = 0; end < 2; ++end)
            specs.push_back(link::LinkSpec::parse("ring:node" + std::to_string(node)));
    }
    return specs;
}

topology::Topology around_one_switch(unsigned hosts) {
    topology::SwitchSpec spec{.number = 1, .ports = {}, .at = {}};
    for (unsigned host = 0; host < hosts; ++host)
        spec.ports.push_back({topology::PortKind::kHost, "host" + std::to_string(host), 0, {}});
    return topology::Topology({&spec, 1}, "demo");
}

}  // namespace

Network::Network(unsigned hosts, double loss)
    : ways_(std::make_shared<const node::Ways>(around_one_switch(hosts))),
      node_(node_options(), rings(ways_->topology.node_count())) {
    add_switch(loss);
    for (unsigned host = 0; host < hosts; ++host)
        add_host(static_cast<topology::NodeId>(host));
    add_manager();
    node_.ready(runtime::Placement());
}

void Network::add_switch(double loss) {
    std::vector<fabric::Port> ports;
    for (std::size_t node = 0; node < ways_->topology.node_count(); ++node) {
        link::Link& end = *node_.links()[2 * node + 1];
        ports.push_back({end.input(), end.output()});
    }
    switch_ = &node_.engine().add(std::make_unique<fabric::Switch>("fabric", ports, node_.pool()));
    for (unsigned port = 0; port < switch_->ports(); ++port)
        switch_->set(port, {.loss = loss});
}

niu::Options Network::options_of(topology::NodeId node) const {
    niu::Options options;
    options.node = node;
    options.nodes = niu::names_of_hosts(ways_->topology);
    options.mac = topology::default_mac(node);
    options.in_process = true;
    options.chains = true;
    return options;
}

void Network::add_host(topology::NodeId host) {
    link::Link& link = *node_.links()[std::size_t{2} * host];
    hosts_.push_back(
        &node_.engine().add(std::make_unique<Host>("host" + std::to_string(host), link.input(), link.output(),
                                                   node_.pool(), options_of(host), ways_->paths)));
}

void Network::add_manager() {
    const topology::NodeId node = ways_->topology.token_manager(0);
    link::Link& link = *node_.links()[std::size_t{2} * node];
    niu::Options options = options_of(node);
    options.window = 1;  // it sends nothing but tokens
    manager_ = &node_.engine().add(std::make_unique<node::ManagerStage>(
        "tm", link.input(), link.output(), node_.pool(), ways_, options, node::TimeOptions{}));
}

bool Network::await(const std::function<bool()>& condition, const std::function<bool()>& interrupted) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!condition()) {
        if (interrupted() || std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

bool Network::all(const std::function<bool(Host&)>& condition) {
    return std::ranges::all_of(hosts_, [&](Host* host) {
        bool holds = false;
        node_.engine().call(*host, [&] { holds = condition(*host); });
        return holds;
    });
}

void Network::start(const std::function<bool()>& interrupted) {
    node_.start();
    if (!await([this] { return all([](Host& host) { return host.is_ready(); }); }, interrupted))
        throw std::runtime_error(
            interrupted() ? "interrupted before all hosts had found each other; nothing was run"
                          : "the hosts did not find each other within " + std::to_string(kPatience.count()) +
                                " s; see whether the machine is overloaded, or take fewer with --hosts");
    for (Host* host : hosts_)
        node_.engine().call(*host, [host] { host->set_issuing(true); });
}

Figures Network::figures(unsigned number) const {
    const Host& host = *hosts_[number];
    const niu::Counters& frames = host.frames();
    return {.isochrons = host.counters().isochrons.get(),
            .messages = host.counters().executed.get(),
            .pulses = host.counters().pulses.get(),
            .lost = switch_->egress(number).lost.get(),
            .sent_again =
                frames.resent_overtaken.get() + frames.resent_timeout.get() + host.tokens().resent.get()};
}

Figures Network::figures() const {
    const topology::NodeId manager = ways_->topology.token_manager(0);
    Figures sum{.lost = switch_->egress(manager).lost.get(),
                .sent_again = manager_->manager().counters().resent.get()};
    for (unsigned host = 0; host < hosts(); ++host) {
        const Figures one = figures(host);
        sum.isochrons += one.isochrons;
        sum.messages += one.messages;
        sum.pulses = std::max(sum.pulses, one.pulses);
        sum.lost += one.lost;
        sum.sent_again += one.sent_again;
    }
    return sum;
}

std::uint64_t Network::latency(double fraction) const {
    std::uint64_t worst = 0;
    for (const Host* host : hosts_)
        worst = std::max(worst, host->latency().quantile(fraction));
    return worst;
}

std::vector<std::string> Network::finish() {
    std::vector<std::string> complaints;
    const auto never = [] { return false; };
    siu::Pulse known = 0;
    for (Host* host : hosts_)
        node_.engine().call(*host, [&] { host->set_issuing(false); });
    const auto rest = [&] {
        for (Host* host : hosts_)
            node_.engine().call(*host, [&] { known = std::max(known, host->known_by()); });
        return all([&](Host& host) { return host.rests(known); });
    };
    if (!await(rest, never)) complaints.emplace_back("not everything that was issued is executed");
    for (Host* host : hosts_)
        node_.engine().call(*host, [host] { host->leave(); });
    if (!await([&] { return all([](Host& host) { return host.has_left(); }); }, never))
        complaints.emplace_back("not all hosts could leave");
    node_.stop();
    compare_all(complaints);
    for (std::string& failure : node_.close())
        complaints.push_back(std::move(failure));
    return complaints;
}

void Network::compare_all(std::vector<std::string>& complaints) const {
    std::vector<const Witness*> witnesses;
    std::vector<std::uint32_t> issued;
    for (const Host* host : hosts_) {
        witnesses.push_back(&host->witness());
        issued.push_back(host->issued());
        if (host->witness().messages() == 0) complaints.push_back(host->name() + " received nothing");
    }
    for (std::string& complaint : compare(witnesses, issued))
        complaints.push_back(std::move(complaint));
}

}  // namespace isoplane::demo
