// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The words of Portals 3. Numbers are those of the historical C headers, so that a conversion is a cast.
#pragma once

#include <cstddef>
#include <cstdint>

namespace isoplane::portals {

using Nid = std::uint32_t;
using Pid = std::uint32_t;
using Uid = std::uint32_t;
using Jid = std::uint32_t;
using Size = std::uint64_t;
using Bits = std::uint64_t;
using Index = std::uint32_t;     ///< of a portal, or of an access-control entry
using Sequence = std::uint32_t;  ///< of an event; wraps
using Handle = std::uint32_t;

/// Matches every nid, pid, uid, job and portal.
inline constexpr std::uint32_t kAny = 0xffffffff;
inline constexpr int kInfinite = -1;  ///< a threshold without end

/// Handles of nothing. No object ever has one of these.
inline constexpr Handle kInvalid = 0xffffffff;
inline constexpr Handle kNone = 0x7fffffff;
inline constexpr Handle kNoQueue = 0xbfffffff;

// Structures that a ring of events is made of have no initial values: who makes one writes {}.

struct ProcessId {
    Nid nid;
    Pid pid;

    bool operator==(const ProcessId&) const = default;
};
inline constexpr ProcessId kAnyone{kAny, kAny};

enum class Status : int {
    kOk,
    kAcIndexInvalid,
    kEqDropped,
    kEqEmpty,
    kEqInvalid,
    kFail,
    kHandleInvalid,
    kIfaceInvalid,
    kMdIllegal,
    kMdInvalid,
    kMdInUse,
    kMdNoUpdate,
    kMeInvalid,
    kMeInUse,
    kMeListTooLong,
    kNiInvalid,
    kNoInit,
    kNoSpace,
    kPidInvalid,
    kProcessInvalid,
    kPtFull,
    kPtIndexInvalid,
    kSegv,
    kSrIndexInvalid,
    kUnknownError,
};

/// Of an operation: 0 is success, everything else is the NAL's own.
using Failure = std::uint32_t;
inline constexpr Failure kSuccess = 0;
inline constexpr Failure kFailed = 1;

/// The END of an operation is the number behind its START.
enum class EventKind : int {
    kGetStart,
    kGetEnd,
    kPutStart,
    kPutEnd,
    kGetPutStart,
    kGetPutEnd,
    kReplyStart,
    kReplyEnd,
    kSendStart,
    kSendEnd,
    kAck,
    kUnlink,
};
constexpr EventKind end_of(EventKind start) {
    return static_cast<EventKind>(static_cast<int>(start) + 1);
}

enum class Unlink : std::uint8_t { kRetain, kUnlink };
enum class Position { kBefore, kAfter };
enum class AckRequest { kAck, kNoAck };

/// Options of a memory descriptor, or-ed together.
enum Option : unsigned {
    kOpPut = 0x001,
    kOpGet = 0x002,
    kManageRemote = 0x004,
    kTruncate = 0x008,
    kAckDisable = 0x010,
    kIovec = 0x020,
    kMaxSize = 0x040,
    kStartDisable = 0x080,
    kEndDisable = 0x100,
    /// For who knows from its last operation that it is gone, and hears of a get that could not leave by a
    /// REPLY_END; not the API's.
    kUnlinkDisable = 0x8000'0000,
};

/// A piece of memory, of an MD whose data lies in several.
struct Segment {
    void* base;
    Size length;
};

/// A memory descriptor as its user gives it.
struct MdSpec {
    void* start;    ///< with kIovec: of an array of Segment
    Size length;    ///< in bytes; with kIovec: in elements
    int threshold;  ///< operations that are left; kInfinite: no end to them
    Size max_size;  ///< with kMaxSize: exhausted when less room than this is left
    unsigned options;
    void* user_ptr;
    Handle eq;
};

struct Event {
    EventKind kind;
    ProcessId initiator;
    Uid uid;
    Jid jid;
    Index portal;
    Bits match_bits;
    Size rlength;  ///< requested
    Size mlength;  ///< moved
    Size offset;
    Handle md;
    MdSpec spec;  ///< of the MD, as the operation left it
    std::uint64_t hdr_data;
    Sequence link;  ///< the same in all events of an operation
    Failure failure;
    Sequence sequence;
};

/// What an interface has room for. Index limits are inclusive.
struct Limits {
    int entries = 65536;
    int descriptors = 65536;
    int queues = 65536;
    int max_ac_index = 63;
    int max_pt_index = 63;
    int iovecs = 16;      ///< elements of one MD
    int list = 65536;     ///< entries of one match list
    int max_getput = 64;  ///< bytes
};

/// Status registers that are kept.
enum class Register : std::uint32_t {
    kDropCount,
    kDropLength,
    kRecvCount,
    kRecvLength,
    kSendCount,
    kSendLength,
    kEntriesAllocated = 12,
    kEntriesFreed,
    kEntriesMax,
    kEntries,
    kDescriptorsAllocated = 16,
    kDescriptorsFreed,
    kDescriptorsMax,
    kDescriptors,
    kQueuesAllocated = 20,
    kQueuesFreed,
    kQueuesMax,
    kQueues,
};

/// Why a message that has arrived finds no place.
enum class Drop : std::uint8_t {
    kProcess,  ///< it is for another
    kPortal,   ///< there is no such portal
    kAccess,   ///< its access-control entry is not there, or does not admit it
    kMatch,    ///< no entry matches it and has an MD with room for it
    kTooLong,  ///< a get-put of more than there may be
    kAnswer,   ///< its MD is gone or used up, or has no room where it says
    kBusy,     ///< too many operations are in progress
};
inline constexpr std::size_t kDropReasons = 7;
/// "process", and so on.
const char* name_of(Drop reason) noexcept;

/// "PTL_OK", and so on.
const char* name_of(Status status) noexcept;
const char* name_of(EventKind kind) noexcept;

}  // namespace isoplane::portals
