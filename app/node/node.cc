// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "node.hh"

#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace isoplane::node {

namespace {

using Json = nlohmann::json;

/// How long stop() waits for packets that a link does not take: its peer is dead, or asleep.
constexpr auto kPatience = std::chrono::seconds(1);

/// The EAL has to be told of NICs before it starts.
runtime::EalOptions with_nics(runtime::EalOptions eal, const std::vector<link::LinkSpec>& links) {
    eal.pci = link::pci_devices(links);
    return eal;
}

Json port_report(const link::Link& link) {
    const link::LinkStats s = link.stats();
    return {{"name", link.name()},        {"rx_packets", s.ipackets}, {"rx_bytes", s.ibytes},
            {"rx_missed", s.imissed},     {"rx_errors", s.ierrors},   {"rx_no_packets", s.rx_nombuf},
            {"tx_packets", s.opackets},   {"tx_bytes", s.obytes},     {"tx_errors", s.oerrors},
            {"linearised", s.linearised}, {"oversized", s.oversized}};
}

}  // namespace

Node::Node(const NodeOptions& options, const std::vector<link::LinkSpec>& links)
    : eal_(with_nics(options.eal, links)),
      pool_("packets", options.packets, runtime::Pool::room_for(options.mtu), runtime::Pool::kDefaultCache,
            link::place_of_pool(links)),
      links_(link::open_links(links, {.pool = &pool_, .mtu = options.mtu, .identity = options.identity})),
      engine_(options.eal.workers, options.idle),
      captures_(engine_, links_),
      metrics_port_(options.metrics_port),
      serve_telemetry_(options.eal.telemetry) {}

Node::~Node() {
    close();
}

void Node::add_views() {
    views_.add("stage", [this] { return engine_.describe(); });
    views_.add("link", [this] {
        Json all = Json::array();
        for (const auto& link : links_) {
            link->describe(all.emplace_back(Json::object()));
            all.back().erase("stats");  // the report on ports has them
        }
        return all;
    });
    views_.add("port", [this] {
        Json all = Json::array();
        for (const auto& link : links_)
            all.push_back(port_report(*link));
        return all;
    });
    views_.add("pool", [this] {
        return Json{{"size", pool_.size()}, {"in_use", pool_.in_use()}, {"hugepages", eal_.hugepages()}};
    });
    views_.add("capture", [this] { return captures_.describe(); });
}

void Node::ready(const runtime::Placement& placement) {
    engine_.place(placement);
    add_views();
    for (const auto& link : links_)
        link->start();
    // What asks them is there no earlier, and no longer, than they are up.
    if (serve_telemetry_) telemetry_ = std::make_unique<runtime::Telemetry>(views_);
    if (metrics_port_) metrics_ = std::make_unique<runtime::MetricsServer>(views_, *metrics_port_);
}

void Node::start() {
    engine_.start();
}

std::size_t Node::stop() {
    return engine_.stop(kPatience);
}

void Node::clear_counters() {
    engine_.clear_counters();
    for (const auto& link : links_)
        link->clear_stats();
    for (const auto& more : clear_more_)
        more();
}

std::vector<std::string> Node::close() {
    if (links_.empty() && !metrics_ && !telemetry_) return {};
    std::vector<std::string> failures;
    stop();
    if (captures_.running()) {
        if (const auto figures = captures_.stop(); !figures.error.empty()) failures.push_back(figures.error);
    }
    metrics_.reset();
    telemetry_.reset();
    for (const auto& link : links_) {
        link->stop();
        if (const std::string failure = link->failure(); !failure.empty()) failures.push_back(failure);
    }
    links_.clear();
    if (const unsigned out = pool_.in_use(); out != 0) {
        failures.push_back(std::to_string(out) + " of " + std::to_string(pool_.size()) +
                           " packets did not come back to the pool");
    }
    return failures;
}

}  // namespace isoplane::node
