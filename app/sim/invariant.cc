// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>

#include "sim/rules.hh"

namespace isoplane::sim {

namespace {

std::uint32_t distance_of(const Setting& setting, const Isochron& isochron) {
    std::uint32_t greatest = 0;
    for (const Part& part : isochron.issue->parts)
        greatest = std::max(
            greatest, setting.distances[std::size_t{isochron.issuer} * setting.hosts + part.destination]);
    return greatest;
}

void check_stamp(const Case& c, const Isochron& isochron) {
    const std::uint32_t distance = distance_of(c.setting, isochron);
    const Issue& issue = *isochron.issue;
    if (issue.stamp >= issue.sent + distance) return;
    c.findings.report(Rule::kInvariant, [&] {
        return name(isochron) + " was sent at clock " + std::to_string(issue.sent) + " over distance " +
               std::to_string(distance) + ", but stamped with pulse " + std::to_string(issue.stamp) +
               ": nobody may be asked to execute it before pulse " + std::to_string(issue.sent + distance) +
               ".";
    });
}

/// A self-only isochron without a stamp may be executed at any time; issue order says which.
bool is_executed_as_stamped(const Isochron& isochron, const LogicalTime& time) {
    if (time.place == Place::kAfter) return !isochron.net;
    if (time.place != Place::kWithin) return false;
    return time.pulse == isochron.issue->stamp || (!isochron.net && isochron.issue->stamp == 0);
}

}  // namespace

void check_invariant(const Case& c) {
    for (const Isochron& isochron : c.index.isochrons()) {
        if (isochron.net) check_stamp(c, isochron);
    }
    for (std::size_t host = 0; host < c.setting.hosts; ++host) {
        for (const Execution& e : c.index.executions(host)) {
            const Isochron& isochron = c.index[e.isochron];
            const Delivery* const delivery = e.delivery;
            if (is_executed_as_stamped(isochron, delivery->time)) continue;
            c.findings.report(Rule::kInvariant, [&] {
                return host_name(host) + " executed part " + std::to_string(delivery->part) + " of " +
                       name(isochron) + " at " + to_string(delivery->time) + ", but its stamp is pulse " +
                       std::to_string(isochron.issue->stamp) + ".";
            });
        }
    }
}

}  // namespace isoplane::sim
