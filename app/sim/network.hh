// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/fabric/switch.hh>
#include <isoplane/sim/world.hh>
#include <isoplane/topology/paths.hh>
#include <memory>
#include <string>
#include <vector>

#include "sim/checker.hh"
#include "sim/deaths.hh"
#include "sim/host.hh"
#include "sim/large.hh"
#include "sim/mortality.hh"
#include "sim/recorder.hh"

namespace isoplane::sim {

/// Any duration up to `most`.
inline runtime::Duration some(fabric::Random& random, runtime::Duration most) {
    return runtime::Duration(random.below(static_cast<std::uint64_t>(most.count()) + 1));
}

/// Hosts and token managers of a scenario on one Ethernet, under virtual time. What the scenario calls
/// switches are those of logical time: which token manager is next to which.
class Network {
  public:
    /// `capture` names a file for all that the hosts and token managers send and receive; empty for none.
    /// Throws std::runtime_error with a sentence when it cannot be made.
    Network(const Scenario& scenario, runtime::Pool& pool, const std::string& capture = {});

    /// Lets all hosts do what they are to do under changing faults, then leave. Returns what went wrong
    /// first, in a sentence; empty when nothing did. Throws std::runtime_error with a sentence when not all
    /// of it could be captured.
    std::string run(runtime::Duration limit);

    /// Of each life of each host, when it is over.
    const History& history() const { return history_; }
    std::uint64_t trace_hash() const { return world_.trace_hash(); }
    runtime::Time now() const { return world_.now(); }
    const std::vector<std::unique_ptr<Host>>& hosts() const { return hosts_; }
    const std::vector<std::unique_ptr<Manager>>& managers() const { return managers_; }
    const fabric::Switch& fabric() const { return *fabric_; }
    std::uint64_t partitions() const { return partitions_; }
    /// Those with several ports on either side.
    std::uint64_t halves() const { return halves_; }
    const Views& views() const { return views_; }
    /// Of hosts and token managers.
    const Deaths& deaths() const { return deaths_; }
    /// Those that live, and that the others have gone on without.
    std::uint64_t given_up() const { return given_up_; }
    /// Lives that are over, as their host or token manager has started again.
    std::uint64_t restarts() const { return restarts_; }
    /// Hosts that have joined a running time.
    std::uint64_t joins() const { return joins_; }
    /// Times that a node was not polled for a while.
    std::uint64_t naps() const;
    /// By how much a clock has leapt at the most.
    runtime::Duration furthest_ahead() const;
    /// It ended as too few were left who could hear each other.
    bool stood_still() const { return stood_still_; }

  private:
    niu::Options niu_options(topology::NodeId node) const;
    void tell_addresses(const std::vector<topology::NodeId>& managers);
    siu::SiuOptions siu_options() const;
    isotach::Options isotach_options() const;
    void start(std::size_t host);
    std::uint32_t distance(topology::NodeId a, topology::NodeId b) const;
    Link::End connect(const std::string& name);
    Clock clock(topology::NodeId node) const { return {scenario_.seed, node, scenario_.clocks}; }
    std::string act(runtime::Duration limit);

    /// Until `done`, or for no longer than `limit`. Where hosts are many, all are looked at once in as many
    /// polls.
    template <typename Done>
    void run_until(Done&& done, runtime::Duration limit) {
        constexpr std::size_t kFew = 64;
        world_.run_until([&] { return (hosts_.size() <= kFew || ++polls_ % hosts_.size() == 0) && done(); },
                         limit);
    }

    void disturb();
    void divide(const fabric::Partition& groups);
    void heal();
    void clear_faults();
    bool all_rest() const;
    std::string complaint() const;
    std::string where_it_stands() const;
    std::string judge();
    void number_parts();
    std::string leave(runtime::Duration limit);

    // mortal.cc
    void make_mortal(std::size_t host);
    void make_mortal(Manager& manager);
    void start_again();
    void start_again(std::size_t host);
    void start_again(Manager& manager);
    std::vector<Life> lives() const;
    std::string die_and_survive(runtime::Duration limit);
    void strike();
    void cut();
    void note_death(topology::NodeId node);
    bool survivors_rest();
    bool has_majority() const;
    std::uint64_t count_given_up() const;
    void look_at_views();
    bool takes_part(const Host& host) const;

    Scenario scenario_;
    runtime::Pool& pool_;
    fabric::Random random_;
    topology::Topology topology_;
    topology::Paths paths_;
    Partners partners_;
    std::shared_ptr<const std::vector<wire::MacAddress>> macs_;  ///< by node, where not all are partners
    World world_;
    std::unique_ptr<Recorder> recorder_;
    std::vector<fabric::Port> ports_;
    std::unique_ptr<fabric::Switch> fabric_;
    History history_;                       ///< by host, of its present life; once judged, by life...
    std::vector<topology::NodeId> places_;  ///< ...of these hosts
    std::vector<std::unique_ptr<Host>> hosts_;
    std::vector<std::unique_ptr<Manager>> managers_;
    std::uint64_t polls_ = 0;  ///< counted where hosts are many
    std::uint64_t partitions_ = 0;
    std::uint64_t halves_ = 0;
    Views views_;
    Deaths deaths_;
    std::uint64_t given_up_ = 0;
    std::uint64_t restarts_ = 0;
    std::uint64_t joins_ = 0;
    std::vector<std::uint32_t> epochs_;  ///< by node: of its present life
    std::vector<Life> past_;             ///< lives that are over
    bool stood_still_ = false;
};

}  // namespace isoplane::sim
