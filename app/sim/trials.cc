// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/trials.hh"

#include <nlohmann/json.hpp>
#include <variant>

namespace isoplane::sim {

namespace {

/// In virtual time, from when nothing more is to be issued: retransmission waits a few milliseconds at most.
constexpr runtime::Duration kPatience = std::chrono::seconds{5};

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
    for (const auto& events : network.history()) {
        for (const Event& event : events) {
            const bool notice =
                std::holds_alternative<SignalNotice>(event) || std::holds_alternative<BarrierNotice>(event);
            notices += notice ? 1 : 0;
        }
    }
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

std::ostream& operator<<(std::ostream& out, const Totals& t) {
    out << "  " << t.isochrons << " isochrons, " << t.messages << " messages, " << t.notices
        << " signals and barriers, " << t.pulses << " pulses, " << t.tokens << " tokens, " << t.tokens_resent
        << " sent again\n"
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
