// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <poll.h>

#include <optional>
#include <string>
#include <vector>

#include "escalation.hh"
#include "fabric.hh"
#include "guard.hh"
#include "input.hh"
#include "output.hh"
#include "rank.hh"
#include "signals.hh"

namespace isoplane::run {

/// What the supervisor starts, and how long it waits.
struct Job {
    struct RankLaunch {
        std::string program;  ///< as the user wrote it
        std::string label;
        Launch launch;
    };
    std::vector<std::string> environment;  ///< of the fabric; ranks know more
    std::vector<SwitchPlan> fabric;
    FabricOptions fabric_options;
    std::vector<RankLaunch> ranks;
    Clock::duration grace{};
    bool keep_going = false;  ///< ranks that fail end nobody else
    std::optional<Clock::duration> timeout;
    bool statistics = false;
};

/// Runs a job: the fabric, then the ranks, until all have ended. One thread, which waits in poll().
class Supervisor {
  public:
    Supervisor(const Job& job, Guard& guard) : job_(job), guard_(guard), escalation_(job.grace) {}

    /// Returns whether all went well; what did not has been said.
    bool run();

  private:
    bool start_fabric();
    void start_ranks();
    void watch_ranks();
    void stop_fabric();
    void finish();
    void tell_statistics();

    /// Waits for the next thing to happen, until `limit` at the latest, and acts on it.
    void step(std::optional<Clock::time_point> limit);
    std::vector<pollfd> watched() const;
    void act(const pollfd& ready);
    void act_on_signals();
    void on_signal(int number);
    void look_for_ends();
    void on_end(Rank& rank);
    void on_end(FabricSwitch& part);
    void escalate();
    void write_output();

    std::string still_running() const;
    bool ranks_run() const;
    bool fabric_runs() const;
    void send_to_ranks(int number);
    void fail(const std::string& sentence);
    void say(const std::string& sentence);

    const Job& job_;
    Guard& guard_;
    Signals signals_;
    Input input_;
    Output output_;
    Escalation escalation_;
    std::vector<FabricSwitch> fabric_;
    std::vector<Rank> ranks_;
    std::optional<int> asked_by_;  ///< the signal that asked for the end
    bool ending_ = false;          ///< ranks that end now were made to
    bool fabric_may_end_ = false;
    bool fabric_died_ = false;  ///< before it might end; that has been said
    bool abandoned_ = false;    ///< the user does not want to wait for output
    bool failed_ = false;
};

}  // namespace isoplane::run
