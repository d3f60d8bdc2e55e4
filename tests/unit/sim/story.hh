// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/checker.hh"

namespace isoplane::sim {

/// A short run of three hosts at distance 2 that is as it should be, for tests to spoil.
///
/// Pulse 3: isochron 0 of host 0 has two parts for host 0 and for host 1, and one for host 2; isochron 0 of
///   host 1 has parts for hosts 0 and 2.
/// Pulse 6: isochron 0 of host 2, issued after both, for hosts 0 and 1; before it isochron 1 of host 0, for
/// host 1,
///   and its self-only isochron 2, which waited for that; then signal 1 of host 0, at all hosts.
///   After it a self-only isochron of host 1 that had nothing to wait for, its number 1.
/// Pulse 9: isochron 3 of host 0, for hosts 1 and 2, issued before it entered a strong barrier; isochrons 2
/// and 3
///   of host 1, for host 2, issued after it had entered; then that barrier.
/// Pulse 12: a weak barrier.
struct Story {
    Setting setting{3, {0, 2, 2, 2, 0, 2, 2, 2, 0}, 2, true, {}};
    History history{3};

    static std::uint64_t content(std::uint16_t issuer, std::uint32_t number, std::uint32_t part) {
        return issuer * 10000ULL + number * 100ULL + part;
    }

    Story() {
        for (std::uint16_t host = 0; host < 3; ++host)
            history[host].push_back(BarrierJoined{0, 1});
        issue(0, 0, 1, 3, {1, 2, 0, 1, 0});
        issue(1, 0, 1, 3, {0, 2});
        deliver(0, {{0, 0, 2, 3, 2}, {0, 0, 4, 3, 4}, {1, 0, 0, 3, 0}});
        deliver(1, {{0, 0, 0, 3, 0}, {0, 0, 3, 3, 3}});
        deliver(2, {{0, 0, 1, 3, 1}, {1, 0, 1, 3, 1}});

        issue(2, 0, 4, 6, {0, 1});
        issue(0, 1, 4, 6, {1});
        issue(0, 2, 4, 6, {0});
        history[0].push_back(SignalSent{1, 4});
        deliver(0, {{0, 2, 0, 6, 1}, {2, 0, 0, 6, 0}});
        deliver(1, {{0, 1, 0, 6, 0}, {2, 0, 1, 6, 1}});
        for (auto& events : history)
            events.push_back(SignalNotice{1, {6, Place::kEnd, 0, 0}});
        issue(1, 1, 7, 0, {1});
        history[1].push_back(Delivery{{6, Place::kAfter, 1, 0}, 1, 1, 0, content(1, 1, 0)});

        issue(0, 3, 7, 9, {1, 2});
        enter(7, true);
        issue(1, 2, 7, 9, {2});
        issue(1, 3, 7, 9, {2});
        deliver(1, {{0, 3, 0, 9, 0}});
        deliver(2, {{0, 3, 1, 9, 1}, {1, 2, 0, 9, 0}, {1, 3, 0, 9, 1}});
        complete(9);
        enter(10, false);
        complete(12);
    }

    /// The first event of this type at the host that is accepted.
    template <typename T, typename Accepts>
    std::vector<Event>::iterator find(std::size_t host, Accepts&& accepts) {
        const auto at = std::find_if(history[host].begin(), history[host].end(), [&](const Event& event) {
            const T* const one = std::get_if<T>(&event);
            return one != nullptr && accepts(*one);
        });
        if (at == history[host].end()) throw std::logic_error("the story has no such event");
        return at;
    }

    auto issued(std::size_t host, std::uint32_t number) {
        return find<Issue>(host, [&](const Issue& i) { return i.number == number; });
    }
    auto delivered(std::size_t host, std::uint16_t issuer, std::uint32_t number, std::uint32_t part = 0) {
        return find<Delivery>(host, [&](const Delivery& d) {
            return d.issuer == issuer && d.isochron == number && d.part == part;
        });
    }
    auto noticed(std::size_t host) {
        return find<SignalNotice>(host, [](const SignalNotice&) { return true; });
    }
    auto completed(std::size_t host, Pulse pulse) {
        return find<BarrierNotice>(host, [&](const BarrierNotice& n) { return n.time.pulse == pulse; });
    }
    auto entered(std::size_t host, Pulse clock) {
        return find<BarrierEntered>(host, [&](const BarrierEntered& e) { return e.clock == clock; });
    }

    Issue& issue_of(std::size_t host, std::uint32_t number) { return std::get<Issue>(*issued(host, number)); }
    Delivery& delivery_of(std::size_t host, std::uint16_t issuer, std::uint32_t number,
                          std::uint32_t part = 0) {
        return std::get<Delivery>(*delivered(host, issuer, number, part));
    }

    /// Moves an event behind another of the same host.
    static void move_behind(std::vector<Event>::iterator what, std::vector<Event>::iterator other) {
        if (what < other) {
            std::rotate(what, what + 1, other + 1);
        } else {
            std::rotate(other + 1, what, what + 1);
        }
    }

  private:
    struct Executed {
        std::uint16_t issuer;
        std::uint32_t number;
        std::uint32_t part;
        Pulse pulse;
        std::uint32_t rank;
    };

    void issue(std::uint16_t host, std::uint32_t number, Pulse sent, Pulse stamp,
               std::vector<std::uint16_t> to) {
        Issue issue{number, sent, stamp, {}};
        for (std::uint32_t part = 0; part < to.size(); ++part)
            issue.parts.push_back({to[part], content(host, number, part)});
        history[host].push_back(issue);
    }

    void deliver(std::size_t host, const std::vector<Executed>& all) {
        for (const Executed& e : all)
            history[host].push_back(Delivery{{e.pulse, Place::kWithin, e.issuer, e.rank},
                                             e.issuer,
                                             e.number,
                                             e.part,
                                             content(e.issuer, e.number, e.part)});
    }

    void enter(Pulse clock, bool strong) {
        for (auto& events : history)
            events.push_back(BarrierEntered{0, clock, strong});
    }

    void complete(Pulse pulse) {
        for (auto& events : history)
            events.push_back(BarrierNotice{0, {pulse, Place::kEnd, 0, 0}});
    }
};

using Rules = std::vector<Rule>;

/// In their own order.
inline Rules broken(const Story& story) {
    Rules rules;
    for (const Violation& violation : check(story.setting, story.history))
        rules.push_back(violation.rule);
    std::ranges::sort(rules);
    return rules;
}

/// How gtest prints a rule.
inline void PrintTo(Rule rule, std::ostream* out) {
    *out << to_string(rule);
}

}  // namespace isoplane::sim
