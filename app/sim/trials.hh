// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <chrono>
#include <cstdint>
#include <isoplane/runtime/pool.hh>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "sim/network.hh"

namespace isoplane::sim {

/// What has happened in all networks that were run.
struct Totals {
    std::uint64_t seeds = 0;
    std::uint64_t isochrons = 0;
    std::uint64_t messages = 0;  ///< delivered
    std::uint64_t notices = 0;   ///< of signals and barriers
    std::uint64_t weak = 0;      ///< of these: of barriers that the host had joined as weak ones
    std::uint64_t again = 0;     ///< of these: of signals that the host had cleared and registered again
    std::uint64_t cleared = 0;   ///< that others had of a signal, and this host not, as it had cleared it
    std::uint64_t pulses = 0;    ///< executed, at each host
    std::uint64_t tokens = 0;    ///< of hosts
    std::uint64_t tokens_resent = 0;
    std::uint64_t lost = 0;  ///< frames, as those below
    std::uint64_t duplicated = 0;
    std::uint64_t reordered = 0;
    std::uint64_t corrupted = 0;
    std::uint64_t late = 0;
    std::uint64_t cut_off = 0;
    std::uint64_t partitions = 0;
    std::uint64_t halves = 0;  ///< of these: with several ports on either side
    std::uint64_t deaths = 0;  ///< of hosts and token managers, which logical time survives
    std::uint64_t restarts = 0;
    std::uint64_t views = 0;     ///< changes of them
    std::uint64_t given_up = 0;  ///< alive
    std::uint64_t failovers = 0;
    std::uint64_t stood_still = 0;  ///< networks without a majority in the end
    runtime::Duration virtual_time{0};

    void add(const Network& network);

  private:
    void add_notices(const History& history);
};

/// As lines of a report.
std::ostream& operator<<(std::ostream& out, const Totals& totals);

struct Failure {
    std::uint64_t seed = 0;
    std::string text;    ///< what was wrong, in a sentence
    std::string replay;  ///< the command that does the same again
};

/// Runs scenarios one after the other, and says which have failed.
class Trials {
  public:
    /// A line for each failure goes to `out`.
    Trials(runtime::Pool& pool, std::ostream& out) : pool_(pool), out_(out) {}

    /// With the name of a file in `capture`, what passes is written there.
    void run(const Scenario& scenario, const std::string& replay, const std::string& capture = {});

    void print_totals();
    nlohmann::json to_json() const;

    const Totals& totals() const { return totals_; }
    const std::vector<Failure>& failures() const { return failures_; }

  private:
    using Clock = std::chrono::steady_clock;

    std::string outcome(const Scenario& scenario, const std::string& capture);
    double seconds() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }
    double virtual_seconds() const { return std::chrono::duration<double>(totals_.virtual_time).count(); }

    runtime::Pool& pool_;
    std::ostream& out_;
    Totals totals_;
    std::vector<Failure> failures_;
    Clock::time_point started_ = Clock::now();
};

}  // namespace isoplane::sim
