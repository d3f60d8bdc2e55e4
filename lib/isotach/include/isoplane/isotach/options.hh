// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>

namespace isoplane::isotach {

/// Defects that tests plant to see that they would be found.
struct Planted {
    bool piecemeal = false;        ///< sends the parts of an isochron that there is credit for
    bool markers_at_once = false;  ///< executes own messages without waiting for their isochron
    bool no_cut = false;           ///< executes all that it has of a host that has left
    bool no_flush = false;         ///< does not wait for what came before a view
    bool no_handover = false;      ///< joins without the state of barriers
    bool no_arrival = false;       ///< does not wait for what it is to know when it joins
};

inline constexpr std::uint32_t kDefaultMaxMessage = 64U << 20;

struct Options {
    unsigned most_outstanding = 1024;  ///< isochrons of this host that have not been executed here
    std::uint32_t max_message = kDefaultMaxMessage;  ///< bytes
    bool with_pages = false;  ///< who joins a running time waits for Endpoint::pages_are_here()
    bool paranoid = false;    ///< checks every message, and has its receivers check those it sends
    Planted planted{};
};

}  // namespace isoplane::isotach
