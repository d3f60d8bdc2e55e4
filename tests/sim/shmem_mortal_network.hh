// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <deque>
#include <isoplane/fabric/switch.hh>
#include <isoplane/sim/world.hh>
#include <memory>
#include <string>
#include <vector>

#include "shmem_mortal_host.hh"
#include "sim/mortality.hh"
#include "sim/scenario.hh"
#include "summary.hh"

namespace isoplane::test {

/// What the seeds of a test have met.
struct MortalShmemTotals {
    std::uint64_t seeds = 0;
    std::uint64_t deaths = 0;
    std::uint64_t returns = 0;
    std::uint64_t changes = 0;   ///< of views
    std::uint64_t given_up = 0;  ///< that lived
    std::uint64_t stood_still = 0;
    std::uint64_t isochrons = 0;
    std::uint64_t blocked = 0;
    std::uint64_t lost = 0;  ///< reads
    Summary faults{};
    std::uint64_t dropped = 0;  ///< words that were assigned once more, or too late
};

/// Hosts with shared memory of copysets at random, on one Ethernet with its faults, in a logical time that
/// survives deaths: while all are busy some die, and may start again.
class MortalShmemNetwork {
  public:
    /// `returning`: one more dies, and some of the dead start again.
    MortalShmemNetwork(std::uint64_t seed, bool returning, shmem::Planted planted);

    /// What has gone wrong, in a sentence; empty when nothing has.
    std::string run(Duration limit);
    void add_to(MortalShmemTotals& totals) const;

  private:
    sim::Link::End connect(const std::string& name);
    membership::Options membership_of(topology::NodeId node) const;
    topology::ShmemMap some_map();
    void start(topology::NodeId host);
    void disturb();
    void strike();
    void start_again();
    void look_at_views();
    std::uint64_t issued() const;
    bool have_begun() const;
    bool survivors_rest() const;
    bool has_majority() const;
    std::string where_it_stands() const;
    std::string leave(Duration limit);

    // shmem_mortal_checks.cc
    std::string check(bool is_over) const;
    std::string compare_copies() const;
    std::string compare_notices() const;
    std::string check_messages() const;
    std::string check_counters() const;
    std::string check_counter(shmem::Address at) const;
    std::string check_twins(const ShmemLife& life) const;
    const shmem::Store* survivor_with(shmem::Address at) const;
    bool has_survived(std::size_t host) const;

    sim::Scenario scenario_;
    Random random_;
    topology::Topology topology_;
    topology::Paths paths_;
    topology::ShmemMap map_;
    sim::World world_;
    std::vector<fabric::Port> ports_;
    std::unique_ptr<fabric::Switch> fabric_;
    tm::ExchangeOptions exchange_;
    MortalShmemLife::Setting setting_;
    std::vector<std::uint32_t> epochs_;  ///< by node
    std::deque<ShmemLife> lives_;        ///< of all hosts
    std::vector<ShmemLife*> present_;    ///< by host
    std::vector<std::unique_ptr<MortalShmemHost>> hosts_;
    std::vector<std::unique_ptr<sim::Manager>> managers_;
    sim::Views views_;
    bool stood_still_ = false;
    MortalShmemTotals totals_;
};

}  // namespace isoplane::test
