// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/wire/isotach.hh>
#include <isoplane/wire/message.hh>

namespace isoplane::wire {
namespace {

/// Whether the fragment can be a part of some message that is not whole, `data` being its size without the
/// isotach extension.
bool is_possible(const MessageHeader& header, std::uint32_t data) {
    if (data == 0) return false;
    if (header.fragment == kFirstFragment) return header.size_or_offset > data;
    const std::uint32_t end = header.size_or_offset + data;
    return header.size_or_offset > 0 && end > data;  // no message is larger than 2^32 - 1
}

bool is_known(const MessageHeader& header) {
    return static_cast<std::size_t>(header.protocol) < kProtocolCount &&
           (header.fragment & ~kWholeMessage) == 0;
}

/// Whether such a message, with the `room` bytes behind its header, can be. Nearly all are whole.
bool is_well_formed(const MessageHeader& header, std::size_t room) {
    if (header.length > room || !is_known(header)) return false;
    const std::size_t extension = is_ordered(header.protocol) ? kIsotachSize : 0;
    if (header.fragment == kWholeMessage) [[likely]]
        return header.size_or_offset + extension == header.length;
    return header.length >= extension &&
           is_possible(header, static_cast<std::uint32_t>(header.length - extension));
}

}  // namespace

bool is_header_of(std::span<const std::byte, kMessageHeaderSize> in, std::size_t bytes) {
    const MessageHeader header = read_message_header(in.data());
    return !is_ordered(header.protocol) && header.length == bytes && is_well_formed(header, bytes);
}

bool MessageCursor::next(Message& message) {
    if (rest_.size() < kMessageHeaderSize) return false;
    const MessageHeader header = read_message_header(rest_.data());
    const auto behind = rest_.subspan(kMessageHeaderSize);
    if (!is_well_formed(header, behind.size())) return false;
    message = {header, behind.first(header.length)};
    rest_ = behind.subspan(header.length);
    return true;
}

bool are_many_messages(std::span<const std::byte> payload, std::uint16_t node_count) {
    const std::byte* at = payload.data();
    std::size_t left = payload.size();
    while (left >= kMessageHeaderSize) {
        const MessageHeader header = read_message_header(at);
        if (!is_well_formed(header, left - kMessageHeaderSize)) return false;
        if (is_ordered(header.protocol) && isotach_layout::Host::get(at + kMessageHeaderSize) >= node_count)
            return false;
        at += kMessageHeaderSize + header.length;
        left -= kMessageHeaderSize + header.length;
    }
    return left == 0 && !payload.empty();
}

}  // namespace isoplane::wire
