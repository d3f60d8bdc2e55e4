// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cassert>
#include <cstring>
#include <type_traits>

#include <isoplane/wire/probe.hh>

namespace isoplane::wire {
namespace {

/// The pattern is a sequence of 64-bit words; multiplying spreads a changed number over the upper half of
/// each.
std::uint64_t pattern_word(std::uint64_t number, std::size_t index) {
    return network_order((number + index + 1) * std::uint64_t{0x9E3779B97F4A7C15});
}

/// Calls `visit(offset, word, bytes)` for each word of a pattern until one says false; the last may be a part
/// of one.
template <typename Visit>
bool visit_pattern(std::uint64_t number, std::size_t size, Visit visit) {
    std::size_t offset = 0;
    for (; offset + 8 <= size; offset += 8)
        if (!visit(offset, pattern_word(number, offset / 8), std::integral_constant<std::size_t, 8>{}))
            return false;
    return offset == size || visit(offset, pattern_word(number, offset / 8), size - offset);
}

}  // namespace

void encode_probe(std::span<std::byte> out, const Probe& probe) {
    assert(out.size() >= kProbeSize);
    probe_layout::Stream::put(out.data(), probe.stream);
    probe_layout::Reserved::put(out.data(), 0);
    probe_layout::Number::put(out.data(), probe.number);
    probe_layout::SentNs::put(out.data(), probe.sent_ns);

    const auto pattern = out.subspan(kProbeSize);
    visit_pattern(probe.number, pattern.size(), [&](std::size_t offset, std::uint64_t word, auto bytes) {
        std::memcpy(pattern.data() + offset, &word, bytes);
        return true;
    });
}

std::optional<Probe> decode_probe(std::span<const std::byte> payload) {
    if (payload.size() < kProbeSize || probe_layout::Reserved::get(payload.data()) != 0) return std::nullopt;
    return Probe{.stream = probe_layout::Stream::get(payload.data()),
                 .number = probe_layout::Number::get(payload.data()),
                 .sent_ns = probe_layout::SentNs::get(payload.data())};
}

bool probe_intact(std::span<const std::byte> payload) {
    assert(payload.size() >= kProbeSize);
    const std::uint64_t number = probe_layout::Number::get(payload.data());
    const auto pattern = payload.subspan(kProbeSize);
    return visit_pattern(number, pattern.size(), [&](std::size_t offset, std::uint64_t word, auto bytes) {
        return std::memcmp(pattern.data() + offset, &word, bytes) == 0;
    });
}

}  // namespace isoplane::wire
