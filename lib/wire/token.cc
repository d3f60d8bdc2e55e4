// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cassert>

#include <isoplane/wire/token.hh>

namespace isoplane::wire {
namespace {

/// What is written is written in these, so that a CRC which reads it at once need not wait.
using Word = std::uint64_t;

}  // namespace

std::size_t encode_token(std::span<std::byte> out, const Token& token, std::span<const TokenEntry> entries) {
    assert(out.size() >= token_size(entries.size()));
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

}  // namespace isoplane::wire
