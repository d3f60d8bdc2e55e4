// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <vector>

#include <isoplane/niu/peer.hh>

namespace isoplane::niu {

/// Whom a node can talk to. Of nodes that have no name nothing is kept but a pointer: in a network of
/// thousands a host may know a few. It is to the one that stands in the place of each of them, and of the
/// node itself, and is never up.
///
/// Pointers rather than numbers, because each frame that comes is looked up here: so nothing is multiplied.
class PeerTable {
  public:
    PeerTable(const Options& options, std::uint32_t credit, Parting& parting, Lent& lent) {
        peers_.reserve(options.nodes.named() + 1);
        by_node_.assign(options.nodes.size(), &add(options.node, options, credit, parting, lent));
        for (std::size_t node = 0; node < by_node_.size(); ++node)
            if (node != options.node && !options.nodes[node].empty())
                by_node_[node] = &add(static_cast<NodeId>(node), options, credit, parting, lent);
    }
    PeerTable(const PeerTable&) = delete;
    PeerTable& operator=(const PeerTable&) = delete;

    Peer& operator[](NodeId node) noexcept { return *by_node_[node]; }
    const Peer& operator[](NodeId node) const noexcept { return *by_node_[node]; }
    /// How many nodes there are.
    std::size_t nodes() const noexcept { return by_node_.size(); }

    /// Those with a name, and the node itself: numbered by Peer::place.
    unsigned size() const noexcept { return static_cast<unsigned>(peers_.size()); }
    Peer& at(unsigned place) noexcept { return peers_[place]; }

    // The node itself first, then those with a name.

    auto begin() noexcept { return peers_.begin(); }
    auto end() noexcept { return peers_.end(); }
    auto begin() const noexcept { return peers_.begin(); }
    auto end() const noexcept { return peers_.end(); }

  private:
    Peer& add(NodeId node, const Options& options, std::uint32_t credit, Parting& parting, Lent& lent) {
        return peers_.emplace_back(node, static_cast<NodeId>(peers_.size()), options, credit, parting, lent);
    }

    std::vector<Peer> peers_;
    std::vector<Peer*> by_node_;
};

}  // namespace isoplane::niu
