// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "middle.hh"

#include <algorithm>
#include <isoplane/topology/mac.hh>

namespace isoplane::perf {

Middle::Middle(Side& a, Side& b, const std::vector<std::size_t>& ahead, ManagerAt at,
               const fabric::Impairment& impairment)
    : pool_(*a.pool), manager_host_(at == ManagerAt::kPort ? 1 : 0) {
    std::vector<fabric::Port> ports{{a.link->input(), a.link->output()}, {b.link->input(), b.link->output()}};
    for (const std::size_t h : ahead) {
        managers_.push_back({.ahead = h, .wire = std::make_unique<Wire>("tm" + std::to_string(h))});
        ports.push_back(managers_.back().wire->port());
    }
    ports.push_back(detour_wire_.port());
    fabric_ = std::make_unique<fabric::Switch>("fabric", ports, pool_);
    // Who is beside the fabric has no wire to it.
    const unsigned wires = at == ManagerAt::kPort ? fabric_->ports() : 2;
    for (unsigned port = 0; port < wires; ++port)
        fabric_->set(port, impairment);
}

Middle::~Middle() {
    fabric_->discard();
    for (const Manager& manager : managers_) {
        if (manager.stage) manager.stage->discard();
        manager.wire->in.drain();
        manager.wire->out.drain();
    }
    if (detour_) detour_->discard();
    detour_wire_.in.drain();
    detour_wire_.out.drain();
}

void Middle::add_manager(std::size_t ahead, std::uint32_t job, std::shared_ptr<const node::Ways> ways) {
    Manager& manager = *std::ranges::find(managers_, ahead, &Manager::ahead);
    const auto index = static_cast<niu::NodeId>(&manager - managers_.data());
    const niu::NodeId node = ways->topology.token_manager(0);
    // The fabric is to tell one token manager from the other.
    const niu::Options options{.node = node,
                               .nodes = std::vector<std::string>(ways->topology.node_count()),
                               .job_key = job,
                               .mac = topology::default_mac(static_cast<niu::NodeId>(node + index)),
                               .window = 1};
    manager.stage = std::make_unique<node::ManagerStage>(
        "tm", manager.wire->in.input(), manager.wire->out.output(), pool_, std::move(ways), options,
        node::TimeOptions{.ahead = static_cast<std::uint32_t>(ahead)});
}

Detour& Middle::add_detour(niu::Options options) {
    options.node = static_cast<niu::NodeId>(options.nodes.size() - 1);
    constexpr std::uint8_t kNotOfManagers = 1;
    options.mac = topology::default_mac(options.node, kNotOfManagers);
    options.chains = false;
    options.in_process = false;
    return detour_.emplace(detour_wire_.in.input(), detour_wire_.out.output(), pool_, std::move(options));
}

void Middle::poll(unsigned host) noexcept {
    const runtime::Time now = clock_.now();
    if (host == 0) fabric_->poll(now);
    if (host != manager_host_) return;
    for (const Manager& manager : managers_)
        if (manager.stage) manager.stage->poll(now);
    if (detour_) detour_->poll(now);
    if (host == 0) fabric_->poll(now);
}

}  // namespace isoplane::perf
