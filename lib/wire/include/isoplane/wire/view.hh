// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What members of logical time tell each other about who they are: the payload of frames of kind view.
///
///     fixed part | doubted: a node each | members: a node, who plays it, and its epoch each
///
/// A message that does not fit a frame goes in parts, each with some of who is doubted and of the members
/// (view_parts.hh). doc/membership.md says what each step is for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <isoplane/wire/byte_order.hh>

namespace isoplane::wire {

inline constexpr std::size_t kViewSize = 64;  ///< without doubts and members
inline constexpr std::size_t kMemberSize = 8;
inline constexpr std::size_t kDoubtSize = 2;

enum class ViewStep : std::uint8_t {
    kPrepare = 1,  ///< promise this ballot, and say how you stand
    kPromise,      ///< answers it; with the view accepted before, if any
    kAccept,       ///< accept this view, under this ballot
    kAccepted,     ///< answers it
    kRefused,      ///< answers either: a higher ballot, `ballot`, is promised; or a life is over, in `next`
    kDecided,      ///< this view has been decided
    kAsk,          ///< the sender has heard of a later view than its own; if that is named, in
                   ///< `next.number`, it wants to be let in
};

namespace view_layout {
using Step = Field<std::uint8_t, 0>;
using Reserved = Field<std::uint8_t, 1>;
using Doubts = Field<std::uint16_t, 2>;
using Members = Field<std::uint16_t, 4>;
using Plays = Field<std::uint16_t, 6>;
using View = Field<std::uint32_t, 8>;
using Ballot = Field<std::uint32_t, 12>;
using Held = Field<std::uint64_t, 16>;
using Last = Field<std::uint64_t, 24>;
using Accepted = Field<std::uint32_t, 32>;
using Number = Field<std::uint32_t, 36>;
using Cut = Field<std::uint64_t, 40>;
using Base = Field<std::uint64_t, 48>;
using Digest = Field<std::uint32_t, 56>;
using Part = Field<std::uint16_t, 60>;
using LastPart = Field<std::uint16_t, 62>;
static_assert(LastPart::kEnd == kViewSize);
}  // namespace view_layout

namespace member_layout {
using Node = Field<std::uint16_t, 0>;
using PlayedBy = Field<std::uint16_t, 2>;
using Epoch = Field<std::uint32_t, 4>;
static_assert(Epoch::kEnd == kMemberSize);
}  // namespace member_layout

inline constexpr std::uint16_t kNoNode = 0xffff;

struct Member {
    std::uint16_t node = 0;
    std::uint16_t played_by = 0;  ///< of a token manager in the process of a host: that; else the node itself
    std::uint32_t epoch = 0;      ///< of who plays it

    bool operator==(const Member&) const = default;
};

/// Who takes part in logical time, and from when on. In the order of the nodes.
struct View {
    std::uint32_t number = 0;
    std::uint64_t cut = 0;   ///< what those who have left had stamped up to here is executed
    std::uint64_t base = 0;  ///< tokens are numbered from here on; all that was stamped before is up to here
    std::vector<Member> members{};

    bool operator==(const View&) const = default;
};

struct ViewMessage {
    ViewStep step = ViewStep::kAsk;
    std::uint16_t plays = kNoNode;  ///< a token manager in the sender's process
    std::uint32_t view = 0;         ///< the sender's
    std::uint32_t ballot = 0;
    std::uint64_t held = 0;      ///< of a promise: the sender holds all up to here
    std::uint64_t last = 0;      ///< of a promise: it has stamped nothing with a later pulse
    std::uint32_t accepted = 0;  ///< of a promise: the ballot under which it has accepted `next`; 0 for none
    std::vector<std::uint16_t> doubts{};
    View next{};               ///< without members where there is none
    std::uint32_t digest = 0;  ///< of a part: the checksum of the whole message; 0 of a whole one
    std::uint16_t part = 0;
    std::uint16_t last_part = 0;  ///< 0 for a whole message

    bool operator==(const ViewMessage&) const = default;
};

constexpr std::size_t view_size(std::size_t doubts, std::size_t members) {
    return kViewSize + doubts * kDoubtSize + members * kMemberSize;
}

/// Writes it at the front of `out`, which has room for view_size() bytes; returns that size.
std::size_t encode_view(std::span<std::byte> out, const ViewMessage& message);

/// Nothing unless the payload is exactly one message, or a part of one that is not empty: a known step, nodes
/// below `node_count`, in order.
std::optional<ViewMessage> decode_view(std::span<const std::byte> payload, std::uint16_t node_count);

}  // namespace isoplane::wire
