// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>

#include <isoplane/fabric/impairment.hh>
#include <isoplane/fabric/random.hh>

namespace isoplane::fabric {

/// What is to happen to one frame. A lost frame meets nothing else; a corrupted one is neither duplicated
/// nor held back, since for its receiver, who throws it away, it can neither repeat nor come late.
struct Fate {
    bool lost = false;
    bool corrupted = false;
    bool duplicated = false;
    bool held_back = false;
    bool late = false;  ///< a copy of it comes again, so long after
    runtime::Duration after{0};
    std::uint64_t where = 0;  ///< which bit flips: a draw, to be scaled to the frame's length
    runtime::Duration delay{0};
};

/// The fates of the frames of one port, in their order.
///
/// The fate of the n-th frame is a function of (seed, port, n) and the settings when it comes: what is
/// switched on for one frame changes nothing for the others, and what is switched on for one kind changes
/// nothing for the draws of another.
class Fates {
  public:
    Fates(std::uint64_t seed, std::uint64_t port) noexcept : draws_(seed, port), late_draws_(seed, ~port) {}

    Fate next(const Impairment& settings) noexcept;

    /// Passes over a frame that nothing is to happen to.
    void skip() noexcept { ++n_; }

  private:
    Draws draws_;
    Draws late_draws_;
    std::uint64_t n_ = 0;
};

}  // namespace isoplane::fabric
