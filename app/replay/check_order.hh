// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <deque>
#include <isoplane/wire/message.hh>
#include <optional>
#include <string>
#include <vector>

namespace isoplane::replay {

/// What of a message says what has to come before or behind it in its stream.
struct Piece {
    std::uint64_t frame = 0;  ///< of the trace, which has it
    wire::MessageHeader header{};
    std::uint32_t bytes = 0;      ///< of data
    std::uint32_t count = 0;      ///< of an isotach message that counts
    std::uint32_t payload = 0;    ///< that is announced by a pointer
    bool is_portals = false;      ///< and not data of Portals, as far as its content tells
    bool begins = false;          ///< of Portals
    std::uint64_t following = 0;  ///< bytes of what begins that come behind it
};

/// Takes those of a valid data frame apart.
std::vector<Piece> pieces_of(std::span<const std::byte> payload, std::uint64_t frame);

/// Holds the messages of a stream, in its order and from its first, against each other.
class MessageOrder {
  public:
    /// What is wrong with the next; empty when nothing is. `one_plane`: all of Portals comes on this stream.
    std::string see(const Piece& piece, bool one_plane);

  private:
    std::string see_fragment(const Piece& piece);
    std::string see_payload(const Piece& piece);
    std::string see_portals(const Piece& piece, bool one_plane);

    std::uint32_t size_ = 0;                ///< of the message whose fragments come
    std::uint32_t here_ = 0;                ///< bytes of it that are here
    wire::Protocol protocol_{};             ///< of it
    std::uint32_t count_ = 0;               ///< of the last isotach message
    std::deque<std::uint32_t> payloads_{};  ///< that are announced
    std::uint64_t portals_due_ = 0;         ///< bytes that follow a begin
    bool has_begun_ = false;                ///< something of Portals
    bool odd_portals_ = false;              ///< data of Portals came before
};

}  // namespace isoplane::replay
