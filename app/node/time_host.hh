// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <chrono>
#include <isoplane/link/link.hh>
#include <isoplane/topology/network.hh>
#include <mutex>
#include <nlohmann/json_fwd.hpp>

#include "gates.hh"
#include "host_stage.hh"
#include "node.hh"

namespace isoplane::node {

/// The host of logical time that a node is, and the reports on it: `show tokens`, `show pulse` and
/// `show buckets`.
class TimeHost {
  public:
    /// The host `network.conf.id` of a network with a topology. It speaks by that link, and receives from and
    /// sends to these ends of it.
    TimeHost(Node& node, const topology::Network& network, const link::Link& link, const Ends& ends);

  private:
    using Clock = std::chrono::steady_clock;

    nlohmann::json named() const;
    nlohmann::json tokens() const;
    nlohmann::json pulse();
    nlohmann::json buckets() const;

    Node& node_;
    std::shared_ptr<const Ways> ways_;
    niu::NodeId here_;
    const HostStage* stage_ = nullptr;
    std::mutex shown_;            ///< reports are made on several threads
    std::uint64_t executed_ = 0;  ///< when the pulse was last shown
    Clock::time_point shown_at_ = Clock::now();
};

}  // namespace isoplane::node
