// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "diagram/story.hh"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace isoplane::diagram {

namespace {

/// A frame under way, and what it carries.
struct Way : Flight {
    const Sighting* content = nullptr;
    bool arrived = false;
};

/// Whether frames come in first and go out later, as through a fabric.
bool seen_by_fabric(const std::vector<Sighting>& sightings) {
    std::map<FrameKey, Direction> first;
    long in_first = 0;
    for (const Sighting& s : sightings) {
        if (s.direction == Direction::kUnknown) continue;
        const auto [it, fresh] = first.emplace(s.key, s.direction);
        if (fresh || it->second == s.direction) continue;
        in_first += it->second == Direction::kIn ? 1 : -1;
    }
    return in_first > 0;
}

/// Pairs departures with arrivals.
class Journeys {
  public:
    explicit Journeys(const std::vector<Sighting>& sightings)
        : departing_(seen_by_fabric(sightings) ? Direction::kIn : Direction::kOut) {
        for (const Sighting& s : sightings)
            if (s.direction == departing_) homes_.insert({s.key.from, s.interface});
        for (const Sighting& s : sightings)
            see(s);
    }

    std::vector<Way> finish() && {
        for (Way& way : ways_) {
            // Nobody captures where it was to arrive.
            if (!way.arrived && !listeners_.contains(way.to)) arrive(way, way.sent);
            if (!way.arrived) way.fate = Fate::kNeverSeen;
        }
        mark_repeated();
        return std::move(ways_);
    }

  private:
    void see(const Sighting& sighting) {
        std::vector<std::size_t>& same = of_key_[sighting.key];
        const auto open =
            std::find_if(same.rbegin(), same.rend(), [this](std::size_t i) { return !ways_[i].arrived; });
        const bool known = sighting.direction != Direction::kUnknown;
        if (known ? sighting.direction == departing_ : open == same.rend()) {
            same.push_back(ways_.size());
            ways_.push_back(way(sighting, sighting.when));
            return;
        }
        // A fabric that has yet to learn where a node is sends its frames to all others, too.
        if (known && !homes_.contains({sighting.key.to, sighting.interface})) return;
        listeners_.insert(sighting.key.to);
        if (open != same.rend()) {
            arrive(ways_[*open], sighting.when);
        } else {
            // A duplicate of one that has arrived; or its departure was not captured.
            const Time sent = same.empty() ? sighting.when : ways_[same.back()].sent;
            same.push_back(ways_.size());
            ways_.push_back(way(sighting, sent));
            arrive(ways_.back(), sighting.when);
        }
    }

    /// A frame that is sent again has another acknowledgement, but its place in the stream.
    using Place = std::tuple<NodeId, NodeId, std::uint32_t, std::uint32_t, bool, unsigned>;
    static Place place_of(const Sighting& s) {
        return {s.key.from,          s.key.to,
                s.key.epoch,         s.key.sequence,
                s.token.has_value(), s.token ? s.token->part : 0U};
    }

    static Way way(const Sighting& sighting, Time sent) {
        Way way;
        way.from = sighting.key.from;
        way.to = sighting.key.to;
        way.sent = sent;
        way.content = &sighting;
        return way;
    }
    static void arrive(Way& way, Time when) {
        way.received = when;
        way.arrived = true;
    }

    void mark_repeated() {
        std::set<Place> sent;
        for (Way& way : ways_)
            way.again = !sent.insert(place_of(*way.content)).second;
        std::vector<Way*> by_arrival;
        for (Way& way : ways_)
            if (way.arrived) by_arrival.push_back(&way);
        std::stable_sort(by_arrival.begin(), by_arrival.end(),
                         [](const Way* a, const Way* b) { return a->received < b->received; });
        std::set<Place> received;
        for (Way* way : by_arrival)
            if (!received.insert(place_of(*way->content)).second) way->fate = Fate::kRepeated;
    }

    Direction departing_;
    std::vector<Way> ways_;
    std::map<FrameKey, std::vector<std::size_t>> of_key_;
    std::set<std::pair<NodeId, std::uint32_t>> homes_;  ///< nodes, and the interfaces by which they send
    std::set<NodeId> listeners_;                        ///< arrivals at these are captured
};

/// Token managers are numbered behind the hosts, and a host exchanges tokens with one of them only.
std::set<NodeId> managers_among(const std::vector<TokenFlight>& tokens) {
    std::map<NodeId, std::set<NodeId>> partners;
    for (const TokenFlight& token : tokens) {
        partners[token.from].insert(token.to);
        partners[token.to].insert(token.from);
    }
    std::set<NodeId> managers;
    for (const auto& [node, with] : partners)
        if (with.size() > 1 || *with.begin() < node) managers.insert(node);
    return managers;
}

/// A token is in when all its parts are.
void note_ends(const std::vector<TokenFlight>& tokens, std::map<NodeId, Node>& nodes) {
    std::map<std::pair<NodeId, std::uint64_t>, std::map<std::uint16_t, Time>> arriving;
    for (const TokenFlight& flight : tokens) {
        if (flight.fate != Fate::kArrived || nodes.at(flight.to).manager) continue;
        auto& parts = arriving[{flight.to, flight.token.number}];
        parts.emplace(flight.token.part, flight.received);
        if (parts.size() <= flight.token.last_part) continue;
        Time end = Time::min();
        for (const auto& [part, when] : parts)
            end = std::max(end, when);
        for (unsigned i = 0; i <= flight.token.further; ++i)
            nodes.at(flight.to).ends[flight.token.number + i] = end;
    }
}

}  // namespace

Story tell(const std::vector<Sighting>& sightings, const std::map<NodeId, std::string>& nodes) {
    Story story;
    for (const Way& way : Journeys(sightings).finish()) {
        if (way.content->token) story.tokens.push_back({way, *way.content->token});
        for (unsigned i = 0; i < way.content->messages.size(); ++i)
            story.messages.push_back({way, way.content->messages[i], i});
    }

    const std::set<NodeId> managers = managers_among(story.tokens);
    std::map<NodeId, Node> known;
    for (const auto& [id, name] : nodes)
        known[id] = {.id = id, .name = name, .manager = managers.contains(id), .ends = {}};
    note_ends(story.tokens, known);
    for (const bool manager : {false, true})
        for (auto& [id, node] : known)
            if (node.manager == manager) story.nodes.push_back(std::move(node));
    return story;
}

}  // namespace isoplane::diagram
