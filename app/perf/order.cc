// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "order.hh"

#include <chrono>
#include <cstdio>
#include <isoplane/runtime/eal.hh>
#include <isoplane/runtime/stop_signal.hh>
#include <isoplane/runtime/views.hh>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "benchmark.hh"
#include "contest.hh"
#include "ends.hh"
#include "isotach_end.hh"
#include "options.hh"
#include "report.hh"
#include "sweep.hh"

namespace isoplane::perf {

namespace {

using Lines = std::vector<std::vector<std::string>>;

const std::string kNoniso = "noniso";

/// Two hosts in logical time, and how fast that went.
struct Ordered {
    std::string name;
    std::unique_ptr<Contestant> contestant;
    const IsotachEnd* host = nullptr;  ///< owned by the contestant
    double seconds = 0;                ///< of all measurements
    std::uint64_t pulses = 0;          ///< in them
};

/// The two hosts of the comparison and what is between them: a wire, or two with a fabric.
struct Ground {
    Side& a;
    Side& b;
    Middle* middle = nullptr;

    Side& side(unsigned host) const { return host == 0 ? a : b; }
};

/// An end at that host of a transport of this kind.
template <typename End>
std::unique_ptr<Contestant> make_contest(const std::string& name, Workers& workers, const Ground& ground,
                                         auto&& make_end) {
    // Host 0 first: with it begins a job of its own.
    if (ground.middle == nullptr) {
        auto a = make_end.template operator()<End>(0U);
        auto b = make_end.template operator()<End>(1U);
        return std::make_unique<Contest<End>>(name, workers, std::move(a), std::move(b));
    }
    auto a = make_end.template operator()<Through<End>>(0U, *ground.middle, 0U);
    auto b = make_end.template operator()<Through<End>>(1U, *ground.middle, 1U);
    return std::make_unique<Contest<Through<End>>>(name, workers, std::move(a), std::move(b));
}

std::unique_ptr<Contestant> make_unordered(Workers& workers, const Ground& ground) {
    return make_contest<NiuEnd>(kNoniso, workers, ground, [&]<typename E>(unsigned host, auto&&... through) {
        Side& side = ground.side(host);
        return std::make_unique<E>(through..., side.link->input(), side.link->output(), *side.pool,
                                   options_of(side, host, {"a", "b"}));
    });
}

Ordered make_ordered(Workers& workers, const Ground& ground, std::size_t ahead) {
    siu::SiuOptions siu;
    siu.exchange.ahead = static_cast<std::uint32_t>(ahead);
    Ordered ordered{.name = "isotach/" + std::to_string(ahead)};
    ordered.contestant = make_contest<IsotachEnd>(
        ordered.name, workers, ground, [&]<typename E>(unsigned host, auto&&... through) {
            Side& side = ground.side(host);
            niu::Options options = options_of(side, host, TwoHosts::nodes());
            options.manages = ground.middle == nullptr && host == 0;
            if (ground.middle != nullptr && host == 0)
                ground.middle->add_manager(ahead, options.job_key,
                                           std::make_shared<const node::Ways>(TwoHosts().topology()));
            auto end = std::make_unique<E>(through..., side.link->input(), side.link->output(), *side.pool,
                                           options, siu);
            if (host == 0) ordered.host = end.get();
            return end;
        });
    return ordered;
}

struct Outcome {
    Results results{};
    SweepResults sweeps{};
    std::map<std::string, double> pulses_per_second{};
    std::vector<Target> targets{};
    std::vector<std::string> failures{};
};

/// The best of the numbers of tokens ahead.
std::optional<double> best(const Results& results, const OrderOptions& options, std::size_t size, bool rate) {
    std::optional<double> found;
    for (const std::size_t ahead : options.ahead) {
        const std::string name = "isotach/" + std::to_string(ahead);
        const auto ratio =
            rate ? results.rate_ratio(name, kNoniso, size) : results.round_trip_ratio(name, kNoniso, size);
        if (ratio && (!found || (rate ? *ratio > *found : *ratio < *found))) found = ratio;
    }
    return found;
}

std::vector<Target> order_targets(const Results& results, const OrderOptions& options) {
    const auto latency = [&](std::size_t size) { return best(results, options, size, false); };
    const auto rate = [&](std::size_t size) { return best(results, options, size, true); };
    // A token takes two ways more, each as long as a message's.
    if (options.manager_at == ManagerAt::kPort)
        return {{.sentence = "64-byte latency at most 2.5 times noniso",
                 .limit = 2.5,
                 .at_most = true,
                 .value = latency(64)},
                {.sentence = "1 KB latency at most 2.5 times noniso",
                 .limit = 2.5,
                 .at_most = true,
                 .value = latency(1024)}};
    return {{.sentence = "64-byte latency at most 1.5 times noniso",
             .limit = 1.5,
             .at_most = true,
             .value = latency(64)},
            {.sentence = "1 KB latency at most 1.2 times noniso",
             .limit = 1.2,
             .at_most = true,
             .value = latency(1024)},
            {.sentence = "64-byte rate at least 0.75 of noniso", .limit = 0.75, .value = rate(64)},
            {.sentence = "1 KB rate at least 0.9 of noniso", .limit = 0.9, .value = rate(1024)}};
}

void throw_if(const runtime::StopSignal& signal) {
    if (signal.raised()) throw std::runtime_error("interrupted before the end; nothing is reported");
}

Outcome measure(const OrderOptions& options, Workers& workers, const Ground& ground,
                const runtime::StopSignal& signal) {
    Outcome outcome;
    const auto unordered = make_unordered(workers, ground);
    std::vector<Ordered> all;
    for (const std::size_t ahead : options.ahead)
        all.push_back(make_ordered(workers, ground, ahead));
    for (unsigned round = 0; round < options.rounds; ++round) {
        for (const std::size_t size : options.sizes) {
            throw_if(signal);
            outcome.results.add(kNoniso, size, unordered->measure(size, options.duration));
            for (Ordered& ordered : all) {
                const auto begin = std::chrono::steady_clock::now();
                const std::uint64_t pulse = ordered.host->siu().clock();
                outcome.results.add(ordered.name, size, ordered.contestant->measure(size, options.duration));
                ordered.pulses += ordered.host->siu().clock() - pulse;
                ordered.seconds +=
                    std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
            }
        }
    }
    for (const Ordered& ordered : all)
        outcome.pulses_per_second[ordered.name] = static_cast<double>(ordered.pulses) / ordered.seconds;
    outcome.targets = order_targets(outcome.results, options);
    return outcome;
}

std::string fixed(std::optional<double> value, int digits) {
    if (!value) return "-";
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, *value);
    return text;
}

std::string place_of(ManagerAt at) {
    switch (at) {
        case ManagerAt::kHost:
            return "beside the first host";
        case ManagerAt::kFabric:
            return "beside a fabric between the hosts, both polled by the first host's CPU";
        case ManagerAt::kPort:
            break;
    }
    return "at a port of a fabric between the hosts: the fabric is polled by the first host's CPU, the token "
           "manager by the other";
}

std::string to_tables(const OrderOptions& options, const std::vector<link::LinkSpec>& links,
                      const Outcome& outcome) {
    const Results& results = outcome.results;
    Lines lines{{"bytes", "transport", "latency us", "99 % us", "times noniso", "million/s", "of noniso"}};
    for (const std::size_t size : results.sizes()) {
        for (const std::string& name : results.transports()) {
            const Sample sample = results.median(name, size);
            lines.push_back({std::to_string(size), name, fixed(sample.round_trip.median / 2e3, 2),
                             fixed(sample.round_trip.p99 / 2e3, 2),
                             fixed(results.round_trip_ratio(name, kNoniso, size), 2),
                             fixed(sample.messages_per_second / 1e6, 3),
                             fixed(results.rate_ratio(name, kNoniso, size), 2)});
        }
    }
    std::string text = "Links " + links[0].text + " and " + links[1].text + ", MTU " +
                       std::to_string(options.mtu) + ", " + std::to_string(options.rounds) + " rounds of " +
                       fixed(options.duration, 3) + " s a measurement; the token manager " +
                       place_of(options.manager_at) +
                       ".\n\n"
                       "Latency is half a round trip, median; the rate is one way; ratios are medians over "
                       "the rounds.\n" +
                       runtime::align(lines);
    Lines pulses{{"transport", "pulses/s"}};
    for (const auto& [name, rate] : outcome.pulses_per_second)
        pulses.push_back({name, fixed(rate, 0)});
    text += "\nHow fast logical time went, over all measurements\n" + runtime::align(pulses);
    Lines verdicts{{"target", "is", "verdict"}};
    for (const Target& target : outcome.targets)
        verdicts.push_back({target.sentence, fixed(target.value, 2),
                            !target.value     ? "not measured"
                            : target.missed() ? "missed"
                                              : "met"});
    if (!outcome.sweeps.points.empty())
        text +=
            "\nSweeps: one thread polls all hosts in turn; figures are medians. Latency is that of an "
            "isochron "
            "of one message,\nadded what one outside logical time takes less; issue and cost are CPU time "
            "for "
            "an isochron, of its issuer\nand of all it reaches; what stands right of them is of each host "
            "while all issue.\n" +
            to_tables(outcome.sweeps);
    return text + "\n" + runtime::align(verdicts);
}

nlohmann::json number(std::optional<double> value) {
    return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

std::string to_json(const OrderOptions& options, const std::vector<link::LinkSpec>& links,
                    const Outcome& outcome) {
    nlohmann::json out{{"links", {links[0].text, links[1].text}},
                       {"token_manager", place_of(options.manager_at)},
                       {"mtu", options.mtu},
                       {"rounds", options.rounds},
                       {"seconds_each", options.duration},
                       {"pulses_per_second", outcome.pulses_per_second},
                       {"failures", outcome.failures},
                       {"results", nlohmann::json::array()},
                       {"targets", nlohmann::json::array()}};
    const Results& results = outcome.results;
    for (const std::string& name : results.transports()) {
        for (const std::size_t size : results.sizes()) {
            const Sample sample = results.median(name, size);
            out["results"].push_back(
                {{"transport", name},
                 {"bytes", size},
                 {"round_trip_ns", {{"p50", sample.round_trip.median}, {"p99", sample.round_trip.p99}}},
                 {"messages_per_second", sample.messages_per_second},
                 {"round_trip_to_noniso", number(results.round_trip_ratio(name, kNoniso, size))},
                 {"rate_to_noniso", number(results.rate_ratio(name, kNoniso, size))}});
        }
    }
    if (!outcome.sweeps.points.empty()) out["sweeps"] = to_json(outcome.sweeps);
    for (const Target& target : outcome.targets)
        out["targets"].push_back(
            {{"target", target.sentence}, {"limit", target.limit}, {"value", number(target.value)}});
    return out.dump(2) + "\n";
}

void sweep(const OrderOptions& options, const runtime::StopSignal& signal, Outcome& outcome) {
    if (options.sweeps.empty()) return;
    constexpr unsigned kPackets = 16383;
    runtime::Pool pool("packets", kPackets);
    outcome.sweeps = run_sweeps(pool, options.sweeps, options.rounds, options.duration / 2,
                                [&signal] { throw_if(signal); });
    for (const Target& target : sweep_targets(outcome.sweeps))
        outcome.targets.push_back(target);
    if (pool.in_use() != 0)
        outcome.failures.push_back(std::to_string(pool.in_use()) + " of " + std::to_string(pool.size()) +
                                   " packets did not come back to the pool of the sweeps");
}

Outcome measure_on_wire(const OrderOptions& options, Workers& workers, const PairOfSpecs& pair,
                        const runtime::StopSignal& signal) {
    Sides sides(pair.specs(), options.mtu);
    Outcome outcome = measure(options, workers, {sides[0], sides[1]}, signal);
    outcome.failures = sides.close();
    return outcome;
}

Outcome measure_through(const OrderOptions& options, Workers& workers, const PairOfSpecs& pair,
                        const runtime::StopSignal& signal) {
    const PairOfSpecs other_pair(options.link, "other");
    std::vector<link::LinkSpec> specs = pair.specs();
    specs.insert(specs.end(), other_pair.specs().begin(), other_pair.specs().end());
    Sides sides(specs, options.mtu);
    Outcome outcome;
    {
        Middle middle(sides[1], sides[2], options.ahead, options.manager_at);
        outcome = measure(options, workers, {sides[0], sides[3], &middle}, signal);
    }
    outcome.failures = sides.close();
    return outcome;
}

int run_with(const OrderOptions& options) {
    const runtime::StopSignal signal;
    const PairOfSpecs pair(options.link);
    const runtime::Eal environment(eal_options(options, pair));
    Workers workers(idle_policy(options));
    Outcome outcome = options.manager_at == ManagerAt::kHost
                          ? measure_on_wire(options, workers, pair, signal)
                          : measure_through(options, workers, pair, signal);
    sweep(options, signal, outcome);
    if (!options.json.empty()) write_to(options.json, to_json(options, pair.specs(), outcome));
    if (!options.csv.empty()) write_to(options.csv, to_csv(outcome.sweeps));
    if (options.json != "-" && options.csv != "-") write_to("-", to_tables(options, pair.specs(), outcome));
    return conclude("perf order", outcome.failures, outcome.targets, options.check);
}

}  // namespace

int run_order(int argc, char** argv) {
    return run_benchmark("perf order", parse_order_options(argc, argv), run_with);
}

}  // namespace isoplane::perf
