// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What a request of four words costs, and what for.
#pragma once

#include <optional>
#include <vector>

#include "breakdown.hh"
#include "frame_form.hh"
#include "side.hh"
#include "workers.hh"

namespace isoplane::perf {

/// Cycles of the time stamp counter to find a function by what stands for it in messages, and the other way
/// round.
struct NameCosts {
    double name = 0;
    double find = 0;

    double total() const noexcept { return name + find; }
};

struct ActiveCosts {
    std::vector<Costs> steps;  ///< of the layers below, one upon the other
    NameCosts names;
};

/// What a message is for, in cycles.
struct Features {
    double base = 0;         ///< a function's address and four words in a frame, and the call
    double reliability = 0;  ///< that it comes once, in order and intact, and that it is answered
    double protection = 0;   ///< that nothing is called but a function of the program that is meant
};

/// Nothing where a layer was not measured.
std::optional<Features> features_of(const ActiveCosts& costs);

/// With a frame for each message at every layer, as each adds to the one before it:
///
/// - base: frames alone, with the address of a function and its words;
/// - reliable: the same by the NIU;
/// - request: requests, each with its acknowledgement; `request_coalesced` are those as programs have them,
///   sharing frames.
ActiveCosts break_active_down(Workers& workers, Sides& sides, const FrameForm& frames);

}  // namespace isoplane::perf
