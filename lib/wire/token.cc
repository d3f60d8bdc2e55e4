// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cassert>

#include <isoplane/wire/token.hh>

namespace isoplane::wire {

std::size_t encode_token(std::span<std::byte> out, const Token& token, std::span<const TokenEntry> entries) {
    assert(entries.size() <= 0xffff && out.size() >= token_size(entries.size()));
    std::byte* at = out.data();
    token_layout::Number::put(at, token.number);
    token_layout::Signals::put(at, token.signals);
    token_layout::Barriers::put(at, token.barriers);
    token_layout::EntryCount::put(at, static_cast<std::uint16_t>(entries.size()));
    token_layout::Reserved::put(at, 0);
    at += kTokenSize;
    for (const TokenEntry& entry : entries) {
        token_entry_layout::Source::put(at, entry.source);
        token_entry_layout::Destination::put(at, entry.destination);
        token_entry_layout::Count::put(at, entry.count);
        at += kTokenEntrySize;
    }
    return token_size(entries.size());
}

std::optional<TokenView> TokenView::parse(std::span<const std::byte> payload, std::uint16_t node_count) {
    if (payload.size() < kTokenSize) return std::nullopt;
    const TokenView view(payload.first<kTokenSize>(), payload.subspan(kTokenSize));
    if (payload.size() != token_size(token_layout::EntryCount::get(payload.data())) ||
        token_layout::Reserved::get(payload.data()) != 0)
        return std::nullopt;
    for (std::size_t i = 0; i < view.size(); ++i) {
        const TokenEntry entry = view.entry(i);
        if (entry.source >= node_count || entry.destination >= node_count ||
            entry.source == entry.destination)
            return std::nullopt;
    }
    return view;
}

Token TokenView::token() const {
    return {.number = token_layout::Number::get(fixed_.data()),
            .signals = token_layout::Signals::get(fixed_.data()),
            .barriers = token_layout::Barriers::get(fixed_.data())};
}

TokenEntry TokenView::entry(std::size_t index) const {
    assert(index < size());
    const std::byte* in = entries_.data() + index * kTokenEntrySize;
    return {.source = token_entry_layout::Source::get(in),
            .destination = token_entry_layout::Destination::get(in),
            .count = token_entry_layout::Count::get(in)};
}

}  // namespace isoplane::wire
