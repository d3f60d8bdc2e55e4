// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// How a host that joins a running time gets its copies of pages of shared memory: messages of
/// Protocol::kShmem, which begin with a ticket that no answer has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <isoplane/wire/byte_order.hh>

namespace isoplane::wire {

inline constexpr std::uint32_t kPageTicket = UINT32_MAX;

enum class PageStep : std::uint8_t {
    kAsk = 1,  ///< for that page, as it is at the end of `pulse`
    kWords,    ///< some of its words, from `offset` on
    kOpen,     ///< some of the numbers that say what of it waits for a value
    kWhole,    ///< that was all of it
    kNone,     ///< who is asked has no copy of it, nor will have but from who asks
};

namespace page_layout {
using Ticket = Field<std::uint32_t, 0>;
using Step = Field<std::uint8_t, 4>;
using Reserved = Field<std::uint8_t, 5>;
using Words = Field<std::uint16_t, 6>;
using Pulse = Field<std::uint64_t, 8>;
using Page = Field<std::uint32_t, 16>;
using Offset = Field<std::uint32_t, 20>;
inline constexpr std::size_t kSize = Offset::kEnd;
}  // namespace page_layout

struct PageMessage {
    PageStep step = PageStep::kAsk;
    std::uint16_t words = 0;  ///< that follow
    std::uint64_t pulse = 0;
    std::uint32_t page = 0;
    std::uint32_t offset = 0;
};

constexpr std::size_t page_message_size(std::size_t words) {
    return page_layout::kSize + 4 * words;
}

inline bool is_page_message(std::span<const std::byte> in) {
    return in.size() >= page_layout::kSize && page_layout::Ticket::get(in.data()) == kPageTicket;
}

/// Writes the head; the words are to follow it.
inline void encode_page_message(std::span<std::byte> out, const PageMessage& message) {
    page_layout::Ticket::put(out.data(), kPageTicket);
    page_layout::Step::put(out.data(), static_cast<std::uint8_t>(message.step));
    page_layout::Reserved::put(out.data(), 0);
    page_layout::Words::put(out.data(), message.words);
    page_layout::Pulse::put(out.data(), message.pulse);
    page_layout::Page::put(out.data(), message.page);
    page_layout::Offset::put(out.data(), message.offset);
}

/// Nothing when it is malformed.
inline std::optional<PageMessage> decode_page_message(std::span<const std::byte> in) {
    if (!is_page_message(in)) return {};
    const auto step = static_cast<PageStep>(page_layout::Step::get(in.data()));
    const PageMessage message{step, page_layout::Words::get(in.data()), page_layout::Pulse::get(in.data()),
                              page_layout::Page::get(in.data()), page_layout::Offset::get(in.data())};
    const bool known = step >= PageStep::kAsk && step <= PageStep::kNone;
    if (!known || in.size() != page_message_size(message.words)) return {};
    return message;
}

}  // namespace isoplane::wire
