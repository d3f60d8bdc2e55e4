// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "token_managers.hh"

#include <algorithm>
#include <isoplane/niu/epoch.hh>
#include <nlohmann/json.hpp>
#include <utility>

#include "time_watch.hh"

namespace isoplane::node {

using Json = nlohmann::json;

TokenManagers::TokenManagers(Node& node, const topology::Network& network, Gates* gates)
    : node_(node),
      network_(network),
      gates_(gates),
      ways_(std::make_shared<const Ways>(*network.topology)),
      epoch_(niu::epoch_now()) {
    node_.views().add("tokens", [this] { return tokens(); });
    node_.views().add("pulse", [this] { return pulse(); });
}

/// By the place of its switch in the file: `tm` places them all.
std::string TokenManagers::stage_name(topology::NodeId manager) const {
    return "tm" + std::to_string(manager - ways_->topology.host_count());
}

fabric::Port TokenManagers::add_beside_fabric(topology::NodeId manager, unsigned mtu) {
    runtime::Ring& up = node_.engine().add_ring(stage_name(manager) + ".in");
    runtime::Ring& down = node_.engine().add_ring(stage_name(manager) + ".out");
    add(manager, up.input(), down.output(), mtu);
    return {down.input(), up.output()};
}

void TokenManagers::add(topology::NodeId manager, runtime::Input& from, runtime::Output& to, unsigned mtu) {
    const topology::NodeConf& conf = network_.conf;
    const Ends ends = through(gates_, manager, {from, to, mtu});
    // It exchanges tokens and no messages: so it has no peers, and no windows to keep frames in.
    const niu::Options options{.node = manager,
                               .nodes = std::vector<std::string>(ways_->topology.node_count()),
                               .job_key = conf.job_key.value_or(0),
                               .epoch = epoch_,
                               .mac = network_.mac(manager),
                               .udp = network_.udp(manager),
                               .mtu = static_cast<std::uint16_t>(ends.mtu),
                               .window = 1};
    const ManagerStage& stage = node_.engine().add(std::make_unique<ManagerStage>(
        stage_name(manager), ends.from, ends.to, node_.pool(), ways_, options, time_options(conf)));
    managers_.push_back({manager, stage});
    watch(node_, stage, ways_->topology.name(manager));
}

nlohmann::json TokenManagers::tokens() const {
    Json all = Json::array();
    for (const Managed& managed : managers_) {
        Json& report = all.emplace_back(Json{{"name", managed.stage.name()},
                                             {"manager", ways_->topology.name(managed.node)},
                                             {"node", managed.node}});
        Json& neighbours = report["neighbours"] = Json::array();
        for (const topology::NodeId node : ways_->topology.token_neighbours(managed.node))
            neighbours.push_back(ways_->topology.name(node));
        node_.engine().call(managed.stage, [&] {
            managed.stage.manager().describe(report);
            if (const auto* agreement = managed.stage.agreement()) agreement->describe(report["membership"]);
        });
    }
    return all;
}

nlohmann::json TokenManagers::pulse() {
    const std::lock_guard lock(shown_);
    Json all = Json::array();
    for (Managed& managed : managers_) {
        std::uint64_t sent = 0;
        std::uint64_t complete = 0;
        node_.engine().call(managed.stage, [&] {
            sent = managed.stage.manager().sent();
            complete = managed.stage.manager().complete();
        });
        const Clock::time_point now = Clock::now();
        const std::chrono::duration<double> since = now - std::exchange(managed.shown, now);
        // When time has started again, the pulses since then are all there is to count.
        const std::uint64_t before = std::exchange(managed.complete, complete);
        const std::uint64_t passed = complete >= before ? complete - before : complete;
        all.push_back({{"name", managed.stage.name()},
                       {"manager", ways_->topology.name(managed.node)},
                       {"token_sent", sent},
                       {"token_complete", complete},
                       {"per_second", static_cast<double>(passed) / std::max(since.count(), 1e-9)}});
    }
    return all;
}

}  // namespace isoplane::node
