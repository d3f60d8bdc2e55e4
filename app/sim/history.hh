// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <compare>
#include <cstdint>
#include <variant>
#include <vector>

namespace isoplane::sim {

using Pulse = std::uint64_t;

/// Where in a pulse something is executed.
enum class Place : std::uint8_t {
    kWithin,  ///< a message in its pulse, by (host, rank) of its issuer
    kEnd,     ///< a notice of a signal or barrier, after all messages of the pulse; host is 0
    kAfter,   ///< a self-only isochron that had nothing to wait for, between this pulse and the next
};

/// When something is executed; the order of the members is the order of time.
struct LogicalTime {
    Pulse pulse = 0;
    Place place = Place::kWithin;
    std::uint16_t host = 0;
    std::uint32_t rank = 0;

    auto operator<=>(const LogicalTime&) const = default;
};

/// One message of an isochron.
struct Part {
    std::uint16_t destination = 0;
    std::uint64_t content = 0;  ///< a tag that stands for the payload
};

/// The host committed an isochron.
struct Issue {
    std::uint32_t number = 0;  ///< each host counts its isochrons from 0
    Pulse sent = 0;            ///< the host's clock
    Pulse stamp = 0;           ///< receive pulse; 0 for a self-only isochron that had nothing to wait for
    std::vector<Part> parts;
};

/// A message came to the host.
struct Delivery {
    LogicalTime time;
    std::uint16_t issuer = 0;
    std::uint32_t isochron = 0;  ///< its number at the issuer
    std::uint32_t part = 0;      ///< its index among the parts of the isochron
    std::uint64_t content = 0;
};

/// From here on the host is told of the signals of the channel that are to be noticed after that pulse, the
/// last that it has executed.
struct SignalRegistered {
    std::uint8_t channel = 0;
    Pulse executed = 0;
};

/// From here on it is told of none any more. By then it had received all notices up to that pulse.
struct SignalCleared {
    std::uint8_t channel = 0;
    Pulse received = 0;
};

struct SignalSent {
    std::uint8_t channel = 0;
    Pulse clock = 0;  ///< the pulse it is sent in: it is noticed the greatest distance later
};

struct SignalNotice {
    std::uint8_t channel = 0;
    LogicalTime time;
};

/// From here on no barrier of the channel completes without an entry of this host.
struct BarrierJoined {
    std::uint8_t channel = 0;
    Pulse clock = 0;
    /// A barrier was or may have been under way, in which this host has no part: one may complete without it.
    bool under_way = false;
};

struct BarrierEntered {
    std::uint8_t channel = 0;
    Pulse clock = 0;
    bool strong = false;  ///< or weak; of either the barrier completes after all the host has issued so far
};

struct BarrierLeft {
    std::uint8_t channel = 0;
    Pulse clock = 0;
};

/// A barrier that the host had entered is complete.
struct BarrierNotice {
    std::uint8_t channel = 0;
    LogicalTime time;
};

/// A host has left or joined logical time.
struct MembershipNotice {
    std::uint16_t host = 0;
    bool joined = false;
    std::uint32_t view = 0;
    LogicalTime time;

    bool operator==(const MembershipNotice&) const = default;
};

using Event = std::variant<Issue, Delivery, SignalRegistered, SignalCleared, SignalSent, SignalNotice,
                           BarrierJoined, BarrierEntered, BarrierLeft, BarrierNotice, MembershipNotice>;

/// What happened at each host, in the order in which its program saw it.
using History = std::vector<std::vector<Event>>;

}  // namespace isoplane::sim
