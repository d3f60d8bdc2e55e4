// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "frame_form.hh"
#include "side.hh"
#include "workers.hh"

namespace isoplane::perf {

/// Where the time of a message goes.
enum class Step : std::uint8_t {
    kSend,
    kSenderPoll,
    kTransmit,
    kArrive,
    kReceiverPoll,
    kReceive,
    kAcknowledge
};
inline constexpr std::array<std::string_view, 7> kSteps{
    "write and send",  "sender's poll",       "link, sending",   "link, receiving",
    "receiver's poll", "receive and release", "acknowledgement",
};

/// What a transport's message costs, in cycles of the time stamp counter for each step.
struct Costs {
    std::string transport;
    std::array<double, kSteps.size()> cycles{};

    double total() const noexcept;
};

inline constexpr std::size_t kBreakdownSize = 64;  ///< bytes of the messages

/// Both sides on one lcore, in turn, so that nothing waits: kBatch messages are sent, polled out, polled in
/// and received, and what acknowledges them is taken in. Each step is timed for the batch as a whole. A
/// transport that cannot finish, as the link loses frames, is left out.
std::vector<Costs> break_down(Workers& workers, Sides& sides, const FrameForm& frames);

}  // namespace isoplane::perf
