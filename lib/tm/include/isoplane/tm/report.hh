// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/topology/topology.hh>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include <isoplane/tm/token_exchange.hh>

namespace isoplane::tm {

/// Adds to `out`, an object, how far tokens have come, on whom they wait, and what was counted.
void describe_exchange(const TokenExchange& exchange, const topology::Topology& topology,
                       nlohmann::json& out);

/// A sentence about a neighbour that is configured otherwise than this node, and empty when there is none.
std::string disagreement(const TokenExchange& exchange, const topology::Topology& topology);

}  // namespace isoplane::tm
