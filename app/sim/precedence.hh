// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sim/index.hh"

namespace isoplane::sim {

constexpr IsochronId kNoIsochron = std::numeric_limits<IsochronId>::max();

/// Why one isochron comes before another.
enum class Why : std::uint8_t {
    kDelivered,    ///< the host was delivered them in this order
    kIssuedAfter,  ///< the host was delivered the one before it issued the other
    kIssued,       ///< the host issued them in this order
};

struct Precedence {
    IsochronId before = 0;
    IsochronId after = 0;
    std::uint16_t host = 0;
    Why why = Why::kDelivered;
};

/// The order in which each host was first delivered each isochron: neighbours only, the rest follows.
std::vector<Precedence> orders_of_delivery(const Index& index);

/// A chain of precedences that ends where it begins, which no order of the isochrons can satisfy; empty when
/// there is none. Takes time in proportion to both arguments.
std::vector<Precedence> find_cycle(std::size_t isochrons, const std::vector<Precedence>& all);

/// "host 0 was delivered isochron 1 of host 3 before isochron 2 of host 4; …": what the cycle consists of.
std::string describe(const Index& index, const std::vector<Precedence>& cycle);

}  // namespace isoplane::sim
