// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// A token manager, against hosts and other token managers that say what they like: they have the job's key,
/// and their frames are whole, but for what is in them. An input is a list of records: tokens and views, with
/// numbers near those that are expected, nodes that start again, and how much time passes. Nothing may crash,
/// what the token manager says has to follow from what it was told, and all packets have to be back in the
/// end.
#include <cstdint>
#include <utility>

#include "heap.hh"
#include "neighbours.hh"

namespace isoplane::fuzz {
namespace {

constexpr unsigned kExpected = 224;  ///< a token has many numbers, and one that is wrong spoils it
constexpr std::array<std::uint32_t, 4> kAhead{1, 2, 5, 64};

void play(std::span<const std::byte> input) {
    Bytes in(input, kExpected);
    const auto kind = in.take<std::uint8_t>();
    const bool survives = (kind & 1) != 0;
    const bool in_udp = (kind & 2) != 0;
    Manager manager({.survives = survives,
                     .transport = in_udp ? wire::Transport::kUdp : wire::Transport::kEthernet,
                     .ahead = kAhead[kind / 4 % kAhead.size()]});
    Neighbours others(manager);
    bool may_repeat = (kind & 16) != 0;
    while (!in.empty()) {
        const auto what = in.take<std::uint8_t>();
        if (what < 32) {
            manager.pass(std::chrono::nanoseconds(1000) * (1U << (what % 16)));
        } else if (what < 36) {
            manager.sink.full = !manager.sink.full;
        } else if (what < 40) {
            manager.be_quiet(what % 2 != 0);
        } else if (what < 48) {
            others.start_again(in);
        } else if (what < 50) {
            others.flood(in, [&] { manager.pass(1us); });
            may_repeat = false;  // there is much to remember
        } else if (what < 60 && in_udp) {
            others.resolve(in);
        } else if (what == 60 && std::exchange(may_repeat, false)) {
            repeat([&] {
                others.speak_again();
                manager.pass(1us);
            });
        } else if (what < 64) {
            others.speak(static_cast<wire::Kind>(1 + in.take<std::uint8_t>() % 10), in);
        } else {
            others.speak(survives && what < 160 ? wire::Kind::kView : wire::Kind::kToken, in);
        }
        if (what % 4 == 0) manager.pass(1us);
    }
    for (int i = 0; i < 8; ++i)
        manager.pass(1ms);
}

}  // namespace
}  // namespace isoplane::fuzz

#include "target.hh"
