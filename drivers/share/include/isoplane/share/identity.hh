// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <isoplane/wire/ethernet.hh>
#include <isoplane/wire/reject.hh>
#include <optional>
#include <span>
#include <string>

namespace isoplane::share {

/// Who a client of a shared node is on the network: a node of its own, of one job.
struct Identity {
    static constexpr std::uint16_t kNoHosts = UINT16_MAX;

    wire::MacAddress mac{};
    std::uint32_t job_key = 0;
    std::uint16_t node = 0;
    /// Nodes of the job that are hosts: the first ones, the others being token managers. kNoHosts where it
    /// knows of none.
    std::uint16_t hosts = kNoHosts;
    wire::Encapsulation encapsulation{};
    std::uint32_t address = 0;  ///< IPv4, in host order; where frames travel in UDP
};

/// All of a packet that says who sent it and for whom: to the end of the frame's header, in UDP.
inline constexpr std::size_t kHeadSize = 128;

/// Why no client may have such an encapsulation; empty when one may. Behind it stand a job key and a node
/// that the client has chosen: where others read them, they would be ARP, or whatever it likes.
std::string objection(const wire::Encapsulation& encapsulation);

/// The header of the frame that begins with `head`, or nullptr when it is none, or not whole; `apart` more
/// bytes of the packet are elsewhere.
const std::byte* frame_header(std::span<const std::byte> head, std::size_t apart,
                              const wire::Encapsulation& encapsulation);

/// Whether `who` may send a packet that begins with `head`: it comes from its address, and is a frame of its
/// job and in its name, or a token of a token manager, or, where frames travel in UDP, an ARP in its name.
bool may_send(const Identity& who, std::span<const std::byte> head, std::size_t apart);

/// Whether a packet on its way to the address of `who`, or to all, is of a kind and job that concern it.
bool concerns(const Identity& who, std::span<const std::byte> head, std::size_t apart);

}  // namespace isoplane::share
