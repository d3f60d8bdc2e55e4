// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/checker.hh"

#include <utility>

#include "sim/rules.hh"

namespace isoplane::sim {

const char* to_string(Rule rule) {
    switch (rule) {
        case Rule::kContent:
            return "content";
        case Rule::kLoss:
            return "loss";
        case Rule::kInvariant:
            return "invariant";
        case Rule::kTotalOrder:
            return "total order";
        case Rule::kAtomicity:
            return "atomicity";
        case Rule::kIssueOrder:
            return "issue order";
        case Rule::kCausality:
            return "causality";
        case Rule::kSignal:
            return "signal";
        case Rule::kBarrier:
            return "barrier";
    }
    return "unknown rule";
}

std::vector<Violation> check(const Setting& setting, const History& history) {
    Findings findings;
    const Index index(setting, history, findings);
    const Case c{setting, index, findings};
    check_invariant(c);
    check_atomicity(c);
    check_issue_order(c);
    if (check_total_order(c)) check_causality(c);
    check_signals(c);
    check_barriers(c);
    return std::move(findings).take();
}

}  // namespace isoplane::sim
