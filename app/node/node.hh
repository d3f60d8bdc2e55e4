// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <functional>
#include <isoplane/link/link.hh>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <isoplane/runtime/eal.hh>
#include <isoplane/runtime/engine.hh>
#include <isoplane/runtime/metrics_server.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/runtime/telemetry.hh>
#include <isoplane/runtime/views.hh>

#include "captures.hh"
#include "watch.hh"

namespace isoplane::node {

struct NodeOptions {
    runtime::EalOptions eal;
    runtime::IdlePolicy idle = runtime::IdlePolicy::kYield;
    unsigned packets = 16383;  ///< in the pool
    unsigned mtu = 1500;
    std::optional<std::uint16_t> metrics_port;
    share::Identity identity{};  ///< who this is at a shared node, if that has its link
};

/// What every process of the dataplane is made of: the EAL, a packet pool, links, an engine of stages, and
/// the reports on them. Roles add their stages; then ready(), start(), stop(), and close() at the end, which
/// tells whether everything came back.
class Node {
  public:
    /// Starts the EAL and opens the links. Throws with a sentence.
    Node(const NodeOptions& options, const std::vector<link::LinkSpec>& links);
    ~Node();
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    runtime::Pool& pool() noexcept { return pool_; }
    runtime::Engine& engine() noexcept { return engine_; }
    runtime::Views& views() noexcept { return views_; }
    const std::vector<std::unique_ptr<link::Link>>& links() const noexcept { return links_; }

    /// Places the stages and begins to serve the reports. Once, after the roles are in.
    void ready(const runtime::Placement& placement);

    void start();
    /// Returns how many packets could not leave and were freed.
    std::size_t stop();
    bool running() const noexcept { return engine_.running(); }

    void clear_counters();
    /// Has clear_counters() do that, too.
    void also_clear(std::function<void()> more) { clear_more_.push_back(std::move(more)); }

    Captures& captures() noexcept { return captures_; }
    Watch& watch() noexcept { return watch_; }

    /// Stops everything and closes the links. Returns a sentence for each thing that went wrong in the end:
    /// packets that did not come back, files that could not be written. Empty means a clean end.
    std::vector<std::string> close();

  private:
    void add_views();

    runtime::Eal eal_;
    runtime::Pool pool_;
    std::vector<std::unique_ptr<link::Link>> links_;
    runtime::Engine engine_;
    Captures captures_;
    Watch watch_;
    std::vector<std::function<void()>> clear_more_;
    runtime::Views views_;
    std::unique_ptr<runtime::Telemetry> telemetry_;
    std::unique_ptr<runtime::MetricsServer> metrics_;
    std::optional<std::uint16_t> metrics_port_;
    bool serve_telemetry_;
};

}  // namespace isoplane::node
