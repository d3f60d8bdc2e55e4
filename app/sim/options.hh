// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <isoplane/fabric/impairment.hh>
#include <isoplane/topology/topology.hh>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/scenario.hh"

namespace isoplane::sim {

/// What goes wrong, at the most.
struct Faults {
    fabric::Impairment worst{};
    bool partitions = false;
    bool deaths = false;    ///< of hosts and token managers, which logical time is to survive
    bool restarts = false;  ///< and some of them start again
};

/// "loss=0.05,delay=5us,partitions,deaths": impairments as a fabric has them, of the kinds that come and go.
/// Throws std::invalid_argument with a sentence.
Faults parse_faults(std::string_view text);

/// What the user has said; all else is drawn from each seed.
struct SimOptions {
    std::uint64_t seed = 1;
    std::uint64_t seeds = 1;
    bool json = false;
    std::string pcap;  ///< a file; empty for no capture

    std::optional<unsigned> hosts;  ///< on so many switches, joined as the seed says...
    unsigned switches = 1;
    bool tree = false;                          ///< ...or three levels of them
    unsigned partners = 0;                      ///< others that each host talks to; 0: all
    std::vector<topology::SwitchSpec> network;  ///< ...or this, when it is not empty
    std::optional<Workload> workload;
    std::optional<Faults> faults;
    std::optional<runtime::Duration> duration;
    std::optional<std::uint32_t> ahead;
    std::optional<unsigned> isochrons;
    std::optional<unsigned> parts;

    std::string given;  ///< the options for all of this, as one would type them

    Scenario scenario(std::uint64_t of) const;
    /// The command that runs that seed alone.
    std::string replay(std::uint64_t of) const;
};

/// Or the exit code to end with.
std::variant<SimOptions, int> parse_sim_options(int argc, char** argv);

}  // namespace isoplane::sim
