// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Messages: what the payload of a data frame consists of.
///
/// One frame carries one message, several small ones to the same destination, or a fragment of a large one;
/// each has an 8-byte header, and the next starts right behind it. Messages of the ordered protocol, isotach,
/// begin with the extension of isotach.hh, each fragment of them, and their sizes and offsets do not count
/// it; but those that follow another in a run (run.hh) have none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <isoplane/wire/byte_order.hh>
#include <isoplane/wire/isotach.hh>

namespace isoplane::wire {

inline constexpr std::size_t kMessageHeaderSize = 8;

/// Which protocol's receiver gets the message.
enum class Protocol : std::uint8_t {
    kControl,
    kNoniso,
    kIsotach,
    kShmem,
    kPortals,
    kActive,
    kChannel,
    kPayload,      ///< of isotach messages that do not fit a frame
    kToken,        ///< of logical time, where it goes along with messages
    kPortalsData,  ///< of long Portals messages, pulled by their receiver
};
inline constexpr std::size_t kProtocolCount = 10;

/// Whether messages of the protocol begin with the isotach extension.
constexpr bool is_ordered(Protocol protocol) {
    return protocol == Protocol::kIsotach;
}

inline constexpr std::uint8_t kFirstFragment = 0x01;
inline constexpr std::uint8_t kLastFragment = 0x02;
inline constexpr std::uint8_t kWholeMessage = kFirstFragment | kLastFragment;
/// A whole message of an ordered protocol, right behind another in its frame: its place in logical time is
/// a step from that one's.
inline constexpr std::uint8_t kInRun = kWholeMessage | 0x04;

namespace message_layout {
using Protocol = Field<std::uint8_t, 0>;
using Fragment = Field<std::uint8_t, 1>;
using Length = Field<std::uint16_t, 2>;
using SizeOrOffset = Field<std::uint32_t, 4>;
static_assert(SizeOrOffset::kEnd == kMessageHeaderSize);
}  // namespace message_layout

struct MessageHeader {
    Protocol protocol = Protocol::kControl;
    std::uint8_t fragment = kWholeMessage;  ///< kFirstFragment, kLastFragment, both or neither; or kInRun
    std::uint16_t length = 0;               ///< bytes behind this header, the isotach extension included
    std::uint32_t size_or_offset = 0;       ///< first fragment: size of the whole message; else this one's
                                            ///< offset; in a run the step (run.hh)

    bool operator==(const MessageHeader&) const = default;
};
static_assert(sizeof(MessageHeader) == kMessageHeaderSize);

constexpr bool is_whole(const MessageHeader& header) {
    return header.fragment == kWholeMessage || header.fragment == kInRun;
}

/// Reads one as it stands.
inline MessageHeader read_message_header(const std::byte* in) {
    return {.protocol = static_cast<Protocol>(message_layout::Protocol::get(in)),
            .fragment = message_layout::Fragment::get(in),
            .length = message_layout::Length::get(in),
            .size_or_offset = message_layout::SizeOrOffset::get(in)};
}

/// Walks over messages whose lengths are mostly the same. Where the next one begins is a guess that the
/// length is checked against: a CPU then looks at several messages at once, and need not wait for the length
/// of each before it knows where the next one is.
class Stride {
  public:
    /// Of the message with that header, which is known to be all there: where the next one begins.
    const std::byte* next(const std::byte* at) {
        const std::size_t length = message_layout::Length::get(at);
        if (length != length_) [[unlikely]] {
            length_ = length;
            asm("" : "+r"(length_));  // or it would be taken for the same as always to use `length`
        }
        return at + kMessageHeaderSize + length_;
    }

  private:
    std::size_t length_ = 0;
};

/// A message header as it stands in memory.
constexpr std::uint64_t message_word(const MessageHeader& header) {
    static_assert(message_layout::Fragment::kOffset == 1 && message_layout::Length::kOffset == 2 &&
                  message_layout::SizeOrOffset::kOffset == 4 && sizeof(std::uint64_t) == kMessageHeaderSize);
    return network_order(std::uint64_t{static_cast<std::uint8_t>(header.protocol)} << 56 |
                         std::uint64_t{header.fragment} << 48 | std::uint64_t{header.length} << 32 |
                         header.size_or_offset);
}

/// Writes a message header; its `length` bytes are to follow it. In one piece, so that a CRC which reads it
/// at once need not wait.
inline void encode_message(std::span<std::byte, kMessageHeaderSize> out, const MessageHeader& header) {
    const std::uint64_t word = message_word(header);
    std::memcpy(out.data(), &word, sizeof word);
}

/// Whether it is that of a whole message of this protocol, not in a run.
inline bool is_whole_of(Protocol protocol, const std::byte* in) {
    static_assert(message_layout::Protocol::kOffset == 0 && message_layout::Fragment::kOffset == 1);
    return Field<std::uint16_t, 0>::get(in) == (static_cast<std::uint8_t>(protocol) << 8 | kWholeMessage);
}

/// A token of logical time in short (along.hh), which stands behind most ordered messages.
inline constexpr std::size_t kShortTokenSize = 4;
inline bool is_short_token(const std::byte* in) {
    constexpr std::uint64_t kIts =
        message_word({Protocol::kToken, kWholeMessage, kShortTokenSize, kShortTokenSize});
    std::uint64_t word;
    std::memcpy(&word, in, sizeof word);
    return word == kIts;
}

/// Whether this is the header of a message without extension that has just these bytes in this fragment.
bool is_header_of(std::span<const std::byte, kMessageHeaderSize> header, std::size_t bytes);

struct Message {
    MessageHeader header;
    std::span<const std::byte>
        body;  ///< header.length bytes within the payload, the isotach extension included, if there is one
};

/// Walks the messages of a payload, validating each before it is handed out.
///
///     MessageCursor cursor(payload);
///     for (Message message; cursor.next(message);) …
class MessageCursor {
  public:
    explicit MessageCursor(std::span<const std::byte> payload) : rest_(payload) {}

    /// Takes the next message. False, with `message` as it was, at the end of the payload and at the first
    /// malformed message: unknown protocol or flag, longer than the payload, no room for its isotach
    /// extension, a size or offset that cannot be, or in a run without another in front of it.
    bool next(Message& message);

    /// The same for a payload that has been validated: nothing is looked at twice.
    bool next_valid(Message& message) {
        if (rest_.empty()) return false;
        const std::byte* in = rest_.data();
        message.header = read_message_header(in);
        message.body = rest_.subspan(kMessageHeaderSize, message.header.length);
        rest_ = rest_.subspan(kMessageHeaderSize + message.header.length);
        return true;
    }

    /// After next() was false: whether that was the end, with every message well formed.
    bool at_end() const { return rest_.empty(); }

  private:
    std::span<const std::byte> rest_;
    bool may_follow_ = false;  ///< the last message may be followed by one in its run
};

/// Whether what stands behind other messages is messages and nothing else; one in a run may only come first
/// where it `may_follow`.
[[gnu::hot]] bool are_messages_behind(std::span<const std::byte> rest, std::uint16_t node_count,
                                      bool may_follow);

/// Whether a payload is messages and nothing else, those of an ordered protocol by nodes that there are.
/// Quick where there is one, as the first is mostly whole.
inline bool are_messages(std::span<const std::byte> payload, std::uint16_t node_count) {
    if (payload.size() < kMessageHeaderSize) return false;
    const MessageHeader header = read_message_header(payload.data());
    const auto behind = payload.subspan(kMessageHeaderSize);
    if (header.fragment != kWholeMessage) [[unlikely]]
        return are_messages_behind(payload, node_count, false);
    if (header.length > behind.size() || static_cast<std::size_t>(header.protocol) >= kProtocolCount)
        return false;
    const bool ordered = is_ordered(header.protocol);
    if (header.size_or_offset + (ordered ? kIsotachSize : 0) != header.length) return false;
    if (ordered && isotach_layout::Host::get(behind.data()) >= node_count) return false;
    const auto rest = behind.subspan(header.length);
    return rest.empty() ||
           (rest.size() == kMessageHeaderSize + kShortTokenSize && is_short_token(rest.data())) ||
           are_messages_behind(rest, node_count, ordered);
}

}  // namespace isoplane::wire
