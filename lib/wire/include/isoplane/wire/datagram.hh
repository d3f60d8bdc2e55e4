// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <isoplane/wire/ethernet.hh>

namespace isoplane::wire {

/// The IPv4 and UDP headers of the frames from one node to another: the same for each of them, but for the
/// lengths that they tell. Ethernet's header, in front of them, is not looked at but for its EtherType.
class Datagram {
  public:
    /// From nowhere to nowhere.
    Datagram() = default;
    explicit Datagram(const UdpPath& path);

    /// Writes them for a frame of `frame_size` bytes, its header included, at the beginning of a packet.
    void write(std::byte* packet, std::size_t frame_size) const noexcept;

    /// Whether a packet of `size` bytes is from the same address to the same port, and whole.
    bool surrounds(const std::byte* packet, std::size_t size) const noexcept;

  private:
    std::array<std::byte, kIpv4Size + kUdpSize> bytes_{};  ///< lengths and checksum are 0
    std::uint16_t ip_sum_ = 0;                             ///< of the IPv4 header as it stands there
};

}  // namespace isoplane::wire
