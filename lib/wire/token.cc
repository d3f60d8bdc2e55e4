// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cassert>

#include <isoplane/wire/token.hh>

namespace isoplane::wire {
namespace {

bool is_group_word(std::uint32_t value) {
    return value != 0 && (value & ~kKnownGroupBits) == 0;
}

bool is_entry(const TokenEntry& entry, std::uint16_t node_count) {
    if (entry.source >= node_count) return false;
    if (entry.destination == kEveryHost) return entry.source != kEveryHost && is_group_word(entry.value);
    return entry.destination < node_count && entry.source != entry.destination;
}

}  // namespace

void encode_token_origin(std::span<std::byte, kTokenOriginSize> out, const TokenOrigin& origin) {
    token_origin_layout::Epoch::put(out.data(), origin.epoch);
    token_origin_layout::From::put(out.data(), origin.from);
    token_origin_layout::To::put(out.data(), origin.to);
}

TokenOrigin decode_token_origin(std::span<const std::byte, kTokenOriginSize> in) {
    return {.epoch = token_origin_layout::Epoch::get(in.data()),
            .from = token_origin_layout::From::get(in.data()),
            .to = token_origin_layout::To::get(in.data())};
}

std::size_t encode_token(std::span<std::byte> out, const Token& token, std::span<const TokenEntry> entries) {
    assert(entries.size() <= 0xffff && out.size() >= token_size(entries.size()));
    std::byte* at = out.data();
    token_layout::Number::put(at, token.number);
    token_layout::Wanted::put(at, token.wanted);
    token_layout::Further::put(at, token.further);
    token_layout::Part::put(at, token.part);
    token_layout::LastPart::put(at, token.last_part);
    token_layout::EntryCount::put(at, static_cast<std::uint16_t>(entries.size()));
    token_layout::Reserved::put(at, 0);
    at += kTokenSize;
    for (const TokenEntry& entry : entries) {
        token_entry_layout::Source::put(at, entry.source);
        token_entry_layout::Destination::put(at, entry.destination);
        token_entry_layout::Value::put(at, entry.value);
        at += kTokenEntrySize;
    }
    return token_size(entries.size());
}

std::optional<TokenView> TokenView::parse(std::span<const std::byte> payload, std::uint16_t node_count) {
    if (payload.size() < kTokenSize) return std::nullopt;
    const TokenView view(payload.first<kTokenSize>(), payload.subspan(kTokenSize));
    const std::byte* fixed = payload.data();
    if (payload.size() != token_size(token_layout::EntryCount::get(fixed)) ||
        token_layout::Part::get(fixed) > token_layout::LastPart::get(fixed) ||
        token_layout::Reserved::get(fixed) != 0)
        return std::nullopt;
    for (std::size_t i = 0; i < view.size(); ++i)
        if (!is_entry(view.entry(i), node_count)) return std::nullopt;
    return view;
}

Token TokenView::token() const {
    return {.number = token_layout::Number::get(fixed_.data()),
            .wanted = token_layout::Wanted::get(fixed_.data()),
            .further = token_layout::Further::get(fixed_.data()),
            .part = token_layout::Part::get(fixed_.data()),
            .last_part = token_layout::LastPart::get(fixed_.data())};
}

TokenEntry TokenView::entry(std::size_t index) const {
    assert(index < size());
    const std::byte* in = entries_.data() + index * kTokenEntrySize;
    return {.source = token_entry_layout::Source::get(in),
            .destination = token_entry_layout::Destination::get(in),
            .value = token_entry_layout::Value::get(in)};
}

}  // namespace isoplane::wire
