// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <optional>
#include <utility>

#include "diagram/story.hh"

namespace isoplane::diagram {

/// What a reader can take in at once; more is drawn when it is asked for.
inline constexpr std::size_t kMostPulses = 24;
inline constexpr std::size_t kMostMessages = 200;

using PulseRange = std::pair<std::uint64_t, std::uint64_t>;  ///< the first and the last of them

/// The part that the user wants to see.
struct Wanted {
    std::optional<Time> from;  ///< since the first frame of the capture
    std::optional<Time> to;
    std::optional<PulseRange> pulses;
};

/// The part that is drawn.
struct Window {
    Time from{0};
    Time to{0};
    std::optional<PulseRange> drawn;  ///< the pulses that end in it
    std::optional<PulseRange> all;    ///< those that end in the capture
    bool shortened = false;           ///< nobody has asked for a part, and the whole would be too much
};

/// `first` is when the first frame passed. Throws std::runtime_error with a sentence when there is nothing in
/// the part that is wanted. The story has a flight.
Window choose_window(const Story& story, const Wanted& wanted, Time first);

}  // namespace isoplane::diagram
