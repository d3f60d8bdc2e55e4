// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "network.hh"

#include <algorithm>
#include <chrono>
#include <isoplane/fabric/switch.hh>
#include <isoplane/topology/mac.hh>
#include <thread>

namespace isoplane::demo {

namespace {

constexpr std::uint16_t kFrameSize = 128;
/// For what is under way to arrive. A hand-over between lcores takes microseconds.
constexpr auto kPatience = std::chrono::seconds(10);

node::NodeOptions node_options() {
    node::NodeOptions options;
    options.eal.workers = std::clamp(static_cast<unsigned>(runtime::allowed_cpus().size()), 1U, 4U);
    return options;
}

/// Two ends of a ring for each host: the even links are the hosts', the odd ones the switch's.
std::vector<link::LinkSpec> rings(unsigned hosts) {
    std::vector<link::LinkSpec> specs;
    for (unsigned host = 0; host < hosts; ++host) {
        for (int end = 0; end < 2; ++end)
            specs.push_back(link::LinkSpec::parse("ring:host" + std::to_string(host)));
    }
    return specs;
}

}  // namespace

Network::Network(unsigned hosts) : hosts_(hosts), node_(node_options(), rings(hosts)) {
    add_switch();
    for (unsigned host = 0; host < hosts; ++host)
        add_host(host);
    node_.ready(runtime::Placement());
}

void Network::add_switch() {
    std::vector<fabric::Port> ports;
    for (unsigned host = 0; host < hosts_; ++host) {
        link::Link& end = *node_.links()[2 * host + 1];
        ports.push_back({end.input(), end.output()});
    }
    switch_ = &node_.engine().add(std::make_unique<fabric::Switch>("fabric", ports, node_.pool()));
}

void Network::add_host(unsigned host) {
    link::Link& link = *node_.links()[std::size_t{2} * host];
    const auto self = static_cast<std::uint16_t>(host);
    const auto next = static_cast<std::uint16_t>((host + 1) % hosts_);
    const traffic::GenerateOptions options{.size = kFrameSize,
                                           .source = self,
                                           .destination = next,
                                           .source_mac = topology::default_mac(self),
                                           .destination_mac = topology::default_mac(next)};
    const std::string number = std::to_string(host);
    generators_.push_back(&node_.engine().add(
        std::make_unique<traffic::Generate>("generate" + number, link.output(), node_.pool(), options)));
    const wire::Expect expect{
        .encapsulation = {}, .node = self, .node_count = static_cast<std::uint16_t>(hosts_)};
    sinks_.push_back(
        &node_.engine().add(std::make_unique<traffic::Sink>("sink" + number, link.input(), expect)));
}

std::uint64_t Network::sent() const {
    std::uint64_t sum = 0;
    for (const auto* generate : generators_)
        sum += generate->sent();
    return sum;
}

std::uint64_t Network::received() const {
    std::uint64_t sum = 0;
    for (const auto* sink : sinks_)
        sum += sink->good();
    return sum;
}

std::uint64_t Network::dropped() const {
    std::uint64_t sum = 0;
    for (unsigned port = 0; port < hosts_; ++port)
        sum += switch_->egress(port).queue_full.get();
    return sum;
}

std::uint64_t Network::latency(double fraction) const {
    std::uint64_t worst = 0;
    for (const auto* sink : sinks_)
        worst = std::max(worst, sink->latency().quantile(fraction));
    return worst;
}

/// Whether a frame is still to come. A generator counts what its output refused as sent only once it has
/// gone.
bool Network::under_way() {
    std::size_t held = 0;
    for (auto* generate : generators_)
        node_.engine().call(*generate, [&] { held += generate->held(); });
    return held > 0 || received() + dropped() < sent();
}

std::vector<std::string> Network::finish() {
    for (auto* generate : generators_) {
        node_.engine().call(*generate, [generate] { generate->set_quiet(true); });
    }
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (under_way() && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    node_.stop();
    std::vector<std::string> complaints;
    for (unsigned host = 0; host < hosts_; ++host)
        check(host, complaints);
    return complaints;
}

/// Every frame that the host before sent is here once, in order and intact, or was dropped at the switch's
/// port.
void Network::check(unsigned host, std::vector<std::string>& complaints) {
    const traffic::Sink& sink = *sinks_[host];
    const std::uint64_t sent = generators_[(host + hosts_ - 1) % hosts_]->sent();
    const std::uint64_t accounted = sink.good() + switch_->egress(host).queue_full.get();
    const std::string name = "host " + std::to_string(host);
    if (accounted != sent) {
        complaints.push_back(name + " accounts for " + std::to_string(accounted) + " of the " +
                             std::to_string(sent) + " frames sent to it");
    }
    if (sink.duplicates() + sink.late() != 0)
        complaints.push_back(name + " received frames twice or out of order");
    if (sink.refused() != 0)
        complaints.push_back(name + " refused " + std::to_string(sink.refused()) + " frames");
    if (sink.good() == 0) complaints.push_back(name + " received nothing");
}

}  // namespace isoplane::demo
