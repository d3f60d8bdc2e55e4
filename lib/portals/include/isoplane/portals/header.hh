// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/portals/types.hh>

namespace isoplane::portals {

enum class MessageType : std::uint8_t { kAck, kPut, kGet, kReply, kGetPut };

/// A message without its data. A NAL fills in nothing, but must see to it that `initiator`, `uid` and `jid`
/// are those of whoever really has sent it.
struct Header {
    MessageType type = MessageType::kPut;
    ProcessId target{};
    ProcessId initiator{};  ///< of this message: of an answer, who answers
    Uid uid = 0;
    Jid jid = 0;
    Index portal = 0;
    Index cookie = 0;  ///< of the access-control entry
    Bits match_bits = 0;
    Size remote_offset = 0;
    Size return_offset = 0;  ///< where in the initiator's MD a reply goes
    std::uint64_t hdr_data = 0;
    Handle md = kNone;                ///< that an answer is for; kNone: none is wanted
    std::uint32_t md_generation = 0;  ///< all of it, the handle having a part only
    Size length = 0;                  ///< requested; answers repeat it
    Size mlength = 0;                 ///< of an answer: what was moved

    bool is_answer() const noexcept { return type == MessageType::kReply || type == MessageType::kAck; }
    /// Bytes that follow.
    Size payload() const noexcept {
        switch (type) {
            case MessageType::kPut:
            case MessageType::kGetPut:
                return length;
            case MessageType::kReply:
                return mlength;
            default:
                return 0;
        }
    }
};

}  // namespace isoplane::portals
