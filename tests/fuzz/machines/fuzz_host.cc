// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// A host and all that it does in logical time, against other nodes that say what they like: they have the
/// job's key, and their frames are whole, but for what is in them. An input is a list of records: frames,
/// with numbers near those that are expected, what the program does, and how much time passes. Nothing may
/// crash, and all packets have to be back in the end.
#include <cstdint>
#include <utility>

#include "heap.hh"
#include "others.hh"

namespace isoplane::fuzz {
namespace {

void play(std::span<const std::byte> input) {
    Bytes in(input);
    const auto kind = in.take<std::uint8_t>();
    const bool in_udp = (kind & 4) != 0;
    Host host((kind & 1) != 0, (kind & 2) != 0, in_udp ? wire::Transport::kUdp : wire::Transport::kEthernet);
    Others others(host);
    bool may_repeat = (kind & 8) != 0;
    while (!in.empty()) {
        const auto what = in.take<std::uint8_t>();
        if (what < 64) {
            host.pass(std::chrono::nanoseconds(1000) * (1U << (what % 16)));
        } else if (what < 96) {
            host.act(in);
        } else if (what >= 254) {
            others.start_again(static_cast<NodeId>(1 + in.take<std::uint8_t>() % (kNodes - 1)));
        } else if (what == 253 && std::exchange(may_repeat, false)) {
            repeat([&] {
                others.speak_again();
                host.pass(1us);
            });
        } else if (what >= 250 && in_udp) {
            others.resolve(in);
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
