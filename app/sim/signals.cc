// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "sim/fence.hh"
#include "sim/rules.hh"

namespace isoplane::sim {

namespace {

/// All that was sent on one channel to be noticed at the end of one pulse: one notice at each host.
struct Signal {
    std::uint8_t channel = 0;
    Pulse pulse = 0;
    std::vector<Sender> senders;
    std::vector<bool> noticed;  ///< by host
};

bool sent_earlier(const Signal& a, const Signal& b) {
    return std::pair(a.channel, a.pulse) < std::pair(b.channel, b.pulse);
}

std::string signal_name(std::uint8_t channel) {
    return "signal " + std::to_string(channel);
}

std::string name(const Signal& s) {
    return signal_name(s.channel) + ", sent by " + host_name(s.senders.front().host) +
           " to be noticed at the end of pulse " + std::to_string(s.pulse);
}

/// By channel and pulse.
std::vector<Signal> sent_signals(const Case& c) {
    std::vector<Signal> sent;
    for (std::uint16_t host = 0; host < c.setting.hosts; ++host) {
        std::uint32_t issued = 0;
        c.index.replay(host, On{[&](const Issue&) { ++issued; },
                                [&](const SignalSent& s) {
                                    const Pulse pulse = s.clock + c.setting.greatest_distance;
                                    sent.push_back({s.channel, pulse, {{host, issued}}, {}});
                                }});
    }
    std::ranges::stable_sort(sent, sent_earlier);
    std::vector<Signal> merged;
    for (Signal& s : sent) {
        if (merged.empty() || sent_earlier(merged.back(), s)) {
            merged.push_back(std::move(s));
            merged.back().noticed.resize(c.setting.hosts);
        } else {
            merged.back().senders.push_back(s.senders.front());
        }
    }
    return merged;
}

/// The signal that a notice is of, or nullptr.
Signal* find(std::vector<Signal>& signals, const SignalNotice& notice) {
    const Signal wanted{notice.channel, notice.time.pulse, {}, {}};
    const auto at = std::ranges::lower_bound(signals, wanted, sent_earlier);
    return at != signals.end() && !sent_earlier(wanted, *at) ? &*at : nullptr;
}

/// Which channels one host has registered, and for which pulses, as far as its events have been read.
class Registrations {
  public:
    Registrations(const Setting& setting, std::size_t host) : setting_(setting), host_(host) {}

    bool has(std::uint8_t channel) {
        const std::vector<Span>& all = spans(channel);
        return !all.empty() && all.back().open;
    }
    /// The first pulse whose signals it is told of, where it has the channel.
    Pulse first(std::uint8_t channel) { return spans(channel).back().first; }
    /// It is to be told of what is noticed in that pulse.
    bool holds(std::uint8_t channel, Pulse pulse) {
        const std::vector<Span>& all = spans(channel);
        const auto next = std::ranges::upper_bound(all, pulse, {}, &Span::first);
        return next != all.begin() && pulse <= std::prev(next)->last;
    }

    void add(const SignalRegistered& event) { spans(event.channel).push_back({.first = event.executed + 1}); }
    void add(const SignalCleared& event) {
        if (!has(event.channel)) return;
        Span& span = spans(event.channel).back();
        span.last = event.received;
        span.open = false;
    }

  private:
    struct Span {
        Pulse first = 0;
        Pulse last = std::numeric_limits<Pulse>::max();
        bool open = true;
    };

    std::vector<Span>& spans(std::uint8_t channel) {
        const auto [at, is_new] = spans_.try_emplace(channel);
        if (is_new && is_from_the_start(channel)) at->second.emplace_back();
        return at->second;
    }
    bool is_from_the_start(std::uint8_t channel) const {
        return setting_.signals.empty() || (channel < 32 && (setting_.signals[host_] >> channel & 1U) != 0);
    }

    const Setting& setting_;
    std::size_t host_;
    std::map<std::uint8_t, std::vector<Span>> spans_;
};

/// Why a host should not have been given this notice; nullptr when it should.
const char* refusal(std::size_t host, const SignalNotice& notice, const Signal* signal,
                    Registrations& registrations) {
    if (!registrations.has(notice.channel)) return "but had not registered the channel";
    if (notice.time.pulse < registrations.first(notice.channel))
        return "but had executed that pulse before it registered the channel";
    if (notice.time.place != Place::kEnd) return "which is not the end of a pulse";
    if (signal == nullptr) return "but nobody had sent it the greatest distance before";
    if (signal->noticed[host]) return "for the second time in this pulse";
    return nullptr;
}

/// What the host registers, sends and notices, in its order.
void check_registrations(const Case& c, std::size_t host, std::vector<Signal>& signals,
                         Registrations& registrations) {
    const auto wrong = [&](const std::string& what) {
        c.findings.report(Rule::kSignal, [&] { return host_name(host) + " " + what + "."; });
    };
    c.index.replay(
        host, On{[&](const SignalRegistered& e) {
                     if (registrations.has(e.channel))
                         wrong("registered " + signal_name(e.channel) + ", which it had registered already");
                     registrations.add(e);
                 },
                 [&](const SignalCleared& e) { registrations.add(e); },
                 [&](const SignalSent& s) {
                     if (!registrations.has(s.channel))
                         wrong("sent " + signal_name(s.channel) + " at clock " + std::to_string(s.clock) +
                               ", but had not registered the channel");
                 },
                 [&](const SignalNotice& n) {
                     Signal* const signal = find(signals, n);
                     if (const char* why = refusal(host, n, signal, registrations)) {
                         wrong("noticed " + signal_name(n.channel) + " at " + to_string(n.time) + ", " + why);
                     } else {
                         signal->noticed[host] = true;
                     }
                 }});
}

void check_notices(const Case& c, std::size_t host, std::vector<Signal>& signals) {
    check_fence<SignalNotice>(c, host, Rule::kSignal, "a signal",
                              [&](const SignalNotice& notice, Fence& fence) {
                                  const Signal* const signal = find(signals, notice);
                                  if (signal == nullptr) return;
                                  for (const Sender& sender : signal->senders)
                                      fence.raise(sender);
                              });
}

/// In a run that was cut short, a signal that nobody has noticed may have been on its way.
void check_nobody_missed(const Case& c, const Signal& signal, std::vector<Registrations>& registrations) {
    const bool somebody = std::ranges::find(signal.noticed, true) != signal.noticed.end();
    for (std::size_t host = 0; host < c.setting.hosts; ++host) {
        if (signal.noticed[host] || !registrations[host].holds(signal.channel, signal.pulse)) continue;
        if (!c.setting.left.empty() && signal.pulse >= c.setting.left[host]) continue;
        if (!c.setting.joined.empty() && signal.pulse != 0 && signal.pulse <= c.setting.joined[host])
            continue;
        const LogicalTime end{signal.pulse, Place::kEnd, c.setting.hosts, 0};
        if (!c.setting.quiet && !(somebody && c.index.passed(host, end))) continue;
        c.findings.report(Rule::kSignal,
                          [&] { return host_name(host) + " never noticed " + name(signal) + "."; });
    }
}

}  // namespace

void check_signals(const Case& c) {
    std::vector<Signal> signals = sent_signals(c);
    std::vector<Registrations> registrations;
    for (std::size_t host = 0; host < c.setting.hosts; ++host) {
        registrations.emplace_back(c.setting, host);
        check_registrations(c, host, signals, registrations.back());
        check_notices(c, host, signals);
    }
    for (const Signal& signal : signals)
        check_nobody_missed(c, signal, registrations);
}

}  // namespace isoplane::sim
