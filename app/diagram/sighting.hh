// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <isoplane/wire/along.hh>
#include <isoplane/wire/frame.hh>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "capture/pcapng.hh"

namespace isoplane::diagram {

using capture::Direction;
using capture::Time;
using NodeId = std::uint16_t;

/// What tells a frame from all others, but not from itself seen elsewhere.
struct FrameKey {
    NodeId from = 0;
    NodeId to = 0;
    std::uint32_t epoch = 0;
    std::uint32_t sequence = 0;
    std::uint32_t header_crc = 0;
    std::uint32_t payload_crc = 0;
    auto operator<=>(const FrameKey&) const = default;
};

/// An ordered message within a frame.
struct Message {
    NodeId issuer = 0;
    std::uint32_t isochron = 0;
    std::uint64_t pulse = 0;  ///< at whose end it is executed
    std::uint32_t rank = 0;
    std::uint32_t size = 0;
    auto operator<=>(const Message&) const = default;
};

/// A token, or a part of one.
struct TokenPart {
    std::uint64_t number = 0;
    std::uint16_t part = 0;
    std::uint16_t last_part = 0;
    std::uint32_t group_word = 0;  ///< what its sender itself does in the group
    std::uint8_t further = 0;      ///< tokens that came with it
};

/// A frame of logical time where it passed an interface; or a token in a frame of messages, which may be from
/// the host that is the token manager, or to it.
struct Sighting {
    Time when{0};
    std::uint32_t interface = 0;
    Direction direction = Direction::kUnknown;
    FrameKey key;
    std::vector<Message> messages;
    std::optional<TokenPart> token{};
};

/// The frames of a capture that have to do with logical time.
class Observer {
  public:
    /// Takes a frame of the file.
    void see(const capture::Frame& frame);

    std::uint64_t frames() const noexcept { return frames_; }    ///< of the file
    std::uint64_t ours() const noexcept { return ours_; }        ///< isoplane's, and whole
    std::uint64_t damaged() const noexcept { return damaged_; }  ///< isoplane's, but refused
    std::uint64_t foreign() const noexcept { return foreign_; }  ///< of other jobs than the first
    Time first() const noexcept { return first_; }

    /// All sightings in the order of time.
    std::vector<Sighting> sightings() &&;
    /// Those that take part, with the names they give themselves.
    const std::map<NodeId, std::string>& nodes() const noexcept { return nodes_; }

  private:
    void take(const capture::Frame& frame, std::uint32_t header_crc, const wire::Decoded& decoded);
    void keep_tokens(const Sighting& frame, std::span<const std::byte> payload);
    void keep_token(Sighting sighting, const wire::AlongReader::Along& along);
    void keep(Sighting sighting);

    /// The tokens that go along in a stream: those in front of the first whole one are read with it.
    struct Stream {
        struct Unread {
            Sighting frame;
            std::array<std::byte, wire::kShortTokenSize> message;
        };
        wire::AlongReader reader{};
        std::vector<Unread> unread{};
    };

    std::map<std::tuple<NodeId, NodeId, std::uint32_t>, Stream> streams_;  ///< by both nodes and the epoch
    std::vector<Sighting> sightings_;
    std::map<NodeId, std::string> nodes_;
    std::optional<std::uint32_t> job_key_;
    std::uint64_t frames_ = 0;
    std::uint64_t ours_ = 0;
    std::uint64_t damaged_ = 0;
    std::uint64_t foreign_ = 0;
    Time first_{0};
};

}  // namespace isoplane::diagram
