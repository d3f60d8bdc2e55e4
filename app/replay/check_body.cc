// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/check_body.hh"

#include <isoplane/wire/access.hh>
#include <isoplane/wire/active.hh>
#include <isoplane/wire/along.hh>
#include <isoplane/wire/channel.hh>
#include <isoplane/wire/control.hh>
#include <isoplane/wire/page.hh>
#include <isoplane/wire/token.hh>

#include "capture/any_frame.hh"

namespace isoplane::replay {

namespace {

using Bytes = std::span<const std::byte>;

bool is_answer(Bytes body) {
    if (wire::is_page_message(body)) return wire::decode_page_message(body).has_value();
    wire::Answer answer;
    return wire::decode_answer(body, answer);
}

bool is_channel_message(Bytes body) {
    const auto header = wire::decode_channel(body);
    if (!header || header->type != wire::kChannelType) return false;
    switch (header->subtype) {
        case wire::ChannelSubtype::kDatagram:
            return header->number == 0;
        case wire::ChannelSubtype::kReliable:
            return true;
        case wire::ChannelSubtype::kAsk:
        case wire::ChannelSubtype::kGrant:
            return wire::decode_channel_life(body).has_value();
    }
    return false;
}

bool is_token(Bytes body) {
    if (body.size() == wire::kShortTokenSize) return true;
    if (body.size() <= wire::kTokenOriginSize) return false;
    const wire::TokenOrigin origin = wire::decode_token_origin(body.first<wire::kTokenOriginSize>());
    return origin.from != origin.to &&
           wire::TokenView::parse(body.subspan(wire::kTokenOriginSize), capture::kAnyNode);
}

bool are_accesses(Bytes body) {
    wire::AccessCursor cursor(body);
    for (wire::Access access; cursor.next(access);) {
    }
    return cursor.at_end();
}

bool is_pointer(Bytes data) {
    return data.size() == wire::kPointerSize && wire::PayloadSize::get(data.data()) != 0;
}

/// What its flags say has to be in front of the data; or an end of a view, or how things stand.
std::string fault_in_isotach(const wire::OrderedMessage& message, bool whole, std::uint16_t source) {
    const wire::IsotachHeader& header = message.header;
    Bytes data = message.data;
    if (header.host != source)
        return "an isotach message of node " + std::to_string(source) + " says that host " +
               std::to_string(header.host) + " has issued it";
    if (header.operation > wire::Operation::kMoreAccesses)
        return "an isotach message has operation " + std::to_string(static_cast<unsigned>(header.operation)) +
               ", which does not exist";
    if (header.flags == wire::kIsotachHandover) return {};
    if (header.flags == wire::kIsotachFlush)
        return data.size() % wire::kFlushActSize == 0 ? "" : "what ends a view is no list of acts";
    if ((header.flags & ~(wire::kIsotachClocked | wire::kIsotachPointer)) != 0)
        return "an isotach message has flags " + std::to_string(header.flags) + ", which do not exist";
    if (!whole) return {};
    if ((header.flags & wire::kIsotachClocked) != 0) {
        if (data.size() < wire::kIsotachClockSize)
            return "an isotach message lacks the clock that it announces";
        data = data.subspan(wire::kIsotachClockSize);
    }
    if ((header.flags & wire::kIsotachPointer) != 0)
        return is_pointer(data) ? "" : "an isotach message lacks the size of its payload";
    if (wire::is_of_copies(header.operation) && !are_accesses(data))
        return "an isotach message of accesses is no list of accesses";
    return {};
}

}  // namespace

std::string fault_in(const wire::Message& message, std::uint16_t source, wire::OrderedReader& ordered) {
    const Bytes body = message.body;
    const bool whole = wire::is_whole(message.header);
    const auto unless = [whole](bool good, const char* sentence) {
        return whole && good ? std::string()
                             : std::string(sentence) + (whole ? "" : ", but a fragment of one");
    };
    switch (message.header.protocol) {
        case wire::Protocol::kControl:
            return unless(wire::decode_barrier(body).has_value(), "a control message is none that there is");
        case wire::Protocol::kIsotach:
            return fault_in_isotach(ordered.read(message), whole, source);
        case wire::Protocol::kShmem:
            return unless(is_answer(body), "a shmem message is no answer and has no page");
        case wire::Protocol::kActive:
            return unless(wire::decode_active(body).has_value(), "an active message is malformed");
        case wire::Protocol::kChannel:
            return unless(is_channel_message(body), "a channel message is malformed");
        case wire::Protocol::kToken:
            return unless(is_token(body), "a token that goes along with messages is malformed");
        case wire::Protocol::kNoniso:
        case wire::Protocol::kPortals:
        case wire::Protocol::kPayload:
        case wire::Protocol::kPortalsData:
            break;
    }
    return {};
}

}  // namespace isoplane::replay
