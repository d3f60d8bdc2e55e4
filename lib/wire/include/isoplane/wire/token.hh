// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Tokens: the payload by which neighbours advance logical time together.
///
/// A token ends a pulse of its sender. What else hosts have to tell each other in logical time rides in it as
/// entries:
/// - from one host to another a count: how many isotach messages it has sent there in all. Counts are
///   cumulative, so one that arrives again says nothing new, and a later one contains an earlier one;
/// - from one host to all a group word: what it does in the group (signals and barriers). It counts once per
///   token number: in a token that arrives again it says nothing new, in the next one it is done once more.
/// A token with more entries than fit a frame comes in parts. Tokens with none that are due together with it
/// need no frame of their own.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <isoplane/wire/byte_order.hh>

namespace isoplane::wire {

inline constexpr std::size_t kTokenSize = 16;
inline constexpr std::size_t kTokenEntrySize = 8;

namespace token_layout {
using Number = Field<std::uint64_t, 0>;
using Wanted = Field<std::uint8_t, 8>;
using Further = Field<std::uint8_t, 9>;
using Part = Field<std::uint16_t, 10>;
using LastPart = Field<std::uint16_t, 12>;
using View = Field<std::uint16_t, 14>;
static_assert(View::kEnd == kTokenSize);
}  // namespace token_layout

namespace token_entry_layout {
using Source = Field<std::uint16_t, 0>;
using Destination = Field<std::uint16_t, 2>;
using Value = Field<std::uint32_t, 4>;
static_assert(Value::kEnd == kTokenEntrySize);
}  // namespace token_entry_layout

/// The destination of an entry for all hosts.
inline constexpr std::uint16_t kEveryHost = 0xffff;

/// What a host does in the group, in the value of an entry for every host; in this order where it does
/// several things on one channel.
inline constexpr unsigned kSignalChannels = 6;
inline constexpr unsigned kBarrierChannels = 2;
constexpr std::uint32_t group_signal(unsigned channel) {
    return 0x0001U << channel;
}
constexpr std::uint32_t group_join(unsigned channel) {
    return 0x0100U << channel;
}  ///< registers a barrier
constexpr std::uint32_t group_enter(unsigned channel) {
    return 0x0400U << channel;
}  ///< takes part in it
constexpr std::uint32_t group_leave(unsigned channel) {
    return 0x1000U << channel;
}  ///< clears it
inline constexpr std::uint32_t kKnownGroupBits = 0x3f3f;

struct TokenEntry {
    std::uint16_t source = 0;
    std::uint16_t destination = 0;
    std::uint32_t value = 0;  ///< a cumulative count that wraps; for kEveryHost a group word

    bool operator==(const TokenEntry&) const = default;
};
static_assert(sizeof(TokenEntry) == kTokenEntrySize);

struct Token {
    std::uint64_t number = 0;
    std::uint8_t wanted = 0;   ///< somebody wants time to go on: for so many hops the next is not to wait
    std::uint8_t further = 0;  ///< so many tokens that follow it are here with it, and have no entries
    std::uint16_t part = 0;
    std::uint16_t last_part = 0;
    std::uint16_t view = 0;  ///< low half of the sender's; 0 where logical time does not survive deaths

    bool operator==(const Token&) const = default;
};

/// Bytes of a token with this many entries.
constexpr std::size_t token_size(std::size_t entries) {
    return kTokenSize + entries * kTokenEntrySize;
}

/// Entries that fit in a payload of this size, which must be at least kTokenSize.
constexpr std::size_t token_capacity(std::size_t payload) {
    return (payload - kTokenSize) / kTokenEntrySize;
}

/// Writes a token at the front of `out`, which has room for token_size(entries.size()) bytes; returns that
/// size.
inline std::size_t encode_token(std::span<std::byte> out, const Token& token,
                                std::span<const TokenEntry> entries) {
    assert(out.size() >= token_size(entries.size()));
    using Word = std::uint64_t;
    std::byte* at = out.data();
    static_assert(token_layout::Number::kOffset == 0 && token_layout::Wanted::kOffset == 8 &&
                  token_layout::Further::kOffset == 9 && token_layout::Part::kOffset == 10 &&
                  token_layout::LastPart::kOffset == 12 && token_layout::View::kOffset == 14);
    Field<Word, 0>::put(at, token.number);
    Field<Word, 8>::put(at, Word{token.wanted} << 56 | Word{token.further} << 48 | Word{token.part} << 32 |
                                Word{token.last_part} << 16 | Word{token.view});
    at += kTokenSize;
    static_assert(token_entry_layout::Source::kOffset == 0 && token_entry_layout::Destination::kOffset == 2 &&
                  token_entry_layout::Value::kOffset == 4);
    for (const TokenEntry& entry : entries) {
        Field<Word, 0>::put(at, Word{entry.source} << 48 | Word{entry.destination} << 32 | entry.value);
        at += kTokenEntrySize;
    }
    return token_size(entries.size());
}

/// A token in a received payload; valid as long as the payload is.
class TokenView {
  public:
    /// Nothing unless the payload is exactly one part of a token: its entries are whole, the part is not
    /// beyond the last, and each entry is from a node below `node_count` to another such node, or to every
    /// host with a group word that has a bit of kKnownGroupBits and no other.
    ///
    /// In line: what a call returns in parts and is read as a whole has to wait until all stores so far have
    /// left the CPU, and in logical time everybody waits for tokens.
    static std::optional<TokenView> parse(std::span<const std::byte> payload, std::uint16_t node_count);

    Token token() const {
        return {.number = token_layout::Number::get(at_),
                .wanted = token_layout::Wanted::get(at_),
                .further = token_layout::Further::get(at_),
                .part = token_layout::Part::get(at_),
                .last_part = token_layout::LastPart::get(at_),
                .view = token_layout::View::get(at_)};
    }
    std::uint16_t view() const { return token_layout::View::get(at_); }
    std::size_t size() const { return size_; }

    /// The entry of this index, which must be below size().
    TokenEntry entry(std::size_t index) const {
        assert(index < size());
        const std::byte* in = at_ + token_size(index);
        return {.source = token_entry_layout::Source::get(in),
                .destination = token_entry_layout::Destination::get(in),
                .value = token_entry_layout::Value::get(in)};
    }

    /// Whether it can be, where nodes are below that number.
    static bool is_entry(const TokenEntry& entry, std::uint16_t node_count) {
        if (entry.source >= node_count) return false;
        if (entry.destination == kEveryHost) return entry.source != kEveryHost && is_group_word(entry.value);
        return entry.destination < node_count && entry.source != entry.destination;
    }

  private:
    TokenView(const std::byte* at, std::size_t size) : at_(at), size_(size) {}

    static bool is_group_word(std::uint32_t value) { return value != 0 && (value & ~kKnownGroupBits) == 0; }

    const std::byte* at_;
    std::size_t size_;  ///< entries
};

inline std::optional<TokenView> TokenView::parse(std::span<const std::byte> payload,
                                                 std::uint16_t node_count) {
    if (payload.size() < kTokenSize || (payload.size() - kTokenSize) % kTokenEntrySize != 0)
        return std::nullopt;
    const std::byte* at = payload.data();
    if (token_layout::Part::get(at) > token_layout::LastPart::get(at)) return std::nullopt;
    const TokenView view(at, (payload.size() - kTokenSize) / kTokenEntrySize);
    for (std::size_t i = 0; i < view.size(); ++i)
        if (!is_entry(view.entry(i), node_count)) return std::nullopt;
    return view;
}

}  // namespace isoplane::wire
