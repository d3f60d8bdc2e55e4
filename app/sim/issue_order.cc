// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <limits>
#include <vector>

#include "sim/rules.hh"

namespace isoplane::sim {

namespace {

/// At one host, by the first part of each isochron; the others are a matter of atomicity.
void check_arrivals(const Case& c, std::size_t host, std::vector<std::uint32_t>& seen_at) {
    std::vector<const Execution*> last(c.setting.hosts);  // by issuer
    for (const Execution& e : c.index.executions(host)) {
        if (seen_at[e.isochron] == host) continue;
        seen_at[e.isochron] = static_cast<std::uint32_t>(host);
        const Isochron& isochron = c.index[e.isochron];
        const Execution*& before = last[isochron.issuer];
        if (before != nullptr && before->isochron > e.isochron) {
            c.findings.report(Rule::kIssueOrder, [&] {
                return host_name(host) + " was delivered " + name(isochron) + " at " +
                       to_string(e.delivery->time) + " after isochron " +
                       std::to_string(before->delivery->isochron) + " of that host, which was issued later.";
            });
        }
        before = &e;
    }
}

/// Across hosts, by the times: a self-only isochron that overtakes one for other hosts meets it nowhere.
void check_times(const Case& c) {
    const Isochron* last = nullptr;  // before this one, of the same issuer, that was delivered anywhere
    LogicalTime latest;              // of its parts
    for (const Isochron& isochron : c.index.isochrons()) {
        if (isochron.first == nullptr) continue;
        if (last != nullptr && last->issuer == isochron.issuer && isochron.first->time <= latest) {
            c.findings.report(Rule::kIssueOrder, [&] {
                return name(isochron) + " was executed at " + to_string(isochron.first->time) +
                       ", but isochron " + std::to_string(last->issue->number) +
                       ", which that host had issued before, not until " + to_string(latest) + ".";
            });
        }
        last = &isochron;
        latest = isochron.first->time;
        for (const PartFate& fate : isochron.fates) {
            if (fate.delivery != nullptr) latest = std::max(latest, fate.delivery->time);
        }
    }
}

}  // namespace

void check_issue_order(const Case& c) {
    std::vector<std::uint32_t> seen_at(c.index.isochrons().size(), std::numeric_limits<std::uint32_t>::max());
    for (std::size_t host = 0; host < c.setting.hosts; ++host)
        check_arrivals(c, host, seen_at);
    check_times(c);
}

}  // namespace isoplane::sim
