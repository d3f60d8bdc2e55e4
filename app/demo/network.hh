// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_build_config.h>

#include <cstdint>
#include <functional>
#include <isoplane/fabric/switch.hh>
#include <string>
#include <vector>

#include "host.hh"
#include "node/manager_stage.hh"
#include "node/node.hh"

namespace isoplane::demo {

/// What one host has done so far, or all together.
struct Figures {
    std::uint64_t isochrons = 0;   ///< issued
    std::uint64_t messages = 0;    ///< executed
    std::uint64_t pulses = 0;      ///< executed; of all, by the one furthest on
    std::uint64_t lost = 0;        ///< frames on their way to it
    std::uint64_t sent_again = 0;  ///< frames and tokens, by it
};

/// Each node, and the token manager is one, takes both ends of a ring of the ports that DPDK has.
inline constexpr unsigned kMostHosts = RTE_MAX_ETHPORTS / 2 - 1;

/// Hosts in logical time around a switch that loses frames, with the token manager beside the switch; joined
/// by ring links in one process.
class Network {
  public:
    Network(unsigned hosts, double loss);

    unsigned hosts() const { return static_cast<unsigned>(hosts_.size()); }

    /// Starts everything, and returns once time goes on for all hosts and they issue isochrons. Throws with a
    /// sentence when that takes too long, or when `interrupted` says so.
    void start(const std::function<bool()>& interrupted);

    Figures figures(unsigned host) const;
    Figures figures() const;
    /// Quantile of the time from issue to execution, the worst host's, in nanoseconds.
    std::uint64_t latency(double fraction) const;

    /// Lets what was issued be executed, stops, and compares what the hosts have seen. Returns a sentence for
    /// each thing that is not as it should be.
    std::vector<std::string> finish();

    /// Those that all hosts have noticed; when it is finished.
    std::uint64_t signals() const { return hosts_.front()->witness().signals(); }
    std::uint64_t barriers() const { return hosts_.front()->witness().barriers(); }

  private:
    void add_switch(double loss);
    void add_host(topology::NodeId host);
    void add_manager();
    niu::Options options_of(topology::NodeId node) const;
    bool await(const std::function<bool()>& condition, const std::function<bool()>& interrupted);
    bool all(const std::function<bool(Host&)>& condition);
    void compare_all(std::vector<std::string>& complaints) const;

    std::shared_ptr<const node::Ways> ways_;
    node::Node node_;
    fabric::Switch* switch_ = nullptr;
    std::vector<Host*> hosts_;
    node::ManagerStage* manager_ = nullptr;
};

}  // namespace isoplane::demo
