// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/precedence.hh"
#include "sim/rules.hh"

namespace isoplane::sim {

namespace {

/// What a host issues comes after what it was delivered and what it issued before. Of either the last is
/// enough: the others come before that.
void add_issues(const Case& c, std::size_t host, IsochronId next, std::vector<std::uint32_t>& seen_at,
                std::vector<Precedence>& all) {
    const auto here = static_cast<std::uint16_t>(host);
    const bool in_order = !c.findings.has(Rule::kIssueOrder);
    IsochronId delivered = kNoIsochron;
    IsochronId issued = kNoIsochron;
    c.index.replay(host, On{[&](const Execution& e) {
                                if (seen_at[e.isochron] == host) return;
                                seen_at[e.isochron] = static_cast<std::uint32_t>(host);
                                delivered = e.isochron;
                            },
                            [&](const Issue&) {
                                if (delivered != kNoIsochron)
                                    all.push_back({delivered, next, here, Why::kIssuedAfter});
                                if (issued != kNoIsochron && in_order)
                                    all.push_back({issued, next, here, Why::kIssued});
                                issued = next++;
                            }});
}

}  // namespace

void check_causality(const Case& c) {
    std::vector<Precedence> all = orders_of_delivery(c.index);
    std::vector<std::uint32_t> seen_at(c.index.isochrons().size(), kNoIsochron);
    for (std::size_t host = 0; host < c.setting.hosts; ++host)
        add_issues(c, host, c.index.first_of(host), seen_at, all);
    const auto cycle = find_cycle(c.index.isochrons().size(), all);
    if (cycle.empty()) return;
    c.findings.report(Rule::kCausality, [&] {
        return "what caused comes after what it caused: " + describe(c.index, cycle) + ".";
    });
}

}  // namespace isoplane::sim
