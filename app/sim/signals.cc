// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <span>
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

bool is_registered(const Setting& setting, std::size_t host, std::uint8_t channel) {
    return setting.signals.empty() || (channel < 32 && (setting.signals[host] >> channel & 1U) != 0);
}

/// Why a host should not have been given this notice; nullptr when it should.
const char* refusal(const Case& c, std::size_t host, const SignalNotice& notice, const Signal* signal) {
    if (!is_registered(c.setting, host, notice.channel)) return "but has not registered the channel";
    if (notice.time.place != Place::kEnd) return "which is not the end of a pulse";
    if (signal == nullptr) return "but nobody had sent it the greatest distance before";
    if (signal->noticed[host]) return "for the second time in this pulse";
    return nullptr;
}

void check_notices(const Case& c, std::size_t host, std::vector<Signal>& signals) {
    check_fence<SignalNotice>(c, host, Rule::kSignal, "a signal",
                              [&](const SignalNotice& notice, Fence& fence) {
                                  Signal* const signal = find(signals, notice);
                                  if (const char* why = refusal(c, host, notice, signal)) {
                                      c.findings.report(Rule::kSignal, [&] {
                                          return host_name(host) + " noticed " + signal_name(notice.channel) +
                                                 " at " + to_string(notice.time) + ", " + why + ".";
                                      });
                                      return;
                                  }
                                  signal->noticed[host] = true;
                                  for (const Sender& sender : signal->senders)
                                      fence.raise(sender);
                              });
}

/// In a run that was cut short, a signal that nobody has noticed may have been on its way.
void check_nobody_missed(const Case& c, const Signal& signal) {
    const bool somebody = std::ranges::find(signal.noticed, true) != signal.noticed.end();
    for (std::size_t host = 0; host < c.setting.hosts; ++host) {
        if (signal.noticed[host] || !is_registered(c.setting, host, signal.channel)) continue;
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
    for (std::size_t host = 0; host < c.setting.hosts; ++host)
        check_notices(c, host, signals);
    for (const Signal& signal : signals)
        check_nobody_missed(c, signal);
}

}  // namespace isoplane::sim
