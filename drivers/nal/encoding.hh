// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/nal/place.hh>
#include <isoplane/portals/header.hh>
#include <isoplane/wire/portals.hh>

namespace isoplane::nal {

/// Gets have no header data, and get-puts and puts no place for a reply.
constexpr bool has_return_offset(portals::MessageType type) {
    return type == portals::MessageType::kGet || type == portals::MessageType::kReply;
}

/// What the beginning of a message has beside its header.
struct Beginning {
    std::uint8_t flags = 0;
    std::uint32_t number = 0;
    std::uint32_t source = 0;  ///< of what waits
    Place place{};

    std::size_t size(portals::MessageType type) const {
        return wire::portals_begin_size(static_cast<std::uint8_t>(type), flags);
    }
};

inline void encode(std::byte* at, const Beginning& begin, std::uint32_t number,
                   const portals::Header& header) {
    using namespace wire::portals_begin_layout;
    wire::portals_layout::Kind::put(at, static_cast<std::uint8_t>(wire::PortalsKind::kBegin));
    Type::put(at, static_cast<std::uint8_t>(header.type));
    Flags::put(at, begin.flags);
    Reserved::put(at, 0);
    Number::put(at, number);
    TargetPid::put(at, header.target.pid);
    InitiatorPid::put(at, header.initiator.pid);
    Uid::put(at, header.uid);
    Jid::put(at, header.jid);
    Portal::put(at, header.portal);
    Cookie::put(at, header.cookie);
    MatchBits::put(at, header.match_bits);
    RemoteOffset::put(at, header.remote_offset);
    Extra::put(at, has_return_offset(header.type) ? header.return_offset : header.hdr_data);
    Length::put(at, header.length);
    Md::put(at, header.md);
    MdGeneration::put(at, header.md_generation);
    if (begin.size(header.type) == wire::kPortalsBeginSize) return;
    std::byte* const more = at + wire::kPortalsBeginSize;
    wire::portals_more_layout::Moved::put(more, header.mlength);
    wire::portals_more_layout::Source::put(more, begin.source);
    wire::portals_more_layout::Reserved::put(more, 0);
    if ((begin.flags & wire::kPortalsInMemory) == 0) return;
    std::byte* const memory = more + wire::kPortalsMoreSize;
    wire::portals_memory_layout::Process::put(memory, begin.place.process);
    wire::portals_memory_layout::Reserved::put(memory, 0);
    wire::portals_memory_layout::Address::put(memory, begin.place.address);
    wire::portals_memory_layout::SealAt::put(memory, begin.place.seal_at);
    wire::portals_memory_layout::Seal::put(memory, begin.place.seal);
}

/// Of a message that is_portals_message().
inline Beginning decode(const std::byte* at) {
    using namespace wire::portals_begin_layout;
    Beginning begin{.flags = Flags::get(at), .number = Number::get(at)};
    if ((begin.flags & wire::kPortalsRestWaits) != 0)
        begin.source = wire::portals_more_layout::Source::get(at + wire::kPortalsBeginSize);
    if ((begin.flags & wire::kPortalsInMemory) != 0) {
        using namespace wire::portals_memory_layout;
        const std::byte* const memory = at + wire::kPortalsBeginSize + wire::kPortalsMoreSize;
        begin.place = {Process::get(memory), Address::get(memory), SealAt::get(memory), Seal::get(memory)};
    }
    return begin;
}

/// Of the same, from one node to another.
inline portals::Header decode_header(const std::byte* at, portals::Nid from, portals::Nid to) {
    using namespace wire::portals_begin_layout;
    const auto type = static_cast<portals::MessageType>(Type::get(at));
    const bool returns = has_return_offset(type);
    const std::uint64_t extra = Extra::get(at);
    // All of them, or the compiler would clear it first.
    return {.type = type,
            .target = {to, TargetPid::get(at)},
            .initiator = {from, InitiatorPid::get(at)},
            .uid = Uid::get(at),
            .jid = Jid::get(at),
            .portal = Portal::get(at),
            .cookie = Cookie::get(at),
            .match_bits = MatchBits::get(at),
            .remote_offset = RemoteOffset::get(at),
            .return_offset = returns ? extra : 0,
            .hdr_data = returns ? 0 : extra,
            .md = Md::get(at),
            .md_generation = MdGeneration::get(at),
            .length = Length::get(at),
            .mlength = wire::is_portals_answer(Type::get(at))
                           ? wire::portals_more_layout::Moved::get(at + wire::kPortalsBeginSize)
                           : 0};
}

}  // namespace isoplane::nal
