// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/message.hh>
#include <span>

#include <isoplane/niu/peer.hh>

namespace isoplane::niu {

inline bool checks_payload(const Peer& peer) noexcept {
    return (peer.header.flags & wire::kFlagNoPayloadCrc) == 0;
}

inline void put_message(std::byte* at, const wire::MessageHeader& header) noexcept {
    wire::encode_message(std::span<std::byte, wire::kMessageHeaderSize>(at, wire::kMessageHeaderSize),
                         header);
}

}  // namespace isoplane::niu
