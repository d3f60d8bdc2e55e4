// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>
#include <vector>

#include "comparison.hh"

namespace isoplane::perf {

/// Who sends back what comes.
namespace relay {
inline const std::string kForward = "forward";
inline const std::string kDatagram = "relay";
inline const std::string kReliable = "relay_reliable";
}  // namespace relay

/// All there is to say about a run.
struct ChannelReport : Comparison {
    Results relays{};
    double as_is = 0;  ///< of the datagrams that need not have been copied to be sent back
};

std::vector<Target> channel_targets(const ChannelReport& report);

std::string to_tables(const ChannelReport& report);
std::string to_json(const ChannelReport& report);
std::string to_csv(const ChannelReport& report);

}  // namespace isoplane::perf
