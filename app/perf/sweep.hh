// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What logical time costs as one thing changes, in a cluster whose hosts are polled in turn.
#pragma once

#include <functional>
#include <isoplane/runtime/pool.hh>
#include <string>
#include <vector>

#include "../report/record.hh"
#include "results.hh"

namespace isoplane::perf {

/// One line of a sweep; figures are medians.
struct Point {
    std::string sweep;
    double value = 0;
    double latency_us = 0;            ///< from issuing an isochron of one message to executing it
    double added_us = 0;              ///< of which a message outside logical time takes less
    double issue_us = 0;              ///< CPU time of the issuer for an isochron, executing it included
    double cost_us = 0;               ///< and of all hosts that it reaches
    double isochrons_per_second = 0;  ///< of each host, when all issue
    double messages_per_second = 0;
    double token_us = 0;           ///< between two tokens at a host, under that load
    double tokens_per_second = 0;  ///< of each host, then
    double token_share = 0;        ///< of all frames, then
    double sent_again_share = 0;   ///< of all frames, then
};

/// How the network behaves at the edges of a load.
struct Edges {
    double busy_tokens_per_second = 0;  ///< of a host
    double idle_tokens_per_second = 0;
    double loop_us = 0;      ///< that a token takes to the token manager and back, when time goes on
    double wake_loops = 0;   ///< such loops that an isochron takes longer on an idle network
    double recovery_us = 0;  ///< that a host executes nothing after a frame to it was lost
};

struct SweepResults {
    std::vector<Point> points{};
    std::vector<Point> samples{};  ///< of which these are the middle, round by round
    Edges edges{};
};

/// The sweeps that there are, by name.
const std::vector<std::string>& sweep_names();

/// Measures each point `rounds` times for `seconds`, in turns. `interrupted` may throw, to end it.
SweepResults run_sweeps(runtime::Pool& pool, const std::vector<std::string>& names, unsigned rounds,
                        double seconds, const std::function<void()>& interrupted);

std::vector<Target> sweep_targets(const SweepResults& results);

/// Tables, plots and figures of sweeps, and what is known of the edges of a load.
void add_to(report::Record& record, const SweepResults& results);

}  // namespace isoplane::perf
