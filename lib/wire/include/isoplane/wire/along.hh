// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Tokens that go along with messages in a data frame: as a whole, behind what the header of their own frame
/// would say, or in short, as nearly all do. From and to whom one in short is, in which life and view, is
/// what the last whole one said that went along in the same stream, fewer than kWholeEvery numbers before.
/// It stands right behind an isotach message, and announces that one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <isoplane/wire/byte_order.hh>
#include <isoplane/wire/isotach.hh>
#include <isoplane/wire/message.hh>
#include <isoplane/wire/token.hh>

namespace isoplane::wire {

inline constexpr std::size_t kTokenOriginSize = 8;

namespace token_origin_layout {
using Epoch = Field<std::uint32_t, 0>;
using From = Field<std::uint16_t, 4>;
using To = Field<std::uint16_t, 6>;
static_assert(To::kEnd == kTokenOriginSize);
}  // namespace token_origin_layout

inline constexpr std::uint64_t kWholeEvery = 64;

namespace short_token_layout {
using Number = Field<std::uint16_t, 0>;  ///< its end
using Wanted = Field<std::uint8_t, 2>;
using Further = Field<std::uint8_t, 3>;
static_assert(Further::kEnd == kShortTokenSize);
}  // namespace short_token_layout

struct TokenOrigin {
    std::uint32_t epoch = 0;  ///< of the sender's tokens
    std::uint16_t from = 0;
    std::uint16_t to = 0;

    bool operator==(const TokenOrigin&) const = default;
};

constexpr std::uint64_t word_of(const TokenOrigin& origin) {
    static_assert(token_origin_layout::Epoch::kOffset == 0 && token_origin_layout::From::kOffset == 4 &&
                  token_origin_layout::To::kOffset == 6);
    using Word = std::uint64_t;
    return Word{origin.epoch} << 32 | Word{origin.from} << 16 | origin.to;
}
/// In one word, as all that is written is written in words, so that a CRC which reads it at once need not
/// wait.
inline void encode_token_origin(std::span<std::byte, kTokenOriginSize> out, const TokenOrigin& origin) {
    Field<std::uint64_t, 0>::put(out.data(), word_of(origin));
}
inline TokenOrigin decode_token_origin(std::span<const std::byte, kTokenOriginSize> in) {
    return {.epoch = token_origin_layout::Epoch::get(in.data()),
            .from = token_origin_layout::From::get(in.data()),
            .to = token_origin_layout::To::get(in.data())};
}

inline void encode_short_token(std::byte* out, const Token& token) {
    static_assert(short_token_layout::Number::kOffset == 0 && short_token_layout::Wanted::kOffset == 2 &&
                  short_token_layout::Further::kOffset == 3);
    Field<std::uint32_t, 0>::put(out, static_cast<std::uint32_t>(token.number) << 16 |
                                          std::uint32_t{token.wanted} << 8 | token.further);
}
/// That of a view whose number is next to `known`, of all that end so.
inline Token decode_short_token(std::span<const std::byte, kShortTokenSize> in, std::uint64_t known,
                                std::uint16_t view) {
    const auto ahead = static_cast<std::int16_t>(short_token_layout::Number::get(in.data()) - known);
    return {.number = known + static_cast<std::uint64_t>(std::int64_t{ahead}),
            .wanted = short_token_layout::Wanted::get(in.data()),
            .further = short_token_layout::Further::get(in.data()),
            .view = view};
}

/// A token behind its origin, as nearly all are there: in one part, with an entry or none. It is read in as
/// few words.
class PlainToken {
  public:
    /// Whether it is one, as far as its form goes: entry() is to be looked at.
    static bool is(std::span<const std::byte> message) {
        const bool fits = message.size() == kSize || message.size() == kSize + kTokenEntrySize;
        return fits && (rest(message.data()) & kParts) == 0;
    }

    explicit PlainToken(std::span<const std::byte> message)
        : at_(message.data()), has_entry_(message.size() != kSize) {}

    std::uint64_t origin() const { return Field<std::uint64_t, 0>::get(at_); }  ///< word_of() it
    std::uint16_t from() const { return token_origin_layout::From::get(at_); }
    std::uint64_t number() const { return Field<std::uint64_t, kTokenOriginSize>::get(at_); }
    std::uint8_t wanted() const { return static_cast<std::uint8_t>(rest(at_) >> 56); }
    std::uint8_t further() const { return static_cast<std::uint8_t>(rest(at_) >> 48); }
    std::uint16_t view() const { return static_cast<std::uint16_t>(rest(at_)); }
    bool has_entry() const { return has_entry_; }
    TokenEntry entry() const {
        const std::byte* const in = at_ + kSize;
        return {.source = token_entry_layout::Source::get(in),
                .destination = token_entry_layout::Destination::get(in),
                .value = token_entry_layout::Value::get(in)};
    }

  private:
    static constexpr std::size_t kSize = kTokenOriginSize + kTokenSize;
    static constexpr std::uint64_t kParts = 0xffff'ffff'0000;

    /// All behind the number.
    static std::uint64_t rest(const std::byte* at) {
        return Field<std::uint64_t, kTokenOriginSize + token_layout::Wanted::kOffset>::get(at);
    }

    const std::byte* at_;
    bool has_entry_;
};

/// Reads the tokens that go along in a stream, one after the other.
class AlongReader {
  public:
    struct Along {
        TokenOrigin origin;
        std::span<const std::byte> token;  ///< as in a frame of its own; until the next is read
    };

    /// `before` is the isotach message right before it; without one a token in short announces nothing.
    /// Nothing where that is no token, or a short one before which no whole one was read.
    std::optional<Along> read(std::span<const std::byte> message,
                              const std::optional<IsotachHeader>& before = {}, std::uint16_t destination = 0);

  private:
    std::optional<TokenOrigin> origin_;
    std::uint64_t number_ = 0;  ///< of the last whole one, as is the view
    std::uint16_t view_ = 0;
    std::array<std::byte, token_size(1)> whole_;
};

}  // namespace isoplane::wire
