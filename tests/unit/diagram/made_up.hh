// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "diagram/story.hh"

namespace isoplane::test {

using namespace std::chrono_literals;
using diagram::Direction;
using diagram::Fate;
using diagram::Message;
using diagram::Sighting;
using diagram::Story;
using diagram::Time;

inline constexpr diagram::NodeId kManager = 2;  ///< of hosts 0 and 1

/// Sightings as a capture of two hosts and their token manager may have them. The hosts' ends are captured;
/// each node has the interface of its number.
class Capture {
  public:
    /// A frame of these messages leaves. Returns it, so that it can arrive.
    Sighting data(Time when, diagram::NodeId from, diagram::NodeId to, std::vector<Message> messages) {
        return leaves(when, {.key = {.from = from, .to = to, .sequence = ++sequence_},
                             .messages = std::move(messages)});
    }
    Sighting token(Time when, diagram::NodeId from, diagram::NodeId to, std::uint64_t number,
                   std::uint16_t part = 0, std::uint16_t last_part = 0) {
        return leaves(when, {.key = {.from = from,
                                     .to = to,
                                     .sequence = static_cast<std::uint32_t>(number),
                                     .payload_crc = part},
                             .messages = {},
                             .token = diagram::TokenPart{number, part, last_part, 0}});
    }
    /// The same again, as a sender repeats it: with another acknowledgement.
    Sighting again(Time when, Sighting frame) {
        ++frame.key.header_crc;
        return leaves(when, std::move(frame));
    }
    void arrives(Time when, const Sighting& frame) { astray(when, frame, frame.key.to); }
    /// It arrives at that interface, whoever it is for.
    void astray(Time when, Sighting frame, std::uint32_t interface) {
        frame.when = when;
        frame.interface = interface;
        frame.direction = Direction::kIn;
        add(std::move(frame));
    }
    /// Both, 2 us apart.
    void passes(const Sighting& frame) { arrives(frame.when + 2us, frame); }

    /// As a fabric sees the same: what a node sends comes in.
    Capture by_fabric() const {
        Capture other = *this;
        for (Sighting& s : other.sightings_)
            s.direction = s.direction == Direction::kIn ? Direction::kOut : Direction::kIn;
        return other;
    }

    /// Without what a predicate picks out.
    template <typename Predicate>
    Capture without(Predicate predicate) const {
        Capture other = *this;
        std::erase_if(other.sightings_, predicate);
        return other;
    }

    Story story() const {
        auto sorted = sightings_;
        std::stable_sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.when < b.when; });
        return diagram::tell(sorted, {{0, "alice"}, {1, "bob"}, {kManager, ""}});
    }

  private:
    Sighting leaves(Time when, Sighting frame) {
        frame.when = when;
        frame.interface = frame.key.from;
        frame.direction = Direction::kOut;
        add(frame);
        return frame;
    }
    void add(Sighting frame) { sightings_.push_back(std::move(frame)); }

    std::vector<Sighting> sightings_;
    std::uint32_t sequence_ = 0;
};

inline Message message(diagram::NodeId issuer, std::uint32_t isochron, std::uint64_t pulse,
                       std::uint32_t rank = 0) {
    return {.issuer = issuer, .isochron = isochron, .pulse = pulse, .rank = rank, .size = 8};
}

/// Tokens 1 to `count` of all, 10 us apart: both hosts get token n at 10 n + 4 us.
inline Capture ticking(unsigned count) {
    Capture capture;
    for (unsigned n = 1; n <= count; ++n) {
        const Time at = n * 10us;
        for (diagram::NodeId host = 0; host < kManager; ++host) {
            capture.passes(capture.token(at, host, kManager, n));
            capture.passes(capture.token(at + 2us, kManager, host, n));
        }
    }
    return capture;
}

}  // namespace isoplane::test
