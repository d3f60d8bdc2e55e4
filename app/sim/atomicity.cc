// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>

#include "sim/rules.hh"

namespace isoplane::sim {

namespace {

using Run = std::span<const Execution>;  ///< deliveries of one isochron at one host, one after the other

/// The deliveries of one isochron that `rest` begins with.
Run first_run(Run rest) {
    const auto end =
        std::ranges::find_if(rest, [&](const Execution& e) { return e.isochron != rest.front().isochron; });
    return rest.first(static_cast<std::size_t>(end - rest.begin()));
}

std::size_t delivered_at(const Isochron& isochron, std::size_t host) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < isochron.fates.size(); ++i)
        n += isochron.issue->parts[i].destination == host && isochron.fates[i].delivery != nullptr;
    return n;
}

bool is_prefix(const Isochron& isochron, Run run) {
    return std::ranges::all_of(
        run, [&](const Execution& e) { return isochron.fates[e.delivery->part].nth < run.size(); });
}

/// `last`: nothing comes after the run, so a run that was cut short may have cut it short.
void check_run(const Case& c, std::size_t host, Run run, bool last) {
    const Isochron& isochron = c.index[run.front().isochron];
    const Delivery& first = *run.front().delivery;
    const std::size_t expected = isochron.fates[first.part].among;
    if (run.size() == expected) return;
    const std::size_t all = delivered_at(isochron, host);
    if (last && !c.setting.quiet && all == run.size() && is_prefix(isochron, run)) return;
    c.findings.report(Rule::kAtomicity, [&] {
        const std::string many = std::to_string(run.size()) + " of the " + std::to_string(expected) +
                                 " parts that " + name(isochron) + " has for it, from " +
                                 to_string(first.time) + " on";
        if (all == run.size()) return host_name(host) + " was delivered only " + many + ".";
        return host_name(host) + " was delivered " + many +
               ", apart from the others: another isochron is between.";
    });
}

void check_runs(const Case& c, std::size_t host) {
    for (Run rest = c.index.executions(host); !rest.empty();) {
        const Run run = first_run(rest);
        rest = rest.subspan(run.size());
        check_run(c, host, run, rest.empty());
    }
}

/// What no part of which came to this host. check_run() sees to those of which some did.
void check_all_or_none(const Case& c, std::size_t host) {
    for (const IsochronId id : c.index.missing(host)) {
        const Isochron& isochron = c.index[id];
        if (isochron.first == nullptr) {
            if (!c.setting.quiet) continue;
            c.findings.report(Rule::kLoss, [&] {
                return name(isochron) + ", sent at clock " + std::to_string(isochron.issue->sent) +
                       " and stamped with pulse " + std::to_string(isochron.issue->stamp) +
                       ", was not delivered anywhere, not even at " + host_name(host) + ".";
            });
            continue;
        }
        if (!c.setting.quiet && !c.index.passed(host, isochron.first->time)) continue;
        if (c.findings.has(Rule::kAtomicity) || delivered_at(isochron, host) != 0) continue;
        c.findings.report(Rule::kAtomicity, [&] {
            return name(isochron) + " was executed at " + to_string(isochron.first->time) + " by " +
                   host_name(isochron.issue->parts[isochron.first->part].destination) + ", but not by " +
                   host_name(host) + ", for which it has parts, too.";
        });
    }
}

}  // namespace

void check_atomicity(const Case& c) {
    for (std::size_t host = 0; host < c.setting.hosts; ++host) {
        check_runs(c, host);
        check_all_or_none(c, host);
    }
}

}  // namespace isoplane::sim
