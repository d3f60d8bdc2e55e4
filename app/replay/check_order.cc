// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/check_order.hh"

#include <algorithm>
#include <isoplane/wire/portals.hh>
#include <isoplane/wire/run.hh>
#include <utility>

#include "replay/words.hh"

namespace isoplane::replay {

namespace {

using Bytes = std::span<const std::byte>;
using wire::Protocol;

/// How much of a valid begin comes behind it.
std::uint64_t following(Bytes begin) {
    using namespace wire::portals_begin_layout;
    const std::byte* const at = begin.data();
    const std::uint8_t type = Type::get(at);
    const std::uint8_t flags = Flags::get(at);
    if (flags != wire::kPortalsRestFollows) return 0;
    const std::size_t front = wire::portals_begin_size(type, flags);
    const std::uint64_t whole = wire::is_portals_answer(type)
                                    ? wire::portals_more_layout::Moved::get(at + wire::kPortalsBeginSize)
                                    : Length::get(at);
    return whole - (begin.size() - front);
}

void read_isotach(Piece& piece, const wire::OrderedMessage& message) {
    const wire::IsotachHeader& header = message.header;
    piece.bytes = static_cast<std::uint32_t>(message.data.size());
    if ((header.flags & (wire::kIsotachFlush | wire::kIsotachHandover)) != 0) return;
    piece.count = header.count;
    if ((header.flags & wire::kIsotachPointer) != 0 && piece.bytes >= wire::kPointerSize)
        piece.payload = wire::PayloadSize::get(message.data.last<wire::kPointerSize>().data());
}

void read_portals(Piece& piece, Bytes body) {
    if (piece.header.fragment != wire::kWholeMessage || !wire::is_portals_message(body)) return;
    piece.begins =
        wire::portals_layout::Kind::get(body.data()) == static_cast<std::uint8_t>(wire::PortalsKind::kBegin);
    if (piece.begins) piece.following = following(body);
    piece.is_portals = true;
}

}  // namespace

std::vector<Piece> pieces_of(Bytes payload, std::uint64_t frame) {
    std::vector<Piece> pieces;
    wire::MessageCursor cursor(payload);
    wire::OrderedReader ordered;
    for (wire::Message message; cursor.next_valid(message);) {
        Piece piece{.frame = frame, .header = message.header, .bytes = message.header.length};
        if (message.header.protocol == Protocol::kIsotach) {
            read_isotach(piece, ordered.read(message));
        } else if (message.header.protocol == Protocol::kPortals) {
            read_portals(piece, message.body);
        } else if (message.header.fragment == wire::kWholeMessage &&
                   message.header.protocol != Protocol::kPayload) {
            continue;
        }
        pieces.push_back(piece);
    }
    return pieces;
}

std::string MessageOrder::see(const Piece& piece, bool one_plane) {
    const bool first = (piece.header.fragment & wire::kFirstFragment) != 0;
    std::string fault;
    if (!wire::is_whole(piece.header)) fault = see_fragment(piece);
    if (fault.empty() && piece.header.protocol == Protocol::kPayload && first) fault = see_payload(piece);
    if (fault.empty() && piece.header.protocol == Protocol::kPortals) fault = see_portals(piece, one_plane);
    if (!first || piece.header.protocol != Protocol::kIsotach || piece.count == 0) return fault;
    const std::uint32_t before = std::exchange(count_, piece.count);
    // Counts begin anew with a view in which the receiver does.
    if (fault.empty() && piece.count != before + 1 && piece.count != 1)
        fault =
            "isotach message " + text(piece.count) + " follows message " + text(before) + " of its stream";
    constexpr std::size_t kMostPayloads = 4096;
    if (piece.payload != 0 && payloads_.size() < kMostPayloads) payloads_.push_back(piece.payload);
    return fault;
}

/// As a node puts them together.
std::string MessageOrder::see_fragment(const Piece& piece) {
    const std::string at = "a fragment of " + text(piece.bytes) + " bytes at " +
                           text(piece.header.size_or_offset) + " of its message";
    if ((piece.header.fragment & wire::kFirstFragment) != 0) {
        const std::uint32_t missing = size_ - here_;
        size_ = piece.header.size_or_offset;
        here_ = piece.bytes;
        protocol_ = piece.header.protocol;
        return missing == 0 ? ""
                            : "a message begins where " + text(missing) + " bytes of another are to come";
    }
    const bool follows = piece.header.protocol == protocol_ && piece.header.size_or_offset == here_ &&
                         piece.bytes <= size_ - here_;
    const bool last = (piece.header.fragment & wire::kLastFragment) != 0;
    const bool ends = follows && here_ + piece.bytes == size_;
    const std::string due = text(here_) + " of " + text(size_) + " bytes are here";
    here_ = ends ? 0 : here_ + piece.bytes;
    if (ends) size_ = 0;
    if (!follows) {
        size_ = here_ = 0;
        return at + " does not follow: " + due;
    }
    return last == ends
               ? ""
               : at + (last ? " says that it is the last: " : " is the last and does not say so: ") + due;
}

std::string MessageOrder::see_payload(const Piece& piece) {
    if (payloads_.empty()) return "a payload comes that no isotach message announces";
    const std::uint32_t announced = payloads_.front();
    payloads_.pop_front();
    if (announced == piece.header.size_or_offset) return {};
    return "a payload has " + text(piece.header.size_or_offset) + " bytes, and was announced with " +
           text(announced);
}

/// Where a plane fails, another one goes on with what was under way.
std::string MessageOrder::see_portals(const Piece& piece, bool one_plane) {
    if (portals_due_ != 0) {
        portals_due_ =
            piece.bytes == 0 ? 0 : portals_due_ - std::min<std::uint64_t>(portals_due_, piece.bytes);
        return {};
    }
    has_begun_ |= piece.begins;
    portals_due_ = piece.following;
    if (piece.is_portals || piece.bytes == 0) return {};
    odd_portals_ |= !has_begun_;
    return odd_portals_ || !one_plane ? "" : "a Portals message is malformed";
}

}  // namespace isoplane::replay
