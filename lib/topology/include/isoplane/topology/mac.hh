// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <isoplane/topology/limits.hh>

namespace isoplane::topology {

/// An Ethernet address in wire order.
using Mac = std::array<std::uint8_t, 6>;

/// The address a node has unless its configuration says otherwise: 02:69:73:LL:NN:NN, where LL counts the
/// node's links from 0 and NN:NN is its id. 02 marks it as locally administered, 69:73 are the letters "is".
Mac default_mac(NodeId node, std::uint8_t link = 0);

/// "02:69:73:00:00:07" or with '-' between the bytes; nothing else, and no value otherwise.
std::optional<Mac> parse_mac(std::string_view text);

/// Lower case with colons; parse_mac reads it back.
std::string to_string(const Mac& mac);

/// Whether one station may own the address: not multicast, not all zeros.
bool is_unicast(const Mac& mac);

}  // namespace isoplane::topology
