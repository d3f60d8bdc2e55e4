// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// A host and all that it does in logical time, against other nodes that say what they like: they have the
/// job's key, and their frames are whole, but for what is in them. An input is a list of records: frames,
/// with numbers near those that are expected, what the program does, and how much time passes. Nothing may
/// crash, and all packets have to be back in the end.
#include <cstdint>

#include "others.hh"

namespace isoplane::fuzz {
namespace {

void play(std::span<const std::byte> input) {
    Bytes in(input);
    const auto kind = in.take<std::uint8_t>();
    Host host((kind & 1) != 0, (kind & 2) != 0);
    Others others(host);
    while (!in.empty()) {
        const auto what = in.take<std::uint8_t>();
        if (what < 64) {
            host.pass(std::chrono::nanoseconds(1000) * (1U << (what % 16)));
        } else if (what < 96) {
            host.act(in);
        } else {
            others.speak(static_cast<wire::Kind>(1 + what % 10), in);
        }
        if (what % 4 == 0) host.pass(1us);
    }
    for (int i = 0; i < 8; ++i)
        host.pass(1ms);
}

}  // namespace
}  // namespace isoplane::fuzz

#include "target.hh"
