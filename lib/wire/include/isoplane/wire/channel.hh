// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Channel messages: the data of a channel, and the credit of those that may not lose any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <isoplane/wire/byte_order.hh>

namespace isoplane::wire {

inline constexpr std::size_t kChannelHeaderSize = 8;
inline constexpr std::size_t kChannelCreditSize = kChannelHeaderSize + 4;

/// What the packets of this API have always said they are.
inline constexpr std::uint16_t kChannelType = 0x370;

enum class ChannelSubtype : std::uint8_t {
    kDatagram = 1,  ///< dropped where the channel is full
    kReliable,      ///< sent with credit
    kAsk,           ///< for credit: from here on messages are numbered from `number`
    kGrant,         ///< credit: messages up to `number` may be sent
};

namespace channel_layout {
using Type = Field<std::uint16_t, 0>;
using Subtype = Field<std::uint8_t, 2>;
using Channel = Field<std::uint8_t, 3>;
using Number = Field<std::uint32_t, 4>;
static_assert(Number::kEnd == kChannelHeaderSize);
using Life = Field<std::uint32_t, kChannelHeaderSize>;  ///< in questions for credit, and in grants
static_assert(Life::kEnd == kChannelCreditSize);
}  // namespace channel_layout

/// In front of the data, whose alignment to 8 it keeps.
struct ChannelHeader {
    std::uint16_t type = kChannelType;
    ChannelSubtype subtype = ChannelSubtype::kDatagram;
    std::uint8_t channel = 0;
    std::uint32_t number = 0;  ///< of a reliable message, among those to that channel; 0 in datagrams

    bool operator==(const ChannelHeader&) const = default;
};

inline void encode_channel(std::span<std::byte, kChannelHeaderSize> out, const ChannelHeader& header) {
    channel_layout::Type::put(out.data(), header.type);
    channel_layout::Subtype::put(out.data(), static_cast<std::uint8_t>(header.subtype));
    channel_layout::Channel::put(out.data(), header.channel);
    channel_layout::Number::put(out.data(), header.number);
}

/// The header as it stands there, whatever is in it. Nothing when the message is too short for one.
inline std::optional<ChannelHeader> decode_channel(std::span<const std::byte> message) {
    const std::byte* at = message.data();
    if (message.size() < kChannelHeaderSize) return std::nullopt;
    return ChannelHeader{.type = channel_layout::Type::get(at),
                         .subtype = static_cast<ChannelSubtype>(channel_layout::Subtype::get(at)),
                         .channel = channel_layout::Channel::get(at),
                         .number = channel_layout::Number::get(at)};
}

/// A question for credit, or a grant, by the sender of that life.
inline void encode_channel_credit(std::span<std::byte, kChannelCreditSize> out, const ChannelHeader& header,
                                  std::uint32_t life) {
    encode_channel(out.first<kChannelHeaderSize>(), header);
    channel_layout::Life::put(out.data(), life);
}

/// Of whose life a question or a grant is; nothing when the message is neither.
inline std::optional<std::uint32_t> decode_channel_life(std::span<const std::byte> message) {
    if (message.size() != kChannelCreditSize) return std::nullopt;
    return channel_layout::Life::get(message.data());
}

}  // namespace isoplane::wire
