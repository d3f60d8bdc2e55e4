// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "node/node.hh"
#include "traffic/generate.hh"
#include "traffic/sink.hh"

namespace isoplane::fabric {
class Switch;
}

namespace isoplane::demo {

/// Hosts around a switch, joined by ring links in one process. Every host sends numbered frames to the next
/// one and checks every byte of what it gets.
class Network {
  public:
    explicit Network(unsigned hosts);

    node::Node& node() noexcept { return node_; }
    void start() { node_.start(); }

    /// Frames sent and frames received so far, by all hosts.
    std::uint64_t sent() const;
    std::uint64_t received() const;
    /// Quantile of the latency from host to host, the worst host's, in nanoseconds.
    std::uint64_t latency(double fraction) const;

    /// Lets what is under way arrive, stops, and checks. Returns a sentence for each thing that is not as it
    /// should be.
    std::vector<std::string> finish();

    /// Frames that found a queue of the switch full: counted, and so no riddle.
    std::uint64_t dropped() const;

  private:
    void add_switch();
    void add_host(unsigned host);
    bool under_way();
    void check(unsigned host, std::vector<std::string>& complaints);

    unsigned hosts_;
    node::Node node_;
    fabric::Switch* switch_ = nullptr;
    std::vector<traffic::Generate*> generators_;
    std::vector<traffic::Sink*> sinks_;
};

}  // namespace isoplane::demo
