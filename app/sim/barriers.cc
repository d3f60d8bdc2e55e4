// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "sim/fence.hh"
#include "sim/rules.hh"

namespace isoplane::sim {

namespace {

/// A barrier that somebody noticed the completion of.
struct Barrier {
    std::uint8_t channel = 0;
    Pulse pulse = 0;
    std::uint16_t host = 0;       ///< who noticed
    std::vector<Sender> senders;  ///< who entered it
};

bool is_earlier(const Barrier& a, const Barrier& b) {
    return std::pair(a.channel, a.pulse) < std::pair(b.channel, b.pulse);
}

/// By channel and pulse, each pulse once.
std::vector<Barrier> complete_barriers(const Case& c) {
    std::vector<Barrier> all;
    for (std::uint16_t host = 0; host < c.setting.hosts; ++host) {
        c.index.replay(host, On{[&](const BarrierNotice& n) {
                           all.push_back({n.channel, n.time.pulse, host, {}});
                       }});
    }
    std::ranges::stable_sort(all, is_earlier);
    const auto is_again = [](const Barrier& a, const Barrier& b) { return !is_earlier(a, b); };
    all.erase(std::unique(all.begin(), all.end(), is_again), all.end());
    return all;
}

std::vector<Barrier>::iterator first_from(std::vector<Barrier>& all, std::uint8_t channel, Pulse pulse) {
    return std::ranges::lower_bound(all, Barrier{channel, pulse, 0, {}}, is_earlier);
}

std::string barrier_name(std::uint8_t channel) {
    return "barrier " + std::to_string(channel);
}

/// What a host has to do with a channel, as far as its events have been read.
struct Membership {
    bool member = false;
    bool may_miss_one = false;
    std::optional<BarrierEntered> entry;  ///< that it has not yet been given notice of
    std::uint32_t issued = 0;             ///< isochrons, before that entry
    std::size_t next = 0;                 ///< the first barrier that cannot complete without it
};

/// Reads the events of one host.
class Reader {
  public:
    Reader(const Case& c, std::size_t host, std::vector<Barrier>& barriers)
        : c_(c), host_(host), barriers_(barriers) {}

    void read() {
        c_.index.replay(
            host_,
            On{[this](const Execution& e) { now_ = e.delivery->time; },
               [this](const SignalNotice& n) { now_ = n.time; }, [this](const Issue&) { ++issued_; },
               [this](const BarrierJoined& e) { join(e); }, [this](const BarrierEntered& e) { enter(e); },
               [this](const BarrierLeft& e) { leave(e); }, [this](const BarrierNotice& n) { notice(n); }});
        for (std::size_t channel = 0; channel < channels_.size(); ++channel)
            finish(static_cast<std::uint8_t>(channel));
    }

    /// At the end: a member that has not entered keeps the next barrier from completing.
    bool keeps_waiting(std::uint8_t channel) const {
        return channels_[channel].member && !channels_[channel].entry;
    }
    bool is_member(std::uint8_t channel) const { return channels_[channel].member; }

  private:
    void wrong(const std::string& what) {
        c_.findings.report(Rule::kBarrier, [&] { return host_name(host_) + " " + what + "."; });
    }

    void join(const BarrierJoined& event) {
        const auto next = first_from(barriers_, event.channel, event.clock) - barriers_.begin();
        channels_[event.channel] = {
            .member = true, .may_miss_one = event.under_way, .next = static_cast<std::size_t>(next)};
    }

    void enter(const BarrierEntered& event) {
        Membership& m = channels_[event.channel];
        const std::string entered =
            "entered " + barrier_name(event.channel) + " at clock " + std::to_string(event.clock);
        if (!m.member) wrong(entered + ", but had not joined it");
        if (m.entry)
            wrong(entered + ", but had no notice yet of the one it entered at clock " +
                  std::to_string(m.entry->clock));
        m.entry = event;
        m.issued = issued_;
    }

    void notice(const BarrierNotice& event) {
        now_ = event.time;
        Membership& m = channels_[event.channel];
        const std::string noticed = "noticed " + barrier_name(event.channel) + " at " + to_string(event.time);
        if (event.time.place != Place::kEnd) wrong(noticed + ", which is not the end of a pulse");
        const auto entry = std::exchange(m.entry, {});
        if (!m.member || !entry) {
            wrong(noticed + ", but had not entered it");
            return;
        }
        if (entry->clock > event.time.pulse)
            wrong(noticed + ", but entered it only at clock " + std::to_string(entry->clock));
        pass_to(event.channel, event.time.pulse);
        const auto barrier = first_from(barriers_, event.channel, event.time.pulse);
        barrier->senders.push_back({static_cast<std::uint16_t>(host_), m.issued});
        m.next = std::max(m.next, static_cast<std::size_t>(barrier - barriers_.begin()) + 1);
        m.may_miss_one = false;
    }

    void leave(const BarrierLeft& event) {
        pass_to(event.channel, now_.pulse);
        channels_[event.channel] = {};
    }

    /// No barrier that completed before `pulse` may have passed a member by.
    void pass_to(std::uint8_t channel, Pulse pulse) {
        Membership& m = channels_[channel];
        if (!m.member) return;
        for (; is_next(channel) && barriers_[m.next].pulse < pulse; ++m.next) {
            if (!std::exchange(m.may_miss_one, false)) miss(m.next);
        }
    }

    /// What has not been noticed when the run ended.
    void finish(std::uint8_t channel) {
        pass_to(channel, now_.pulse);
        Membership& m = channels_[channel];
        if (!m.member || !is_next(channel)) return;
        if (std::exchange(m.may_miss_one, false)) ++m.next;
        if (!is_next(channel)) return;
        const Barrier& next = barriers_[m.next];
        if (c_.setting.quiet) {
            miss(m.next);
        } else if (!m.entry || m.entry->clock > next.pulse) {
            wrong("had not entered " + barrier_name(channel) + ", but " + host_name(next.host) +
                  " noticed that it was complete at the end of pulse " + std::to_string(next.pulse));
        }
    }

    bool is_next(std::uint8_t channel) const {
        const std::size_t next = channels_[channel].next;
        return next < barriers_.size() && barriers_[next].channel == channel;
    }

    void miss(std::size_t barrier) {
        const Barrier& b = barriers_[barrier];
        wrong("is a member of " + barrier_name(b.channel) + ", but had no part in the one that " +
              host_name(b.host) + " noticed at the end of pulse " + std::to_string(b.pulse));
    }

    const Case& c_;
    std::size_t host_;
    std::vector<Barrier>& barriers_;
    std::array<Membership, 256> channels_;
    LogicalTime now_;
    std::uint32_t issued_ = 0;
};

/// In a run that ended in quiet: a barrier that all its members have entered has completed.
class Waiting {
  public:
    void add(const Reader& reader) {
        for (std::size_t channel = 0; channel < members_.size(); ++channel) {
            members_[channel] |= reader.is_member(static_cast<std::uint8_t>(channel));
            waits_[channel] |= reader.keeps_waiting(static_cast<std::uint8_t>(channel));
        }
    }

    void check(const Case& c) const {
        for (std::size_t channel = 0; channel < members_.size(); ++channel) {
            if (!members_[channel] || waits_[channel]) continue;
            c.findings.report(Rule::kBarrier, [&] {
                return "all members of " + barrier_name(static_cast<std::uint8_t>(channel)) +
                       " had entered it when the run ended in quiet, but it never completed.";
            });
        }
    }

  private:
    std::array<bool, 256> members_{};
    std::array<bool, 256> waits_{};
};

/// A weak one does what a strong one promises.
void check_comes_after(const Case& c, std::size_t host, std::vector<Barrier>& barriers) {
    check_fence<BarrierNotice>(
        c, host, Rule::kBarrier, "a barrier", [&](const BarrierNotice& notice, Fence& fence) {
            for (const Sender& sender : first_from(barriers, notice.channel, notice.time.pulse)->senders)
                fence.raise(sender);
        });
}

}  // namespace

void check_barriers(const Case& c) {
    std::vector<Barrier> barriers = complete_barriers(c);
    Waiting waiting;
    for (std::size_t host = 0; host < c.setting.hosts; ++host) {
        Reader reader(c, host, barriers);
        reader.read();
        waiting.add(reader);
    }
    if (c.setting.quiet) waiting.check(c);
    for (std::size_t host = 0; host < c.setting.hosts; ++host)
        check_comes_after(c, host, barriers);
}

}  // namespace isoplane::sim
