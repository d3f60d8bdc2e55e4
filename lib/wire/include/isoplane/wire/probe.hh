// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Probes: numbered test traffic whose every byte the receiver can predict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <isoplane/wire/byte_order.hh>

namespace isoplane::wire {

inline constexpr std::size_t kProbeSize = 24;

namespace probe_layout {
using Stream = Field<std::uint32_t, 0>;
using Reserved = Field<std::uint32_t, 4>;
using Number = Field<std::uint64_t, 8>;
using SentNs = Field<std::uint64_t, 16>;
static_assert(SentNs::kEnd == kProbeSize);
}  // namespace probe_layout

struct Probe {
    std::uint32_t stream = 0;   ///< which of a generator's streams
    std::uint64_t number = 0;   ///< position in the stream; determines the pattern
    std::uint64_t sent_ns = 0;  ///< the sender's clock

    bool operator==(const Probe&) const = default;
};

/// Fills `out`, at least kProbeSize bytes, with a probe and the pattern of its number.
void encode_probe(std::span<std::byte> out, const Probe& probe);

/// Nothing unless the payload has room for a probe and its reserved field is 0. Does not look at the pattern.
std::optional<Probe> decode_probe(std::span<const std::byte> payload);

/// Whether the pattern behind a probe that decode_probe() accepted is that of its number.
bool probe_intact(std::span<const std::byte> payload);

}  // namespace isoplane::wire
