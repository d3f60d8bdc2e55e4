// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <map>
#include <vector>

#include "diagram/sighting.hh"

namespace isoplane::diagram {

/// What became of a frame, or of what was in it.
enum class Fate : std::uint8_t {
    kArrived,    ///< and was the first of its kind to do so
    kRepeated,   ///< arrived once more
    kNeverSeen,  ///< did not arrive as far as the capture tells, though others did at that node
};

/// One way of a frame from a node to another. Where only one end was captured, both times are of that end.
struct Flight {
    NodeId from = 0;
    NodeId to = 0;
    Time sent{0};
    Time received{0};
    Fate fate = Fate::kArrived;
    bool again = false;  ///< it had been sent before
};

struct TokenFlight : Flight {
    TokenPart token;
};

struct MessageFlight : Flight {
    Message message;
    unsigned place = 0;  ///< among the ordered messages of its frame
};

struct Node {
    NodeId id = 0;
    std::string name;
    bool manager = false;
    std::map<std::uint64_t, Time> ends;  ///< of a host: when the token was in that ends the pulse
};

/// What has happened, and when.
struct Story {
    std::vector<Node> nodes;  ///< hosts first, in the order of their numbers
    std::vector<TokenFlight> tokens;
    std::vector<MessageFlight> messages;
};

/// Joins what was seen of each frame at several places, in the order of time.
///
/// A fabric captures at its own ports: what comes in has been sent by its node, what goes out is received.
/// Nodes see it the other way about. Whose capture it is shows in frames that were seen twice.
/// `nodes` are those that there are, with their names as far as these are known.
Story tell(const std::vector<Sighting>& sightings, const std::map<NodeId, std::string>& nodes);

}  // namespace isoplane::diagram
