// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Control messages: what nodes tell each other about the job itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <isoplane/wire/byte_order.hh>

namespace isoplane::wire {

inline constexpr std::size_t kBarrierSize = 8;

enum class ControlType : std::uint8_t { kBarrier = 1 };

namespace barrier_layout {
using Type = Field<std::uint8_t, 0>;
using Reserved8 = Field<std::uint8_t, 1>;
using Reserved16 = Field<std::uint16_t, 2>;
using Number = Field<std::uint32_t, 4>;
static_assert(Number::kEnd == kBarrierSize);
}  // namespace barrier_layout

/// Writes "I am at barrier `number`".
inline void encode_barrier(std::span<std::byte, kBarrierSize> out, std::uint32_t number) {
    barrier_layout::Type::put(out.data(), static_cast<std::uint8_t>(ControlType::kBarrier));
    barrier_layout::Reserved8::put(out.data(), 0);
    barrier_layout::Reserved16::put(out.data(), 0);
    barrier_layout::Number::put(out.data(), number);
}

/// The number, or nothing when the message is something else.
inline std::optional<std::uint32_t> decode_barrier(std::span<const std::byte> body) {
    const std::byte* at = body.data();
    if (body.size() != kBarrierSize) return std::nullopt;
    if (barrier_layout::Type::get(at) != static_cast<std::uint8_t>(ControlType::kBarrier) ||
        barrier_layout::Reserved8::get(at) != 0 || barrier_layout::Reserved16::get(at) != 0)
        return std::nullopt;
    return barrier_layout::Number::get(at);
}

}  // namespace isoplane::wire
