// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/history.hh"

namespace isoplane::sim {

/// The rules of logical time; doc and design call them the isotach invariants.
enum class Rule : std::uint8_t {
    kContent,     ///< what is delivered was issued, to that host, with that content; and once
    kLoss,        ///< in a run that ended in quiet, what was issued is delivered
    kInvariant,   ///< an isochron sent at t over distance d is executed at its stamp, which is no less than t
                  ///< + d
    kTotalOrder,  ///< deliveries follow logical time, which is one for an isochron; no two hosts differ in
                  ///< order
    kAtomicity,   ///< the parts of an isochron at a host come together; all hosts execute it, or none
    kIssueOrder,  ///< the isochrons of a host are executed in the order in which it issued them
    kCausality,   ///< what a host issues is executed after what it had been delivered before
    kSignal,      ///< noticed once, at one pulse, by all who have registered it by then, after all its sender
                  ///< issued before; sent by those alone
    kBarrier,     ///< noticed once, at one pulse, by all members, after each has entered and all that it had
                  ///< issued before; weak or strong
};

/// The rule as a word, for reports.
const char* to_string(Rule rule);

/// What was run.
struct Setting {
    std::uint16_t hosts = 0;
    /// In pulses: from host a to host b at [a * hosts + b]. A host is at distance 0 from itself where
    /// messages to itself never leave it.
    std::vector<std::uint32_t> distances;
    /// Of any two hosts: the pulses that a signal takes.
    std::uint32_t greatest_distance = 0;
    /// The run ended when nothing was left to do: all that was issued must have been delivered. Otherwise it
    /// was cut short, and what had not happened yet is no violation, unless a host has gone past its time.
    bool quiet = true;
    /// By host: a bit for each signal channel it has registered from the start. Empty: every host has
    /// registered every one.
    std::vector<std::uint32_t> signals;
    /// By host: it has left, and may have noticed nothing of this pulse and later ones. Empty: all stayed.
    std::vector<Pulse> left{};
    /// By host: it has joined at the end of this pulse, and notices nothing of earlier ones. Empty: all were
    /// there.
    std::vector<Pulse> joined{};
};

/// The first violation found of a rule: a sentence that says who, what and when.
struct Violation {
    Rule rule;
    std::string text;
};

/// Reads every event of every host. Returns at most one violation of each rule, none for a history as it
/// should be. A later rule is not blamed for what breaks an earlier one: a message delivered twice counts
/// once in all other rules, and a difference in order is not a matter of causality as well.
///
/// Takes time and memory in proportion to the length of the history, and for signals and barriers to the
/// number of those times the hosts.
///
/// Throws std::invalid_argument when setting and history do not fit together, or the isochrons of a host are
/// not numbered from 0 in the order of their issue.
std::vector<Violation> check(const Setting& setting, const History& history);

}  // namespace isoplane::sim
