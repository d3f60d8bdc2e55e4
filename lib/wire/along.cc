// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/wire/along.hh>

namespace isoplane::wire {

std::optional<AlongReader::Along> AlongReader::read(std::span<const std::byte> message,
                                                    const std::optional<IsotachHeader>& before,
                                                    std::uint16_t destination) {
    if (message.size() == kShortTokenSize) {
        if (!origin_) return std::nullopt;
        const Token token = decode_short_token(message.first<kShortTokenSize>(), number_, view_);
        TokenEntry count;
        if (before) count = {.source = before->host, .destination = destination, .value = before->count};
        const std::size_t size = encode_token(whole_, token, std::span(&count, before ? 1 : 0));
        return Along{*origin_, std::span(whole_).first(size)};
    }
    if (message.size() < kTokenOriginSize + kTokenSize) return std::nullopt;
    const Along along{decode_token_origin(message.first<kTokenOriginSize>()),
                      message.subspan(kTokenOriginSize)};
    origin_ = along.origin;
    number_ = token_layout::Number::get(along.token.data());
    view_ = token_layout::View::get(along.token.data());
    return along;
}

}  // namespace isoplane::wire
