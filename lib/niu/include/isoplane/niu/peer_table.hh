// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <vector>

#include <isoplane/niu/peer.hh>

namespace isoplane::niu {

/// Whom a node can talk to. Nothing is kept for nodes that have no name, but two bytes to tell that: in a
/// network of thousands a host may know a few. In the place of each of them, and of the node itself, stands
/// one that is never up.
class PeerTable {
  public:
    PeerTable(const Options& options, std::uint32_t credit, Lent& lent) : places_(options.nodes.size(), 0) {
        std::size_t named = 1;
        for (std::size_t node = 0; node < options.nodes.size(); ++node)
            if (node != options.node && !options.nodes[node].empty())
                places_[node] = static_cast<NodeId>(named++);
        peers_.reserve(named);
        peers_.emplace_back(options.node, options, credit, lent);
        for (std::size_t node = 0; node < places_.size(); ++node)
            if (places_[node] != 0) peers_.emplace_back(static_cast<NodeId>(node), options, credit, lent);
    }

    Peer& operator[](NodeId node) noexcept { return peers_[places_[node]]; }
    const Peer& operator[](NodeId node) const noexcept { return peers_[places_[node]]; }
    /// How many nodes there are.
    std::size_t nodes() const noexcept { return places_.size(); }

    // The node itself first, then those with a name.

    auto begin() noexcept { return peers_.begin(); }
    auto end() noexcept { return peers_.end(); }
    auto begin() const noexcept { return peers_.begin(); }
    auto end() const noexcept { return peers_.end(); }

  private:
    std::vector<NodeId> places_;  ///< of each node among the peers
    std::vector<Peer> peers_;
};

}  // namespace isoplane::niu
