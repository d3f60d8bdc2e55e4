// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Ordered messages behind each other in a frame. The first has an extension; one that is of the same host
/// and pulse as the one in front of it need not repeat what it knows from there: it has none, and its header
/// says in place of the size by how much its place in logical time is further on.
#pragma once

#include <cstdint>
#include <span>

#include <isoplane/wire/isotach.hh>
#include <isoplane/wire/message.hh>

namespace isoplane::wire {

/// From one message to the next: what that is to do, and how many isochrons and ranks it is further on. That
/// the count is one more, and there are no flags, is understood.
namespace run_step {

inline constexpr std::uint32_t kMostIsochrons = UINT8_MAX;
inline constexpr std::uint32_t kMostRanks = UINT16_MAX;

constexpr std::uint32_t of(Operation operation, std::uint32_t isochrons, std::uint32_t ranks) {
    return std::uint32_t{static_cast<std::uint8_t>(operation)} << 24 | isochrons << 16 | ranks;
}
constexpr Operation operation(std::uint32_t step) {
    return static_cast<Operation>(step >> 24);
}
constexpr std::uint32_t isochrons(std::uint32_t step) {
    return step >> 16 & kMostIsochrons;
}
constexpr std::uint32_t ranks(std::uint32_t step) {
    return step & kMostRanks;
}

}  // namespace run_step

/// The place of the message that is so much further on.
constexpr IsotachHeader step_from(const IsotachHeader& before, std::uint32_t step) {
    return {.pulse = before.pulse,
            .host = before.host,
            .operation = run_step::operation(step),
            .rank = before.rank + run_step::ranks(step),
            .isochron = before.isochron + run_step::isochrons(step),
            .count = before.count + 1};
}

/// Messages of a run that stand behind each other, as far as that: how many, and where they end.
struct RunEnd {
    const std::byte* at;
    std::uint32_t messages;
};
inline RunEnd follow_run(const std::byte* at, const std::byte* end) {
    std::uint32_t messages = 0;
    Stride stride;
    for (; at != end && message_layout::Fragment::get(at) == kInRun; at = stride.next(at))
        ++messages;
    return {at, messages};
}

struct OrderedMessage {
    IsotachHeader header;
    std::span<const std::byte> data;
};

/// Reads the ordered messages of a payload, one after the other.
class OrderedReader {
  public:
    /// To be called with each of them, as a MessageCursor gives it.
    OrderedMessage read(const Message& message) {
        if (message.header.fragment == kInRun) {
            last_ = step_from(last_, message.header.size_or_offset);
            return {last_, message.body};
        }
        last_ = decode_isotach(message.body.first<kIsotachSize>());
        return {last_, message.body.subspan(kIsotachSize)};
    }

  private:
    IsotachHeader last_{};
};

}  // namespace isoplane::wire
