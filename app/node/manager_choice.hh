// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/topology/network.hh>
#include <vector>

namespace isoplane::node {

/// The token managers of the network that a node with the role tm runs: the one that its id or name says;
/// else, beside a fabric, those of all switches; else that of the only switch. Throws std::invalid_argument
/// or topology::Error with a sentence when that is none.
std::vector<topology::NodeId> choose_managers(const topology::Network& network, bool beside_fabric);

/// The host that the role `host` is. The same.
topology::NodeId choose_host(const topology::Network& network);

}  // namespace isoplane::node
