// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/fabric/switch.hh>
#include <isoplane/runtime/ring.hh>
#include <isoplane/sim/world.hh>
#include <memory>
#include <string>
#include <vector>

#include "../node/manager_stage.hh"
#include "scale_host.hh"
#include "scale_setup.hh"

namespace isoplane::perf {

/// What it yields, in virtual time where nothing else is said.
struct ScaleFigures {
    double ordered_us = 0;    ///< from issuing an isochron of one message to executing it, median
    double unordered_us = 0;  ///< from sending a message outside logical time to receiving it, median
    double ordered_p99_us = 0;
    double pulses_per_second = 0;
    double token_share = 0;       ///< of all frames that are sent
    double frames_per_host = 0;   ///< sent, a second, token managers' among them
    double frames_per_pulse = 0;  ///< of a host, likewise
    double cpu_ns_per_pulse =
        0;                 ///< of a host, of this machine's CPU: with its part of all that is simulated
    double seconds = 0;    ///< of this machine's CPU, for all of it
    double memory_mb = 0;  ///< that this process has used at most so far
};

/// That this thread has had of its CPU.
double cpu_seconds();

/// Hosts around a switch, or around those at the bottom of a tree, each with a token manager beside it, under
/// virtual time: every host and every switch has a CPU of its own, and what takes time is links, tokens and
/// waiting.
class ScaleNetwork {
  public:
    ScaleNetwork(const ScaleSetup& setup, runtime::Pool& pool);
    ~ScaleNetwork();
    ScaleNetwork(const ScaleNetwork&) = delete;
    ScaleNetwork& operator=(const ScaleNetwork&) = delete;

    /// Throws std::runtime_error when the hosts do not find each other.
    ScaleFigures run();

  private:
    /// A switch, and the token manager beside it.
    struct Hub {
        explicit Hub(const std::string& number)
            : to_manager("to_tm" + number), from_manager("from_tm" + number) {}

        runtime::Ring to_manager;
        runtime::Ring from_manager;
        std::unique_ptr<fabric::Switch> fabric;
        std::unique_ptr<node::ManagerStage> manager;
    };

    void add_hub(topology::SwitchId at, std::vector<fabric::Port> ports, niu::Options options,
                 runtime::Pool& pool);
    void tell_addresses(topology::SwitchId at);
    void start();
    bool all_ready() const;
    std::uint64_t frames() const noexcept;
    std::uint64_t tokens() const noexcept;

    ScaleSetup setup_;
    ScaleTimes times_{};  ///< of all hosts
    std::shared_ptr<const node::Ways> ways_;
    sim::World world_;
    std::vector<std::unique_ptr<Hub>> hubs_;
    std::vector<std::unique_ptr<ScaleHost>> hosts_;
};

}  // namespace isoplane::perf
