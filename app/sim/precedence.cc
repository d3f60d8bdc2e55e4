// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/precedence.hh"

#include <algorithm>

namespace isoplane::sim {

namespace {

/// Precedences by the isochron they begin with.
class Successors {
  public:
    Successors(std::size_t isochrons, const std::vector<Precedence>& all)
        : begin_(isochrons + 1), to_(all.size()) {
        for (const Precedence& p : all)
            ++begin_[p.before];
        std::uint32_t sum = 0;
        for (std::uint32_t& begin : begin_)
            begin = sum += begin;
        for (const Precedence& p : all)
            to_[--begin_[p.before]] = p.after;
    }

    std::span<const IsochronId> of(IsochronId id) const {
        return std::span(to_).subspan(begin_[id], begin_[id + 1U] - begin_[id]);
    }

  private:
    std::vector<std::uint32_t> begin_;
    std::vector<IsochronId> to_;
};

/// By isochron: how many still come before it, when all that can be put in order has been.
std::vector<std::uint32_t> unordered(std::size_t isochrons, const std::vector<Precedence>& all) {
    const Successors successors(isochrons, all);
    std::vector<std::uint32_t> before(isochrons);
    for (const Precedence& p : all)
        ++before[p.after];
    std::vector<IsochronId> ready;
    for (std::size_t id = 0; id < isochrons; ++id) {
        if (before[id] == 0) ready.push_back(static_cast<IsochronId>(id));
    }
    while (!ready.empty()) {
        const IsochronId id = ready.back();
        ready.pop_back();
        for (const IsochronId next : successors.of(id)) {
            if (--before[next] == 0) ready.push_back(next);
        }
    }
    return before;
}

/// What one host's deliveries say in several steps, they say in one.
std::vector<Precedence> shortened(std::vector<Precedence> cycle) {
    const auto joins = [](const Precedence& a, const Precedence& b) {
        return a.why == Why::kDelivered && b.why == Why::kDelivered && a.host == b.host;
    };
    std::size_t start = 0;
    while (start + 1 < cycle.size() && joins(start == 0 ? cycle.back() : cycle[start - 1], cycle[start]))
        ++start;
    std::rotate(cycle.begin(), cycle.begin() + static_cast<std::ptrdiff_t>(start), cycle.end());
    std::vector<Precedence> few;
    for (const Precedence& p : cycle) {
        if (!few.empty() && joins(few.back(), p)) {
            few.back().after = p.after;
        } else {
            few.push_back(p);
        }
    }
    return few;
}

std::string describe(const Index& index, const Precedence& p) {
    const char* verb = p.why == Why::kIssued ? " issued " : " was delivered ";
    const char* before = p.why == Why::kIssuedAfter ? " before it issued " : " before ";
    return host_name(p.host) + verb + name(index[p.before]) + before + name(index[p.after]);
}

}  // namespace

std::vector<Precedence> orders_of_delivery(const Index& index) {
    std::vector<Precedence> all;
    std::vector<std::uint32_t> seen_at(index.isochrons().size(),
                                       kNoIsochron);  // the last host that was delivered it
    for (std::size_t host = 0; host < index.hosts(); ++host) {
        std::uint32_t last = kNoIsochron;
        for (const Execution& e : index.executions(host)) {
            if (seen_at[e.isochron] == host) continue;
            seen_at[e.isochron] = static_cast<std::uint32_t>(host);
            if (last != kNoIsochron)
                all.push_back({last, e.isochron, static_cast<std::uint16_t>(host), Why::kDelivered});
            last = e.isochron;
        }
    }
    return all;
}

std::vector<Precedence> find_cycle(std::size_t isochrons, const std::vector<Precedence>& all) {
    const std::vector<std::uint32_t> before = unordered(isochrons, all);
    // Each that is left has another of them before it: going back from one to the next must come round.
    std::vector<const Precedence*> back(isochrons);
    IsochronId at = kNoIsochron;
    for (const Precedence& p : all) {
        if (before[p.before] == 0 || before[p.after] == 0) continue;
        if (back[p.after] == nullptr) back[p.after] = &p;
        at = p.after;
    }
    if (at == kNoIsochron) return {};
    for (std::size_t steps = 0; steps < isochrons; ++steps)
        at = back[at]->before;  // onto the cycle, whatever led to it
    std::vector<Precedence> cycle;
    const IsochronId first = at;
    do {
        cycle.push_back(*back[at]);
        at = back[at]->before;
    } while (at != first);
    std::reverse(cycle.begin(), cycle.end());
    return shortened(std::move(cycle));
}

std::string describe(const Index& index, const std::vector<Precedence>& cycle) {
    constexpr std::size_t kMost = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(cycle.size(), kMost); ++i)
        text += (i == 0 ? "" : "; ") + describe(index, cycle[i]);
    if (cycle.size() > kMost)
        text += "; and " + std::to_string(cycle.size() - kMost) + " more until the first again";
    return text;
}

}  // namespace isoplane::sim
