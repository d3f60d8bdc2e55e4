// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/wire/isotach.hh>
#include <isoplane/wire/message.hh>
#include <isoplane/wire/run.hh>

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

/// Whether one in a run may stand behind it.
bool may_be_followed(const MessageHeader& header) {
    return is_ordered(header.protocol) && is_whole(header);
}

/// Whether such a message in a run can be, where one may stand, with the `room` bytes behind its header.
bool is_good_step(const MessageHeader& header, std::size_t room) {
    return is_ordered(header.protocol) && header.length <= room &&
           run_step::ranks(header.size_or_offset) != 0;
}

/// Whether such a whole message can be, with the `room` bytes behind its header.
bool is_good_whole(const MessageHeader& header, std::size_t room) {
    const std::size_t extension = is_ordered(header.protocol) ? kIsotachSize : 0;
    return header.length <= room && static_cast<std::size_t>(header.protocol) < kProtocolCount &&
           header.size_or_offset + extension == header.length;
}

/// Whether such a message can be that is not in a run, with the `room` bytes behind its header. Nearly all
/// are whole.
bool is_well_formed(const MessageHeader& header, std::size_t room) {
    if (header.fragment == kWholeMessage) [[likely]]
        return is_good_whole(header, room);
    const std::size_t extension = is_ordered(header.protocol) ? kIsotachSize : 0;
    return header.length <= room && header.length >= extension &&
           static_cast<std::size_t>(header.protocol) < kProtocolCount &&
           (header.fragment & ~kWholeMessage) == 0 &&
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
    const bool good = header.fragment == kInRun ? may_follow_ && is_good_step(header, behind.size())
                                                : is_well_formed(header, behind.size());
    if (!good) return false;
    may_follow_ = may_be_followed(header);
    message = {header, behind.first(header.length)};
    rest_ = behind.subspan(header.length);
    return true;
}

bool are_messages_behind(std::span<const std::byte> rest, std::uint16_t node_count, bool may_follow) {
    const std::byte* at = rest.data();
    const std::byte* const end = at + rest.size();
    Stride stride;
    while (static_cast<std::size_t>(end - at) >= kMessageHeaderSize) {
        const MessageHeader header = read_message_header(at);
        const std::size_t room = static_cast<std::size_t>(end - at) - kMessageHeaderSize;
        if (header.fragment == kInRun) {
            if (!may_follow || !is_good_step(header, room)) return false;
        } else {
            if (!is_well_formed(header, room)) return false;
            const bool ordered = is_ordered(header.protocol);
            may_follow = ordered && header.fragment == kWholeMessage;
            if (ordered && isotach_layout::Host::get(at + kMessageHeaderSize) >= node_count) return false;
        }
        at = stride.next(at);
    }
    return at == end;
}

}  // namespace isoplane::wire
