// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "gates.hh"

#include <nlohmann/json.hpp>

namespace isoplane::node {

Gates::Gates(Node& node, const auth::Key& key, const topology::Network& network)
    : node_(node), key_(key), network_(network) {
    node_.views().add("authentication", [this] {
        nlohmann::json all = nlohmann::json::array();
        for (const Named& named : gates_) {
            nlohmann::json& report = all.emplace_back(nlohmann::json{{"name", named.name}});
            named.gate->describe(report);
        }
        return all;
    });
    node_.also_clear([this] {
        for (const Named& named : gates_)
            named.gate->clear_counters();
    });
}

Ends Gates::add(topology::NodeId id, const Ends& port) {
    const topology::UdpNetwork udp = network_.udp(id);
    const auth::GateOptions options{
        .station = id,
        .stations = network_.topology->node_count(),
        .job_key = network_.conf.job_key.value_or(0),
        .encapsulation = udp.addresses.empty()
                             ? wire::Encapsulation{}
                             : wire::Encapsulation{.transport = wire::Transport::kUdp, .udp_port = udp.port}};
    std::string name = "node" + std::to_string(id);
    gates_.push_back(
        {name, std::make_unique<auth::Gate>(name, key_, options, port.from, port.to, node_.pool())});
    auth::Gate& gate = *gates_.back().gate;
    constexpr unsigned kTrailer = wire::kTrailerSize;
    return {gate.input(), gate.output(), port.mtu - kTrailer, kTrailer};
}

}  // namespace isoplane::node
