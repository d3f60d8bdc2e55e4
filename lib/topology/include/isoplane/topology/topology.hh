// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <isoplane/topology/error.hh>
#include <isoplane/topology/limits.hh>

namespace isoplane::topology {

enum class PortKind : std::uint8_t { kDangling, kHost, kTokenManager, kLink };

/// What a file says about one port of a switch.
struct PortSpec {
    PortKind kind = PortKind::kDangling;
    std::string name;          ///< of the host or token manager
    std::uint32_t number = 0;  ///< of the switch at the other end of a link
    Position at;               ///< for errors only
};

/// What a file says about one switch.
struct SwitchSpec {
    std::uint32_t number = 0;
    std::vector<PortSpec> ports;
    Position at;  ///< for errors only
};

/// Who is on a port.
struct Port {
    PortKind kind = PortKind::kDangling;
    NodeId node = 0;       ///< of a host or token_manager port
    SwitchId peer = 0;     ///< of a link port: the switch at the other end...
    PortId peer_port = 0;  ///< ...and the port there
    bool operator==(const Port&) const = default;
};

struct Switch {
    std::uint32_t number = 0;  ///< as in the file
    std::vector<Port> ports;
    bool operator==(const Switch&) const = default;
};

/// A network: switches, what is on each of their ports, hosts and token managers.
///
/// - Never changes, and is always whole: every link has two ends, every switch can reach every other, there
/// is
///   at least one host, and names are unique.
/// - Hosts are nodes 0 .. host_count()-1. Every switch has exactly one token manager, and that of switch s is
///   node host_count()+s. One that no port names is *implicit*: it lives beside the fabric port of the
///   switch itself.
/// - Links may form cycles, and two switches may be joined by several links.
/// - Building takes time in proportion to the ports. Distances are the business of Paths.
class Topology {
  public:
    /// Joins the switches together. Hosts are numbered in the order in which the ports name them, unless
    /// `numbering` names every host in another order. `source` stands in errors as the file.
    /// Throws Error for anything that is not a whole network.
    explicit Topology(std::span<const SwitchSpec> switches, std::string_view source = "topology",
                      std::span<const std::string> numbering = {});

    std::size_t host_count() const { return nodes_.size() - switches_.size(); }
    std::size_t switch_count() const { return switches_.size(); }
    std::size_t node_count() const { return nodes_.size(); }
    std::size_t link_count() const { return link_count_; }

    std::span<const Switch> switches() const { return switches_; }
    bool is_host(NodeId node) const { return node < host_count(); }

    /// The switch a node hangs on. Throws std::out_of_range for a node that is not there, as do all below.
    SwitchId switch_of(NodeId node) const { return nodes_.at(node).on; }
    /// The port a node hangs on; none for an implicit token manager.
    std::optional<PortId> port_of(NodeId node) const { return nodes_.at(node).port; }
    NodeId token_manager(SwitchId s) const;
    /// The name in the file; "tm@NUMBER" for the implicit token manager of switch NUMBER.
    const std::string& name(NodeId node) const { return nodes_.at(node).name; }
    /// The node of that name, implicit token managers included.
    std::optional<NodeId> find(std::string_view name) const;

    /// The switches one link away, each once, in ascending order.
    std::span<const SwitchId> adjacent(SwitchId s) const { return adjacent_.at(s); }
    /// The hosts on a switch in the order of its ports.
    std::vector<NodeId> hosts_on(SwitchId s) const;
    /// With whom a node exchanges tokens: a host with the token manager of its switch; a token manager with
    /// the hosts on its switch and then the token managers of the adjacent switches.
    std::vector<NodeId> token_neighbours(NodeId node) const;

    bool operator==(const Topology&) const = default;

  private:
    struct Node {
        std::string name;
        SwitchId on = 0;
        std::optional<PortId> port;
        bool operator==(const Node&) const = default;
    };
    class Assembly;

    std::vector<Switch> switches_;
    std::vector<Node> nodes_;
    std::unordered_map<std::string, NodeId> by_name_;
    std::vector<std::vector<SwitchId>> adjacent_;
    std::size_t link_count_ = 0;
};

}  // namespace isoplane::topology
