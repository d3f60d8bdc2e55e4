// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <isoplane/fabric/impairment.hh>
#include <isoplane/fabric/random.hh>
#include <isoplane/isotach/isotach.hh>
#include <isoplane/niu/options.hh>
#include <isoplane/siu/siu.hh>
#include <isoplane/topology/topology.hh>
#include <vector>

#include "sim/clock.hh"

namespace isoplane::sim {

/// Whom isochrons go to.
enum class Workload : std::uint8_t {
    kRandom,  ///< any hosts, now and then the host itself alone
    kPairs,   ///< each host to the next
    kAll,     ///< every isochron to every host
};

/// How much each host does.
struct Traffic {
    Workload workload = Workload::kRandom;
    unsigned isochrons = 20;        ///< of each host...
    runtime::Duration duration{0};  ///< ...or, when this is not 0, as many as it issues in so long
    unsigned most_parts = 8;        ///< of an isochron
    unsigned long_parts =
        10;  ///< of a hundred: up to the largest that fits a frame; the others up to 64 bytes
    unsigned large_parts = 2;  ///< of a hundred: up to 24 frames
    unsigned self = 15;        ///< of a hundred isochrons: to the host itself alone
    unsigned acts = 10;        ///< of a hundred: something done with signals or barriers before it
    unsigned eagerness = 4;    ///< isochrons at one poll, at the most
    bool fickle = true;        ///< it also clears signals, joins weak barriers, and acts while notices wait
};

/// Defects that tests plant, one at a time, to see that they would be found.
struct Planted {
    bool no_counts = false;          ///< tokens announce nothing
    bool piecemeal = false;          ///< isochrons go message by message, as credit allows
    bool markers_at_once = false;    ///< messages of a host to itself do not wait for their isochron
    bool tokens_unnumbered = false;  ///< a token that comes again counts as the next
    bool no_lag = false;             ///< hosts execute what they do not know to be everywhere
    bool no_cut = false;             ///< what somebody has of a host that has left, it executes
    bool no_flush = false;           ///< nobody waits for what came before a view
    bool no_majority = false;        ///< a view is decided by whoever proposes it
    bool no_handover = false;        ///< who joins is not told who has joined which barrier
    bool no_arrival = false;         ///< who joins does not wait for that
    std::uint32_t first_frame = 0;   ///< number of each stream's: none, but soon to wrap
};

/// Who is to die, and whether logical time is to survive it.
struct Mortality {
    bool survive = false;
    runtime::Duration limit = std::chrono::milliseconds{30};  ///< after which who is silent is given up
    unsigned hosts = 0;                                       ///< to die
    unsigned managers = 0;                                    ///< of those on their own
    unsigned cuts = 0;                                        ///< for up to six limits, both ways or one
    unsigned restarts =
        0;  ///< of hosts and managers: who has died or been given up starts again, or who lives
    runtime::Duration within = std::chrono::milliseconds{5};  ///< it happens at any time in it
    runtime::Duration rest{0};                                ///< after which they are to come to rest
};

/// A network, what is to happen in it, and what is to go wrong.
struct Scenario {
    std::uint64_t seed = 1;
    std::vector<topology::SwitchSpec> switches;
    /// By switch: the host beside which its token manager runs, or kOnItsOwn.
    std::vector<std::uint32_t> manager_at;
    static constexpr std::uint32_t kOnItsOwn = UINT32_MAX;

    std::uint32_t ahead = 1;
    std::uint16_t mtu = 1500;
    unsigned window = 32;
    bool coalesce = true;
    runtime::Duration pulse_interval{0};
    runtime::Duration longest_pause = std::chrono::milliseconds{1};
    runtime::Duration latency = std::chrono::microseconds{2};

    std::uint32_t max_message = isotach::kDefaultMaxMessage;
    bool paranoid = false;

    Traffic traffic{};
    unsigned partners = 0;       ///< others that each host talks to; 0: all
    fabric::Impairment worst{};  ///< the faults that come and go are at most as strong as this
    bool partitions = false;
    Mortality mortality{};
    ClockFaults clocks{};
    Planted planted{};

    /// The host is the token manager of its switch.
    bool manages(const topology::Topology& topology, topology::NodeId host) const;
    static wire::MacAddress mac_of(topology::NodeId node);
    /// Of a node in that life, when all hosts talk to each other.
    niu::Options niu_options(const topology::Topology& topology, topology::NodeId node,
                             std::uint32_t epoch) const;
    tm::ExchangeOptions exchange_options() const;

    /// Other switches than drawn; where their token managers run is drawn from the seed.
    void set_network(std::vector<topology::SwitchSpec> network);

    /// Frames come again after up to some limits of silence; of this kind no scenario draws any.
    void let_come_late();

    /// The scenario that a test makes of a seed: any network of 1 to 6 switches and 2 to 24 hosts, any
    /// traffic, any faults.
    static Scenario of(std::uint64_t seed);
    /// One that logical time is to survive: the same, with hosts and token managers that die or are cut off.
    static Scenario mortal(std::uint64_t seed);
    /// The same, and some of them start again.
    static Scenario returning(std::uint64_t seed);
    /// One in which all live and hear each other, only that their clocks leap, or that they are not polled
    /// for a while that is shorter than the limit.
    static Scenario leaping(std::uint64_t seed);
};

unsigned hosts_of(const std::vector<topology::SwitchSpec>& switches);

/// A connected network at random, with cycles; each switch has a token manager, each host one switch.
std::vector<topology::SwitchSpec> random_switches(fabric::Random& random, unsigned switches, unsigned hosts);

}  // namespace isoplane::sim
