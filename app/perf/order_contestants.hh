// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Who takes turns when it is measured what ordering costs.
#pragma once

#include <memory>
#include <string>

#include "contestants.hh"
#include "isotach_end.hh"
#include "middle.hh"

namespace isoplane::perf {

inline const std::string kNoniso = "noniso";
inline const std::string kDetour = "detour";

/// Two hosts in logical time.
struct Ordered {
    std::string name;
    std::unique_ptr<Contestant> contestant;
    const IsotachEnd* host = nullptr;  ///< owned by the contestant
};

/// The two hosts of the comparison and what is between them: a wire, or two with a fabric.
struct Ground {
    Side& a;
    Side& b;
    Middle* middle = nullptr;

    Side& side(unsigned host) const { return host == 0 ? a : b; }
};

std::unique_ptr<Contestant> make_raw_contest(Workers& workers, const Ground& ground);
/// Messages outside logical time.
std::unique_ptr<Contestant> make_unordered(Workers& workers, const Ground& ground);
/// The same by way of the place of the token manager, which no token is faster than; where there is a middle.
std::unique_ptr<Contestant> make_detour(Workers& workers, const Ground& ground);
Ordered make_ordered(Workers& workers, const Ground& ground, std::size_t ahead);

}  // namespace isoplane::perf
