// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "sim/checker.hh"

namespace isoplane::sim {

/// A run as it should be: all hosts execute one pulse after another, issue whatever comes to their mind in
/// between, and everything is executed at its time. There is no network, so nothing can go wrong.
class RandomRun {
  public:
    RandomRun(std::uint64_t seed, bool quiet, Pulse pulses = 60) : random_(seed) {
        lay_out(quiet);
        for (Pulse pulse = 1; pulse < pulses; ++pulse)
            step(pulse, true);
        std::vector<std::size_t> length;
        for (const auto& events : history)
            length.push_back(events.size());
        for (Pulse pulse = pulses; pulse < pulses + 100; ++pulse)
            step(pulse, false);
        if (!quiet) cut(length);
    }

    Setting setting;
    History history;

  private:
    struct Host {
        Pulse last = 0;          ///< greatest stamp given
        std::uint32_t rank = 0;  ///< next one of that stamp
        std::uint32_t issued = 0;
        std::uint32_t signals = 31;  ///< registered
        Pulse after_pulse = 0;
        std::uint32_t after_rank = 0;
        std::map<Pulse, std::vector<Delivery>> buckets;
        std::vector<Delivery> after;  ///< self-only, for the end of this pulse
    };
    struct Channel {
        std::set<std::size_t> members;
        std::set<std::size_t> entered;
        std::optional<Pulse> due;
        std::set<std::size_t> participants;  ///< of what is due
    };

    std::uint64_t below(std::uint64_t n) { return random_() % n; }
    bool one_in(std::uint64_t n) { return below(n) == 0; }

    void lay_out(bool quiet) {
        const std::size_t n = 1 + below(6);
        setting.hosts = static_cast<std::uint16_t>(n);
        setting.quiet = quiet;
        setting.distances.resize(n * n);
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = a + 1; b < n; ++b) {
                const auto d = static_cast<std::uint32_t>(2 + below(6));
                setting.distances[a * n + b] = setting.distances[b * n + a] = d;
            }
        }
        setting.greatest_distance = std::max(2U, *std::ranges::max_element(setting.distances));
        for (std::size_t i = one_in(2) ? n : 0; i > 0; --i)
            setting.signals.push_back(static_cast<std::uint32_t>(below(32)));
        ahead_ = 1 + below(4);
        hosts_.resize(n);
        for (std::size_t i = 0; i < setting.signals.size(); ++i)
            hosts_[i].signals = setting.signals[i];
        history.resize(n);
    }

    void step(Pulse pulse, bool acting) {
        std::vector<std::size_t> order(hosts_.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::shuffle(order.begin(), order.end(), random_);
        for (const std::size_t host : order)
            execute(host, pulse, acting);
        for (Channel& channel : channels_) {
            if (channel.due == pulse) channel.due.reset();
            complete(channel, pulse + ahead_);
        }
    }

    void execute(std::size_t host, Pulse pulse, bool acting) {
        Host& h = hosts_[host];
        auto messages = std::move(h.buckets[pulse]);
        h.buckets.erase(pulse);
        std::ranges::sort(messages, {}, &Delivery::time);
        for (const Delivery& d : messages) {
            history[host].push_back(d);
            if (acting && one_in(6)) issue(host, pulse, true);
        }
        notice(host, pulse);
        for (Delivery& d : std::exchange(h.after, {}))
            execute_after(host, pulse, d);
        while (acting && one_in(2))
            act(host, pulse);
    }

    void execute_after(std::size_t host, Pulse pulse, Delivery d) {
        Host& h = hosts_[host];
        if (std::exchange(h.after_pulse, pulse) != pulse) h.after_rank = 0;
        d.time = {pulse, Place::kAfter, static_cast<std::uint16_t>(host), h.after_rank++};
        history[host].push_back(d);
    }

    void notice(std::size_t host, Pulse pulse) {
        const LogicalTime end{pulse, Place::kEnd, 0, 0};
        for (std::uint8_t s = 0; s < 5; ++s) {
            if (has(host, s) && signals_.contains({s, pulse})) history[host].push_back(SignalNotice{s, end});
        }
        for (std::uint8_t b = 0; b < 2; ++b) {
            Channel& channel = channels_[b];
            if (channel.due != pulse || !channel.participants.contains(host)) continue;
            channel.entered.erase(host);
            history[host].push_back(BarrierNotice{b, end});
        }
    }

    void act(std::size_t host, Pulse pulse) {
        switch (below(9)) {
            case 0:
                signal(host, pulse + ahead_);
                break;
            case 1:
                change_registration(host, pulse);
                break;
            case 2:
            case 3:
                barrier(host, pulse + ahead_);
                break;
            default:
                issue(host, pulse, false);
        }
    }

    void issue(std::size_t host, Pulse pulse, bool within) {
        Host& h = hosts_[host];
        Issue issue{h.issued++, pulse + ahead_, 0, {}};
        const bool self_only = hosts_.size() == 1 || one_in(4);
        for (std::size_t parts = 1 + below(6); parts > 0; --parts) {
            const auto to = static_cast<std::uint16_t>(self_only ? host : below(hosts_.size()));
            issue.parts.push_back({to, random_()});
        }
        const bool net =
            std::ranges::any_of(issue.parts, [&](const Part& p) { return p.destination != host; });
        const Pulse stamp = net ? stamped(host, issue) : h.last;
        if (net || stamp > pulse) issue.stamp = stamp;
        history[host].push_back(issue);
        if (net && stamp > h.last) h.rank = 0;
        if (net) h.last = stamp;
        const auto from = static_cast<std::uint16_t>(host);
        for (std::uint32_t i = 0; i < issue.parts.size(); ++i) {
            Delivery d{{}, from, issue.number, i, issue.parts[i].content};
            if (issue.stamp == 0) {
                if (within)
                    h.after.push_back(d);
                else
                    execute_after(host, pulse, d);
                continue;
            }
            d.time = {stamp, Place::kWithin, from, h.rank++};
            hosts_[issue.parts[i].destination].buckets[stamp].push_back(d);
        }
    }

    Pulse stamped(std::size_t host, const Issue& issue) {
        std::uint32_t distance = 0;
        for (const Part& part : issue.parts)
            distance = std::max(distance, setting.distances[host * hosts_.size() + part.destination]);
        return std::max(hosts_[host].last, issue.sent + distance + (one_in(4) ? below(6) : 0));
    }

    /// What the host has issued would come after a signal sent, or a barrier entered now; a real one waits as
    /// well.
    bool must_wait(std::size_t host, Pulse clock) {
        return hosts_[host].last > clock + setting.greatest_distance;
    }

    void signal(std::size_t host, Pulse clock) {
        if (must_wait(host, clock)) return;
        const auto s = static_cast<std::uint8_t>(below(5));
        if (!has(host, s)) return;
        history[host].push_back(SignalSent{s, clock});
        signals_.insert({s, clock + setting.greatest_distance});
    }

    bool has(std::size_t host, unsigned signal) const { return (hosts_[host].signals >> signal & 1U) != 0; }

    void change_registration(std::size_t host, Pulse pulse) {
        const auto s = static_cast<std::uint8_t>(below(5));
        if (has(host, s)) {
            history[host].push_back(SignalCleared{s, pulse});
        } else {
            history[host].push_back(SignalRegistered{s, pulse});
        }
        hosts_[host].signals ^= 1U << s;
    }

    void barrier(std::size_t host, Pulse clock) {
        const auto b = static_cast<std::uint8_t>(below(2));
        Channel& channel = channels_[b];
        if (!channel.members.contains(host)) {
            history[host].push_back(BarrierJoined{b, clock, channel.due.has_value()});
            channel.members.insert(host);
        } else if (one_in(6)) {
            history[host].push_back(BarrierLeft{b, clock});
            for (auto* set : {&channel.members, &channel.entered, &channel.participants})
                set->erase(host);
        } else if (!channel.entered.contains(host) && !channel.due) {
            if (must_wait(host, clock)) return;
            history[host].push_back(BarrierEntered{b, clock, one_in(2)});
            channel.entered.insert(host);
        }
        complete(channel, clock);
    }

    void complete(Channel& channel, Pulse clock) {
        if (channel.due || channel.members.empty() || channel.entered != channel.members) return;
        channel.due = clock + setting.greatest_distance;
        channel.participants = channel.members;
    }

    /// Each host's part of what was still to be executed ends somewhere.
    void cut(const std::vector<std::size_t>& length) {
        for (std::size_t host = 0; host < history.size(); ++host) {
            auto& events = history[host];
            events.resize(length[host] + below(events.size() - length[host] + 1));
        }
    }

    std::mt19937_64 random_;
    Pulse ahead_ = 1;  ///< of a host's clock before the pulse it executes
    std::vector<Host> hosts_;
    std::set<std::pair<std::uint8_t, Pulse>> signals_;  ///< and when they are due
    Channel channels_[2];
};

}  // namespace isoplane::sim
