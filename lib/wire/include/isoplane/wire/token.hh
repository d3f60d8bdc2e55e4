// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Tokens: the payload by which neighbours advance logical time together.
///
/// A token ends a pulse of its sender. It carries signal and barrier bits, and for each pair of hosts that
/// isotach messages went between, how many the source has sent to the destination in all. An entry says the
/// same thing however often it arrives.
#pragma once

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
using Signals = Field<std::uint16_t, 8>;
using Barriers = Field<std::uint16_t, 10>;
using EntryCount = Field<std::uint16_t, 12>;
using Reserved = Field<std::uint16_t, 14>;
static_assert(Reserved::kEnd == kTokenSize);
}  // namespace token_layout

namespace token_entry_layout {
using Source = Field<std::uint16_t, 0>;
using Destination = Field<std::uint16_t, 2>;
using Count = Field<std::uint32_t, 4>;
static_assert(Count::kEnd == kTokenEntrySize);
}  // namespace token_entry_layout

struct TokenEntry {
    std::uint16_t source = 0;
    std::uint16_t destination = 0;
    std::uint32_t count = 0;  ///< cumulative, wraps

    bool operator==(const TokenEntry&) const = default;
};
static_assert(sizeof(TokenEntry) == kTokenEntrySize);

struct Token {
    std::uint64_t number = 0;
    std::uint16_t signals = 0;
    std::uint16_t barriers = 0;

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
std::size_t encode_token(std::span<std::byte> out, const Token& token, std::span<const TokenEntry> entries);

/// A token in a received payload; valid as long as the payload is.
class TokenView {
  public:
    /// Nothing unless the payload is exactly one token: the entry count matches its size, the reserved field
    /// is 0, and each entry is between two different nodes below `node_count`.
    static std::optional<TokenView> parse(std::span<const std::byte> payload, std::uint16_t node_count);

    Token token() const;
    std::size_t size() const { return entries_.size() / kTokenEntrySize; }

    /// The entry of this index, which must be below size().
    TokenEntry entry(std::size_t index) const;

  private:
    TokenView(std::span<const std::byte, kTokenSize> fixed, std::span<const std::byte> entries)
        : fixed_(fixed), entries_(entries) {}

    std::span<const std::byte, kTokenSize> fixed_;
    std::span<const std::byte> entries_;
};

}  // namespace isoplane::wire
