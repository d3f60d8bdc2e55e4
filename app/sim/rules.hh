// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "sim/checker.hh"
#include "sim/findings.hh"
#include "sim/history.hh"
#include "sim/index.hh"

namespace isoplane::sim {

/// What each rule looks at, and where it reports. Later ones may ask what earlier ones have found.
struct Case {
    const Setting& setting;
    const Index& index;
    Findings& findings;
};

void check_invariant(const Case& c);
/// False when hosts differ in order: what caused what can then not be told.
bool check_total_order(const Case& c);
void check_atomicity(const Case& c);  ///< and loss
void check_issue_order(const Case& c);
void check_causality(const Case& c);  ///< after issue order
void check_signals(const Case& c);
void check_barriers(const Case& c);

/// Several functions as one, for replay(); any event that none of them takes passes by.
template <typename... Takes>
struct On : Takes... {
    using Takes::operator()...;
    void operator()(const auto& /*other*/) const {}
};
template <typename... Takes>
On(Takes...) -> On<Takes...>;  // clang++ before 17 does not see it by itself

}  // namespace isoplane::sim
