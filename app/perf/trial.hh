// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// A trial as RFC 2544 has them: frames of one size go out at a rate by one link, and are counted where they
/// come in by the other, whatever is between the two.
#pragma once

#include <algorithm>
#include <cstdint>
#include <isoplane/runtime/histogram.hh>
#include <memory>

#include "side.hh"
#include "workers.hh"

namespace isoplane::perf {

struct TrialPlan {
    std::size_t frame_size = 64;  ///< as RFC 2544 counts, with the 4 bytes of the FCS
    double rate = 0;              ///< frames a second; 0: as fast as the link takes them
    double seconds = 0.5;
    std::uint64_t frames = UINT64_MAX;  ///< ends it earlier
};

struct Trial {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;                     ///< each once, whatever repeats it
    double seconds = 0;                             ///< that were sent in
    std::shared_ptr<runtime::Histogram> latency{};  ///< nanoseconds from one side's program to the other's

    /// What is between the two may have made more of them than were sent.
    std::uint64_t lost() const noexcept { return sent - std::min(sent, received); }
    double offered() const noexcept { return seconds > 0 ? static_cast<double>(sent) / seconds : 0; }
};

/// The smallest frame has room for what a trial writes into it.
inline constexpr std::size_t kFcs = 4;
inline constexpr std::size_t kLeastFrame = 64;

/// Runs one, from the first side to the second, and waits until nothing comes any more.
Trial run_trial(const TrialPlan& plan, Workers& workers, Sides& sides);

}  // namespace isoplane::perf
