// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <chrono>
#include <isoplane/fabric/switch.hh>
#include <isoplane/topology/network.hh>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "gates.hh"
#include "manager_stage.hh"
#include "node.hh"

namespace isoplane::node {

/// The token managers that a node runs, and the reports on them: `show tokens` and `show pulse`. There they
/// are called as their stages are: telemetry takes no name with the '@' or '.' that those of the topology may
/// have.
class TokenManagers {
  public:
    /// Of a network with a topology. `gates` are for nodes with a key, and null for others. All outlive it.
    TokenManagers(Node& node, const topology::Network& network, Gates* gates);

    /// At a port of its own, which carries so many bytes behind the Ethernet header.
    void add(topology::NodeId manager, runtime::Input& from, runtime::Output& to, unsigned mtu);

    /// At a port of the fabric in the same node, which is returned: two rings join them.
    fabric::Port add_beside_fabric(topology::NodeId manager, unsigned mtu);

  private:
    using Clock = std::chrono::steady_clock;

    struct Managed {
        topology::NodeId node;
        const ManagerStage& stage;
        std::uint64_t complete = 0;  ///< when the pulse was last shown
        Clock::time_point shown = Clock::now();
    };

    std::string stage_name(topology::NodeId manager) const;
    nlohmann::json tokens() const;
    nlohmann::json pulse();

    Node& node_;
    const topology::Network& network_;
    Gates* gates_;
    std::shared_ptr<const Ways> ways_;
    std::uint32_t epoch_;
    std::mutex shown_;  ///< reports are made on several threads
    std::vector<Managed> managers_;
};

}  // namespace isoplane::node
