// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/index.hh"
#include "sim/rules.hh"

namespace isoplane::sim {

/// Who sent a signal or entered a barrier, and how many isochrons it had issued by then.
struct Sender {
    std::uint16_t host = 0;
    std::uint32_t issued = 0;
};

/// At one host: what may not be delivered any more, as it was issued before something the host has noticed.
class Fence {
  public:
    explicit Fence(std::size_t hosts) : issued_(hosts) {}

    void raise(const Sender& sender) { issued_[sender.host] = std::max(issued_[sender.host], sender.issued); }
    bool is_behind(const Isochron& isochron) const {
        return isochron.issue->number < issued_[isochron.issuer];
    }

  private:
    std::vector<std::uint32_t> issued_;  ///< by host: isochrons below this number
};

/// Goes through what a host saw. `raise` is called with each notice of type Notice, the others pass by; what
/// comes after one that it must come before breaks the rule, as does what does not come at all.
template <typename Notice, typename Raise>
void check_fence(const Case& c, std::size_t host, Rule rule, const char* what, Raise&& raise) {
    Fence fence(c.setting.hosts);
    const auto begin = [&](const Isochron& isochron) {
        return host_name(host) + " noticed " + what + " before it was delivered " + name(isochron) +
               ", which had been issued before";
    };
    c.index.replay(host, On{[&](const Execution& e) {
                                if (!fence.is_behind(c.index[e.isochron])) return;
                                c.findings.report(rule, [&] {
                                    return begin(c.index[e.isochron]) + ": that came at " +
                                           to_string(e.delivery->time) + ".";
                                });
                            },
                            [&](const Notice& notice) { raise(notice, fence); }});
    if (c.setting.quiet) return;  // what is missing is lost, whatever was noticed
    for (const IsochronId id : c.index.missing(host)) {
        const Isochron& isochron = c.index[id];
        const bool is_broken = isochron.first != nullptr && c.index.passed(host, isochron.first->time);
        if (is_broken || !fence.is_behind(isochron)) continue;  // a broken one is a matter of atomicity
        c.findings.report(rule, [&] { return begin(isochron) + ": it never came."; });
    }
}

}  // namespace isoplane::sim
