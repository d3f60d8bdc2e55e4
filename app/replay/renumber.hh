// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <isoplane/wire/frame.hh>
#include <map>
#include <span>

namespace isoplane::replay {

/// From and to.
using NodeMap = std::map<std::uint16_t, std::uint16_t>;

/// What the node of that number is called.
std::uint16_t renamed(const NodeMap& nodes, std::uint16_t node);

/// Changes the numbers of nodes in the payload of a frame that has been decoded: those who issued messages,
/// those in tokens and in views. False, with some of them changed, where there are others that it cannot
/// change: of how things stand when a host joins, places stand for nodes, and one number may be in several
/// frames; and a part of a view has the checksum of all of it.
bool renumber(const NodeMap& nodes, wire::Kind kind, std::span<std::byte> payload);

}  // namespace isoplane::replay
