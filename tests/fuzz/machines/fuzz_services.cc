// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What programs use outside logical time - Portals, active messages and channels - against other nodes that
/// say what they like: they have the job's key, and their frames are whole, but for what is in them. An input
/// is a list of records: frames, with numbers near those that are expected, what the programs do, and how
/// much time passes. Nothing may crash, memory that nobody was given may not be touched, and all packets have
/// to be back in the end.
#include <cstdint>

#include "service_frames.hh"

namespace isoplane::fuzz {
namespace {

constexpr unsigned kExpected = 236;  ///< much has to be right at once before any of this is listened to

void play(std::span<const std::byte> input) {
    Bytes in(input, kExpected);
    const auto kind = in.take<std::uint8_t>();
    const bool small = (kind & 16) != 0;
    const bool in_udp = !small && (kind & 32) != 0;
    const auto transport = in_udp ? wire::Transport::kUdp : wire::Transport::kEthernet;
    Services services(
        {.planes = (kind & 1) != 0 ? 2U : 1U, .chains = (kind & 2) != 0, .transport = transport});
    const auto mtu = static_cast<std::uint16_t>(small ? wire::kMinMtu + (kind >> 5) * 8 : 1500);
    std::deque<ServiceFrames> strangers;
    for (std::size_t plane = 0; plane < services.planes(); ++plane) {
        strangers.emplace_back(services, plane, mtu);
        if ((kind >> plane & 4) == 0) strangers[plane].meet();
    }
    services.pass(1us);
    while (!in.empty()) {
        const auto what = in.take<std::uint8_t>();
        ServiceFrames& others = strangers[what / 4 % strangers.size()];
        if (what < 48) {
            services.pass(std::chrono::nanoseconds(1000) * (1U << (what % 16)));
        } else if (what < 128) {
            services.act(in);
        } else if (what < 232) {
            others.speak(wire::Kind::kData, in);
        } else if (what < 248) {
            others.speak(static_cast<wire::Kind>(1 + what % 7), in);
        } else if (what < 252 && in_udp) {
            others.resolve(in);
        } else {
            others.start_again(in);
        }
        if (what % 4 == 0) services.pass(1us);
    }
    for (int i = 0; i < 8; ++i)
        services.pass(5ms);
}

}  // namespace
}  // namespace isoplane::fuzz

#include "target.hh"
