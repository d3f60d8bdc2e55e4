// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <atomic>
#include <isoplane/fabric/switch.hh>
#include <isoplane/share/desk.hh>
#include <memory>
#include <string>

#include "node.hh"

namespace isoplane::node {

/// The port that clients of a node share, and the reports on them: `show clients`, `show registrations`, and
/// `show portals`, for which it asks them.
class SharedPort {
  public:
    /// Clients register at `socket` once it is open, and may send packets of so many bytes behind the
    /// Ethernet header. The node outlives it.
    SharedPort(Node& node, std::string socket, unsigned mtu);

    /// At a link; nullptr for both when clients only talk to each other.
    void add(runtime::Input* from, runtime::Output* to);
    /// At a port of the fabric in the same node, which is returned: two rings join them.
    fabric::Port add_beside_fabric();

    /// When the exchange has its place.
    void open();
    /// Whether the clients have left; then there will be no others.
    bool close_if_deserted();

  private:
    static nlohmann::json portals(const share::Desk& desk);

    Node& node_;
    const std::string socket_;
    const unsigned mtu_;
    share::Exchange* exchange_ = nullptr;
    std::unique_ptr<share::Desk> desk_;
    std::atomic<const share::Desk*> open_{nullptr};  ///< for those who ask for reports, on other threads
};

}  // namespace isoplane::node
