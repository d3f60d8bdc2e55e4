// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guard.hh"

namespace isoplane::run {

/// What joins a rank to the fabric: the specs of the same link for its two ends.
struct RankLink {
    std::string fabric;
    std::string rank;
};

/// kDirect joins the only two ranks to each other.
enum class LinkKind { kVirtio, kMemif, kAfpacket, kDirect };

/// Throws std::invalid_argument for what is no such kind, and for one that only root can have.
LinkKind parse_link_kind(std::string_view word);

/// So many links, numbered through. The fabric, which is there first and lives longest, serves the sockets.
std::vector<RankLink> rank_links(LinkKind kind, unsigned ranks, const std::string& directory);

/// A link between the only two ranks; the first serves the socket.
std::vector<RankLink> direct_links(const std::string& directory);

/// Makes the pairs of interfaces that `afpacket` links use, which the guard removes. Throws
/// std::runtime_error.
void make_interfaces(unsigned ranks, unsigned mtu, const std::string& directory, const Guard& guard);

}  // namespace isoplane::run
