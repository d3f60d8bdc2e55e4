// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What the messages of Protocol::kPortals consist of.
///
/// A *begin* is a Portals message with as much of its data as fits the frame. The rest of it
/// - follows at once, in messages of the same protocol that are nothing but data: there is no other of this
///   protocol in between; or
/// - waits, and the receiver *pulls* it, slice by slice, when it knows where it goes, on whichever plane it
///   likes. The slices come in messages of Protocol::kPortalsData on the plane of their pull, in the order of
///   the pulls. A *done* ends it, also when nothing was pulled. The begin may say in whose memory all of the
///   data lies: then a receiver on the same machine reads it there, if it can, and pulls nothing. What it has
///   read was right if the seal, which it reads after it, is as the begin says.
/// A message of data that has none says that the rest of what is due now does not come.
#pragma once

#include <isoplane/wire/byte_order.hh>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/hello.hh>
#include <isoplane/wire/message.hh>

namespace isoplane::wire {

enum class PortalsKind : std::uint8_t { kBegin, kPull, kDone };

inline constexpr std::size_t kPortalsBeginSize = 72;  ///< behind it a PortalsMore, if it has to say more
inline constexpr std::size_t kPortalsMoreSize = 16;
inline constexpr std::size_t kPortalsMemorySize = 32;  ///< behind that, where there is room for it
static_assert(kMinMtu >= kHeaderSize + kMessageHeaderSize + kPortalsBeginSize + kPortalsMoreSize);
inline constexpr std::size_t kPortalsPullSize = 24;
inline constexpr std::size_t kPortalsDoneSize = 8;

inline constexpr std::uint8_t kPortalsRestFollows = 0x01;
inline constexpr std::uint8_t kPortalsRestWaits = 0x02;
inline constexpr std::uint8_t kPortalsInMemory = 0x04;  ///< where the rest waits

namespace portals_layout {
using Kind = Field<std::uint8_t, 0>;  // of all three
}  // namespace portals_layout

namespace portals_begin_layout {
using Type = Field<std::uint8_t, 1>;  // 0 ack, 1 put, 2 get, 3 reply, 4 get-put
using Flags = Field<std::uint8_t, 2>;
using Reserved = Field<std::uint8_t, 3>;
using Number = Field<std::uint32_t, 4>;  // among the begins from one life of a node to one of another
using TargetPid = Field<std::uint32_t, 8>;
using InitiatorPid = Field<std::uint32_t, 12>;
using Uid = Field<std::uint32_t, 16>;
using Jid = Field<std::uint32_t, 20>;
using Portal = Field<std::uint32_t, 24>;
using Cookie = Field<std::uint32_t, 28>;
using MatchBits = Field<std::uint64_t, 32>;
using RemoteOffset = Field<std::uint64_t, 40>;
using Extra = Field<std::uint64_t, 48>;  // header data; the return offset in gets and replies
using Length = Field<std::uint64_t, 56>;
using Md = Field<std::uint32_t, 64>;
using MdGeneration = Field<std::uint32_t, 68>;
static_assert(MdGeneration::kEnd == kPortalsBeginSize);
}  // namespace portals_begin_layout

/// Of answers, and of messages whose rest waits.
namespace portals_more_layout {
using Moved = Field<std::uint64_t, 0>;   // bytes that were moved, of an answer
using Source = Field<std::uint32_t, 8>;  // names what waits
using Reserved = Field<std::uint32_t, 12>;
static_assert(Reserved::kEnd == kPortalsMoreSize);
}  // namespace portals_more_layout

namespace portals_memory_layout {
using Process = Field<std::uint32_t, 0>;  // by its number on that machine
using Reserved = Field<std::uint32_t, 4>;
using Address = Field<std::uint64_t, 8>;  // of all of the data, in its memory
using SealAt = Field<std::uint64_t, 16>;
using Seal = Field<std::uint64_t, 24>;  // what is there as long as the data is
static_assert(Seal::kEnd == kPortalsMemorySize);
}  // namespace portals_memory_layout

namespace portals_pull_layout {
using Reserved = Field<std::uint8_t, 1>;
using Reserved2 = Field<std::uint16_t, 2>;
using Source = Field<std::uint32_t, 4>;
using Offset = Field<std::uint64_t, 8>;  // in the data of the message
using Length = Field<std::uint32_t, 16>;
using Reserved3 = Field<std::uint32_t, 20>;
static_assert(Reserved3::kEnd == kPortalsPullSize);
}  // namespace portals_pull_layout

namespace portals_done_layout {
using Reserved = Field<std::uint8_t, 1>;
using Reserved2 = Field<std::uint16_t, 2>;
using Source = Field<std::uint32_t, 4>;
static_assert(Source::kEnd == kPortalsDoneSize);
}  // namespace portals_done_layout

/// ACK and REPLY.
constexpr bool is_portals_answer(std::uint8_t type) {
    return type == 0 || type == 3;
}
/// Bytes of a begin in front of its data.
constexpr std::size_t portals_begin_size(std::uint8_t type, std::uint8_t flags) {
    const bool says_more = is_portals_answer(type) || (flags & kPortalsRestWaits) != 0;
    return kPortalsBeginSize + (says_more ? kPortalsMoreSize : 0) +
           ((flags & kPortalsInMemory) != 0 ? kPortalsMemorySize : 0);
}

/// Whether a message that is due to be one of the three is: its kind is known, nothing reserved is used, it
/// has all its fields, and a begin no more data than its length, and just that unless it says that there is a
/// rest.
bool is_portals_message(std::span<const std::byte> message);

}  // namespace isoplane::wire
