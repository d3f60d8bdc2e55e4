// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/auth/gate.hh>
#include <isoplane/topology/network.hh>
#include <memory>
#include <vector>

#include "node.hh"

namespace isoplane::node {

/// Where a stage receives and sends, and how much a frame there carries behind its Ethernet header.
struct Ends {
    runtime::Input& from;
    runtime::Output& to;
    unsigned mtu;
    unsigned trailer = 0;  ///< by so much that is less than the link's
};

/// What stands between the hosts and token managers of a node and their ports, where the node has a key; and
/// the report on it, `show authentication`.
class Gates {
  public:
    /// Of a network with a topology. All outlive it.
    Gates(Node& node, const auth::Key& key, const topology::Network& network);

    /// A new one, for that node of the topology.
    Ends add(topology::NodeId id, const Ends& port);

  private:
    struct Named {
        std::string name;
        std::unique_ptr<auth::Gate> gate;
    };

    Node& node_;
    const auth::Key& key_;
    const topology::Network& network_;
    std::vector<Named> gates_;
};

/// Through a new gate, if there are any.
inline Ends through(Gates* gates, topology::NodeId id, const Ends& port) {
    return gates == nullptr ? port : gates->add(id, port);
}

}  // namespace isoplane::node
