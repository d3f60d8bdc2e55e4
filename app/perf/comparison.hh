// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>
#include <vector>

#include "options.hh"
#include "results.hh"

namespace isoplane::perf {

/// What there is to say about every run that compares transports.
struct Comparison {
    const PairOptions& options;
    std::vector<std::string> links;  ///< their specs
    std::string kernel;              ///< the sockets' way; empty: they were left out
    Results results{};
    std::vector<Target> targets{};
    std::vector<std::string> failures{};  ///< sentences
};

}  // namespace isoplane::perf
