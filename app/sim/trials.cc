// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/trials.hh"

#include <algorithm>
#include <array>
#include <isoplane/wire/token.hh>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <variant>

#include "sim/rules.hh"

namespace isoplane::sim {

namespace {

/// In virtual time, from when nothing more is to be issued: retransmission waits a few milliseconds at most.
constexpr runtime::Duration kPatience = std::chrono::seconds{5};

/// By signal channel: at the end of which pulses it was noticed by anybody.
using Noticed = std::array<std::set<Pulse>, wire::kSignalChannels>;

Noticed noticed_in(const History& history) {
    Noticed noticed;
    for (const auto& events : history)
        for (const Event& event : events)
            if (const auto* notice = std::get_if<SignalNotice>(&event))
                noticed[notice->channel].insert(notice->time.pulse);
    return noticed;
}

/// How a host stands to a signal.
struct Hearing {
    std::optional<Pulse> cleared;  ///< and not registered again: it was told of it up to that pulse
    bool again = false;            ///< has been registered again
};

}  // namespace

void Totals::add(const Network& network) {
    ++seeds;
    for (const auto& host : network.hosts()) {
        isochrons += host->program().issued();
        messages += host->program().delivered();
        pulses += host->isotach().counters().pulses.get();
        tokens += host->siu().counters().sent.get();
        tokens_resent += host->siu().counters().resent.get();
    }
    add_notices(network.history());
    const fabric::Switch& fabric = network.fabric();
    for (unsigned port = 0; port < fabric.ports(); ++port) {
        const fabric::EgressCounters& out = fabric.egress(port);
        lost += out.lost.get();
        duplicated += out.duplicated.get();
        reordered += out.reordered.get();
        corrupted += out.corrupted.get();
        late += out.late.get();
        cut_off += out.cut.get() + fabric.ingress(port).cut.get();
    }
    partitions += network.partitions();
    halves += network.halves();
    deaths += network.deaths().count();
    restarts += network.restarts();
    views += network.views().changes();
    given_up += network.given_up();
    failovers += network.views().failovers();
    stood_still += network.stood_still() ? 1 : 0;
}

void Totals::add_notices(const History& history) {
    const Noticed noticed = noticed_in(history);
    for (const auto& events : history) {
        std::array<Hearing, wire::kSignalChannels> hearing;
        std::array<bool, wire::kBarrierChannels> is_weak{};
        const auto pass_by = [&](unsigned channel, Pulse last) {
            if (!hearing[channel].cleared) return;
            const std::set<Pulse>& all = noticed[channel];
            cleared += static_cast<std::uint64_t>(std::ranges::count_if(
                all, [&](Pulse pulse) { return pulse > *hearing[channel].cleared && pulse <= last; }));
        };
        for (const Event& event : events) {
            std::visit(On{[&](const SignalCleared& e) {
                              Hearing& h = hearing[e.channel];
                              if (!h.cleared) h.cleared = e.received;
                          },
                          [&](const SignalRegistered& e) {
                              pass_by(e.channel, e.executed);
                              hearing[e.channel] = {.cleared = {}, .again = true};
                          },
                          [&](const SignalNotice& n) {
                              ++notices;
                              again += hearing[n.channel].again ? 1 : 0;
                          },
                          [&](const BarrierEntered& e) { is_weak[e.channel] = !e.strong; },
                          [&](const BarrierNotice& n) {
                              ++notices;
                              weak += is_weak[n.channel] ? 1 : 0;
                          }},
                       event);
        }
        for (unsigned channel = 0; channel < hearing.size(); ++channel)
            pass_by(channel, UINT64_MAX);
    }
}

std::ostream& operator<<(std::ostream& out, const Totals& t) {
    out << "  " << t.isochrons << " isochrons, " << t.messages << " messages, " << t.notices
        << " signals and barriers, " << t.pulses << " pulses, " << t.tokens << " tokens, " << t.tokens_resent
        << " sent again\n"
        << "  of the barriers " << t.weak << " were weak, of the signals " << t.again << " registered again; "
        << t.cleared << " went by who had cleared them\n"
        << "  " << t.lost << " frames lost, " << t.duplicated << " duplicated, " << t.reordered
        << " reordered, " << t.corrupted << " corrupted, " << t.late << " late, " << t.cut_off
        << " cut off in " << t.partitions << " partitions, " << t.halves << " of them into halves\n";
    if (t.deaths + t.restarts + t.views != 0)
        out << "  " << t.deaths << " deaths, " << t.restarts << " starts again, " << t.views
            << " changes of view, " << t.failovers << " token managers stood in for, " << t.given_up
            << " given up alive, " << t.stood_still << " networks without a majority in the end\n";
    return out;
}

void Trials::run(const Scenario& scenario, const std::string& replay, const std::string& capture) {
    std::string wrong = outcome(scenario, capture);
    if (wrong.empty()) return;
    if (wrong.back() == '.' || wrong.back() == ';') wrong.pop_back();
    failures_.push_back({scenario.seed, wrong, replay});
    out_ << "seed " << scenario.seed << ": " << wrong << "; replay with  " << replay << std::endl;
}

std::string Trials::outcome(const Scenario& scenario, const std::string& capture) {
    std::string wrong;
    {
        Network network(scenario, pool_, capture);
        const runtime::Time begin = network.now();
        wrong = network.run(kPatience);
        totals_.add(network);
        totals_.virtual_time += network.now() - begin;
    }
    if (wrong.empty() && pool_.in_use() != 0)
        wrong = std::to_string(pool_.in_use()) + " packets were not freed";
    return wrong;
}

void Trials::print_totals() {
    out_ << totals_.seeds << " seeds, " << failures_.size() << " failed; " << seconds() << " s, "
         << virtual_seconds() << " s of virtual time\n"
         << totals_;
}

nlohmann::json Trials::to_json() const {
    const Totals& t = totals_;
    nlohmann::json failures = nlohmann::json::array();
    for (const Failure& failure : failures_)
        failures.push_back({{"seed", failure.seed}, {"text", failure.text}, {"replay", failure.replay}});
    return {{"seeds", t.seeds},
            {"failures", std::move(failures)},
            {"isochrons", t.isochrons},
            {"messages", t.messages},
            {"notices", t.notices},
            {"weak", t.weak},
            {"again", t.again},
            {"cleared", t.cleared},
            {"pulses", t.pulses},
            {"tokens", t.tokens},
            {"tokens_resent", t.tokens_resent},
            {"faults",
             {{"lost", t.lost},
              {"duplicated", t.duplicated},
              {"reordered", t.reordered},
              {"corrupted", t.corrupted},
              {"late", t.late},
              {"cut_off", t.cut_off},
              {"partitions", t.partitions},
              {"halves", t.halves},
              {"deaths", t.deaths},
              {"restarts", t.restarts}}},
            {"membership",
             {{"views", t.views},
              {"failovers", t.failovers},
              {"given_up", t.given_up},
              {"stood_still", t.stood_still}}},
            {"seconds", seconds()},
            {"virtual_seconds", virtual_seconds()}};
}

}  // namespace isoplane::sim
