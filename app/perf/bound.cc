// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "bound.hh"

#include "../report/table.hh"

namespace isoplane::perf {

namespace {

/// Who waits less than this of its time is what all wait for.
constexpr double kHardly = 0.1;
/// More than this is most.
constexpr double kMostly = 0.5;
/// A rate this near to what the link can carry is the link's.
constexpr double kNear = 0.9;

std::string percent(double part) {
    return report::fixed(100 * part, 0) + " %";
}

}  // namespace

report::Bound bound_of(const Flow& flow, std::optional<double> of_limit) {
    const std::string seen = "the sender waited for room " + percent(flow.full) +
                             " of its time, and the receiver for messages " + percent(flow.empty);
    const auto bound = [](std::string resource, std::string reason) {
        return report::Bound{.resource = std::move(resource), .reason = std::move(reason)};
    };
    if (flow.windowed > kMostly)
        return bound("window",
                     "the sender waited " + percent(flow.windowed) + " of its time with the window full");
    const bool sends = flow.full + flow.windowed <= kHardly;
    const bool receives = flow.empty <= kHardly;
    if (sends) return bound(receives ? "both CPUs" : "sender's CPU", seen);
    if (receives) return bound("receiver's CPU", seen);
    if (of_limit && *of_limit >= kNear)
        return bound("link", "it has " + report::fixed(*of_limit, 2) + " of what the link carries");
    return bound("unknown", seen);
}

std::vector<report::Bound> bounds_of(const Results& results, const std::string& limit) {
    std::vector<report::Bound> all;
    for (const std::string& by : results.transports()) {
        for (const std::size_t size : results.sizes()) {
            if (!(results.rate(by, size) > 0)) continue;
            // Sockets do not use the link, and the limit is not its own.
            const bool uses_link = by != limit && role_of(by) != report::Role::kOther;
            report::Bound bound = bound_of(results.flow(by, size),
                                           uses_link ? results.rate_ratio(by, limit, size) : std::nullopt);
            bound.by = by;
            bound.at = static_cast<double>(size);
            all.push_back(std::move(bound));
        }
    }
    return all;
}

}  // namespace isoplane::perf
