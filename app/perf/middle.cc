// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "middle.hh"

#include <algorithm>
#include <isoplane/topology/mac.hh>

namespace isoplane::perf {

Middle::Middle(Side& a, Side& b, const std::vector<std::size_t>& ahead, ManagerAt at)
    : pool_(*a.pool), manager_host_(at == ManagerAt::kPort ? 1 : 0) {
    std::vector<fabric::Port> ports{{a.link->input(), a.link->output()}, {b.link->input(), b.link->output()}};
    for (const std::size_t h : ahead) {
        const std::string name = "tm" + std::to_string(h);
        managers_.push_back({.ahead = h,
                             .in = std::make_unique<runtime::Ring>(name + ".in"),
                             .out = std::make_unique<runtime::Ring>(name + ".out")});
        ports.push_back({managers_.back().out->input(), managers_.back().in->output()});
    }
    fabric_ = std::make_unique<fabric::Switch>("fabric", ports, pool_);
}

Middle::~Middle() {
    fabric_->discard();
    for (const Manager& manager : managers_) {
        if (manager.stage) manager.stage->discard();
        manager.in->drain();
        manager.out->drain();
    }
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
        "tm", manager.in->input(), manager.out->output(), pool_, std::move(ways), options,
        node::TimeOptions{.ahead = static_cast<std::uint32_t>(ahead)});
}

void Middle::poll(unsigned host) noexcept {
    const runtime::Time now = clock_.now();
    if (host == 0) fabric_->poll(now);
    if (host != manager_host_) return;
    for (const Manager& manager : managers_)
        if (manager.stage) manager.stage->poll(now);
    if (host == 0) fabric_->poll(now);
}

}  // namespace isoplane::perf
