// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "../command.hh"
#include "../report/figures.hh"
#include "trial.hh"

namespace isoplane::perf {

/// What is found for frames of one size.
struct Rfc2544Figures {
    /// At a part of the highest rate at which frames can be offered.
    struct Loss {
        unsigned percent;
        double offered;           ///< frames a second
        double lost;              ///< of all frames, 0 to 1
        double microseconds = 0;  ///< median latency
    };

    std::size_t frame_size = 0;
    double highest = 0;     ///< frames a second that can be offered
    double throughput = 0;  ///< the most of which none is lost; 0 when some always are
    std::optional<Trial> at_throughput{};
    std::vector<Loss> losses{};
    std::uint64_t back_to_back = 0;  ///< frames in a burst of which none is lost
    bool unlimited = false;          ///< the longest burst that was tried was one
};

/// Medians over rounds of one size, but for `at_throughput`, which is of one round; `unlimited` if all are.
Rfc2544Figures medians_of(const std::vector<Rfc2544Figures>& rounds);

/// What a round has found. Where no rate is without loss, there are no latencies.
void add_figures(report::Figures& figures, const Rfc2544Figures& found);

/// Runs a trial. A test has one that knows what it loses.
using RunTrial = std::function<Trial(const TrialPlan&)>;

/// Sections 26.1 to 26.4 of RFC 2544 for one size, with trials of so many seconds.
Rfc2544Figures measure_rfc2544(std::size_t frame_size, double seconds, const RunTrial& run);

int run_rfc2544(int argc, char** argv);
inline constexpr app::Command kRfc2544{
    "rfc2544", "throughput, latency, loss and bursts of whatever is between two links", run_rfc2544};

}  // namespace isoplane::perf
