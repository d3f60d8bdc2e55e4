// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <optional>

#include "sim/precedence.hh"
#include "sim/rules.hh"

namespace isoplane::sim {

namespace {

/// Time goes on with every delivery; notices of one pulse may share their time. Who has left or joined is
/// the last of them.
void check_time_goes_on(const Case& c, std::size_t host) {
    LogicalTime last;
    bool any = false;
    std::optional<Pulse> changed;  // the last pulse with who has left or joined
    const auto see = [&](const LogicalTime& now, bool may_repeat) {
        if (any && (now < last || (now == last && !may_repeat))) {
            c.findings.report(Rule::kTotalOrder, [&] {
                return host_name(host) + " executed something at " + to_string(now) + " after something at " +
                       to_string(last) + ": its logical time did not go on.";
            });
        }
        last = now;
        any = true;
    };
    const auto see_notice = [&](const LogicalTime& now) {
        see(now, true);
        if (changed != now.pulse) return;
        c.findings.report(Rule::kTotalOrder, [&] {
            return host_name(host) + " was told of a signal or a barrier at " + to_string(now) +
                   " after who has left or joined in that pulse.";
        });
    };
    c.index.replay(host, On{[&](const Execution& e) { see(e.delivery->time, false); },
                            [&](const SignalNotice& n) { see_notice(n.time); },
                            [&](const BarrierNotice& n) { see_notice(n.time); },
                            [&](const MembershipNotice& n) {
                                see(n.time, true);
                                changed = n.time.pulse;
                            }});
}

bool is_one_time(const LogicalTime& a, const LogicalTime& b) {
    return a.pulse == b.pulse && a.place == b.place && a.host == b.host;
}

/// All parts of an isochron carry its pulse and its issuer, and ranks in their order.
void check_one_time(const Case& c, const Isochron& isochron) {
    const Delivery* last = nullptr;
    for (std::size_t i = 0; i < isochron.fates.size(); ++i) {
        const Delivery* d = isochron.fates[i].delivery;
        if (d == nullptr) continue;
        if (d->time.host != isochron.issuer) {
            c.findings.report(Rule::kTotalOrder, [&] {
                return "part " + std::to_string(i) + " of " + name(isochron) + " was executed at " +
                       to_string(d->time) + ", which is not a time of its issuer.";
            });
        }
        if (last != nullptr && !(is_one_time(last->time, d->time) && last->time.rank < d->time.rank)) {
            c.findings.report(Rule::kTotalOrder, [&] {
                return name(isochron) + " has no one time: its part " + std::to_string(last->part) +
                       " was executed at " + to_string(last->time) + ", its part " + std::to_string(i) +
                       " at " + to_string(d->time) + ".";
            });
        }
        last = d;
    }
}

}  // namespace

bool check_total_order(const Case& c) {
    for (std::size_t host = 0; host < c.setting.hosts; ++host)
        check_time_goes_on(c, host);
    for (const Isochron& isochron : c.index.isochrons())
        check_one_time(c, isochron);
    // The order itself, whatever times it was given.
    const auto cycle = find_cycle(c.index.isochrons().size(), orders_of_delivery(c.index));
    if (cycle.empty()) return true;
    c.findings.report(Rule::kTotalOrder, [&] {
        return "hosts differ in the order of isochrons: " + describe(c.index, cycle) + ".";
    });
    return false;
}

}  // namespace isoplane::sim
