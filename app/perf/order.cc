// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "order.hh"

#include <algorithm>
#include <chrono>
#include <isoplane/runtime/eal.hh>
#include <isoplane/runtime/stop_signal.hh>
#include <isoplane/wire/isotach.hh>
#include <map>
#include <memory>
#include <stdexcept>

#include "benchmark.hh"
#include "order_contestants.hh"
#include "sweep.hh"

namespace isoplane::perf {

namespace {

constexpr Defaults kDefaults{.sizes = "64,128,256,512,1K"};

/// What `isoplane perf order` is told.
struct OrderOptions : Options {
    bool kernel = true;
    std::vector<std::size_t> ahead;  ///< tokens that are sent ahead, h
    ManagerAt manager_at = ManagerAt::kHost;
    std::string impairment;  ///< of the fabric's ports, as its user has given it
    std::vector<std::string> sweeps;
};

struct Outcome {
    Results results{};
    SweepResults sweeps{};
    std::map<std::string, std::vector<double>> pulses_per_second{};  ///< one of each round
    std::vector<std::string> failures{};
};

std::string name_of(std::size_t ahead) {
    return "isotach/" + std::to_string(ahead);
}

/// Of the least number of tokens ahead, which is the first: all of them of the same.
std::vector<Target> order_targets(const Results& results, const OrderOptions& options) {
    const std::string ordered = name_of(options.ahead.front());
    const auto latency = [&](std::size_t size) { return results.round_trip_ratio(ordered, kNoniso, size); };
    const auto rate = [&](std::size_t size) { return results.rate_ratio(ordered, kNoniso, size); };
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

/// What is neither ordered nor held against it in a target.
Contestants make_others(Workers& workers, const Ground& ground, const std::optional<KernelPath>& kernel) {
    Contestants all;
    all.push_back(make_raw_contest(workers, ground));
    if (kernel) {
        all.push_back(contest<UdpEnd>(transport::kUdp, workers, kernel->udp()));
        all.push_back(contest<TcpEnd>(transport::kTcp, workers, kernel->tcp()));
    }
    return all;
}

Outcome measure(const OrderOptions& options, Workers& workers, const Ground& ground,
                const runtime::StopSignal& signal) {
    using Clock = std::chrono::steady_clock;
    Outcome outcome;
    std::optional<KernelPath> kernel;
    if (options.kernel) kernel.emplace(options.mtu);
    const auto unordered = make_unordered(workers, ground);
    const Contestants others = make_others(workers, ground, kernel);
    const auto detour = ground.middle != nullptr ? make_detour(workers, ground) : nullptr;
    std::vector<Ordered> all;
    for (const std::size_t ahead : options.ahead)
        all.push_back(make_ordered(workers, ground, ahead));
    for (unsigned round = 0; round < options.rounds; ++round) {
        std::map<std::string, std::pair<std::uint64_t, double>> pulses;
        for (const std::size_t size : options.sizes) {
            throw_if(signal);
            for (const auto& other : others)
                outcome.results.add(other->name(), size, other->measure(size, options.plan));
            outcome.results.add(kNoniso, size, unordered->measure(size, options.plan));
            if (detour) outcome.results.add(kDetour, size, detour->measure(size, options.plan));
            for (Ordered& ordered : all) {
                const auto begin = Clock::now();
                const std::uint64_t pulse = ordered.host->siu().clock();
                outcome.results.add(ordered.name, size, ordered.contestant->measure(size, options.plan));
                auto& [count, seconds] = pulses[ordered.name];
                count += ordered.host->siu().clock() - pulse;
                seconds += std::chrono::duration<double>(Clock::now() - begin).count();
            }
        }
        for (const auto& [name, sum] : pulses)
            outcome.pulses_per_second[name].push_back(static_cast<double>(sum.first) / sum.second);
    }
    return outcome;
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

Table latency_table(const Outcome& outcome, const OrderOptions& options) {
    const Results& results = outcome.results;
    Table table{
        .name = "order",
        .title = "Latency is half a round trip; the rate is one way; ratios are medians over the rounds",
        .lines = {{"bytes", "transport", "latency us, median"}}};
    std::vector<std::string>& heads = table.lines[0];
    for (const double percentile : options.percentiles)
        if (percentile != 50) heads.push_back(percentile_name(percentile));
    heads.insert(heads.end(), {"times noniso", "million/s", "Mbit/s", "of noniso"});
    for (const std::size_t size : results.sizes()) {
        for (const std::string& name : results.transports()) {
            std::vector<std::string>& line = table.lines.emplace_back();
            line = {std::to_string(size), name, fixed(results.round_trip(name, size) / 2e3, 2)};
            for (const double percentile : options.percentiles)
                if (percentile != 50)
                    line.push_back(fixed(results.round_trip(name, size, percentile / 100) / 2e3, 2));
            line.push_back(figure(results.round_trip_ratio(name, kNoniso, size)));
            line.push_back(fixed(results.rate(name, size) / 1e6, 3));
            line.push_back(fixed(results.rate(name, size) * 8 * static_cast<double>(size) / 1e6, 0));
            line.push_back(figure(results.rate_ratio(name, kNoniso, size)));
        }
    }
    return table;
}

void add_to(report::Record& record, const Outcome& outcome, const OrderOptions& options) {
    std::vector<std::string> subjects;
    for (const std::size_t ahead : options.ahead)
        subjects.push_back(name_of(ahead));
    const Results& results = outcome.results;
    results.add_to(record.figures, "message", subjects);
    record.tables.push_back(latency_table(outcome, options));
    record.plots = message_plots(results);
    record.bounds = bounds_of(results, transport::kRaw);
    Table pulses{.name = "pulses",
                 .title = "How fast logical time went, over all measurements of a round",
                 .lines = {{"transport", "pulses/s"}}};
    for (const auto& [name, rates] : outcome.pulses_per_second) {
        for (const double rate : rates)
            record.figures.add({"time", name, 0, "pulses_per_second"}, rate);
        const double rate = record.figures.median({"time", name, 0, "pulses_per_second"}).value_or(0);
        pulses.lines.push_back({name, fixed(rate, 0)});
        record.details["pulses_per_second"][name] = rate;
    }
    record.tables.push_back(std::move(pulses));
    record.details["results"] = results_json(results, subjects, options.percentiles);
    record.details["token_manager"] = place_of(options.manager_at);
    record.details["fabric"] = options.impairment;
    record.targets = order_targets(results, options);
    if (!options.sweeps.empty())
        for (const Target& target : sweep_targets(outcome.sweeps))
            record.targets.push_back(target);
    add_to(record, outcome.sweeps);
    record.failures = outcome.failures;
}

void sweep(const OrderOptions& options, const runtime::StopSignal& signal, Outcome& outcome) {
    if (options.sweeps.empty()) return;
    constexpr unsigned kPackets = 16383;
    runtime::Pool pool("packets", kPackets);
    outcome.sweeps = run_sweeps(pool, options.sweeps, options.rounds, options.duration / 2,
                                [&signal] { throw_if(signal); });
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
        Middle middle(sides[1], sides[2], options.ahead, options.manager_at,
                      fabric::parse_impairment(options.impairment));
        outcome = measure(options, workers, {sides[0], sides[3], &middle}, signal);
    }
    outcome.failures = sides.close();
    return outcome;
}

report::Record measure_all(const OrderOptions& options) {
    const runtime::StopSignal signal;
    const PairOfSpecs pair(options.link);
    const runtime::Eal eal(eal_options(options, pair));
    Workers workers(idle_policy(options));
    Outcome outcome = options.manager_at == ManagerAt::kHost
                          ? measure_on_wire(options, workers, pair, signal)
                          : measure_through(options, workers, pair, signal);
    sweep(options, signal, outcome);
    report::Record record{
        .setup = setup_of(options, pair) + "; the token manager " + place_of(options.manager_at) +
                 (options.impairment.empty() ? "." : "; its ports have " + options.impairment + "."),
        .environment = environment_of(options, pair),
        .details = details_of(options, pair)};
    add_to(record, outcome, options);
    return record;
}

/// "all", "none", or names.
std::vector<std::string> sweeps_of(const std::string& list) {
    if (list == "none") return {};
    if (list == "all") return sweep_names();
    std::vector<std::string> sweeps;
    for (const std::string& word : words_of("--sweep", list)) {
        if (std::ranges::find(sweep_names(), word) != sweep_names().end()) {
            if (std::ranges::find(sweeps, word) == sweeps.end()) sweeps.push_back(word);
            continue;
        }
        std::string known;
        for (const std::string& name : sweep_names())
            known += name + ", ";
        throw std::invalid_argument("--sweep names '" + word + "'; there are " + known + "all and none");
    }
    return sweeps;
}

/// Checked; only where there is a fabric.
std::string impairment_of(const std::string& list, ManagerAt at) {
    if (!list.empty() && at == ManagerAt::kHost)
        throw std::invalid_argument(
            "--fabric " + list + " is for the ports of a fabric, and there is none: use --tm fabric or port");
    fabric::parse_impairment(list);
    return list;
}

ManagerAt manager_of(const std::string& word, const std::string& link) {
    if (word == "host") return ManagerAt::kHost;
    if (word != "fabric" && word != "port")
        throw std::invalid_argument("--tm " + word + " is not known: it can be host, fabric or port");
    if (!joins_itself(link))
        throw std::invalid_argument("--tm " + word +
                                    " puts a fabric between two wires, which have to be in this process: use "
                                    "--link ring, virtio or memif");
    return word == "fabric" ? ManagerAt::kFabric : ManagerAt::kPort;
}

void describe(po::options_description& options) {
    describe_links(options, kDefaults);
    describe_plan(options);
    describe_kernel(options);
    options.add_options()  //
        ("tokens-ahead", po::value<std::string>()->value_name("LIST")->default_value("1,2"),
         "tokens that every node sends ahead; targets are for the least")  //
        ("tm", po::value<std::string>()->value_name("WHERE")->default_value("host"),
         "the token manager: beside the host that sends first, whose link leads to the other (host); beside "
         "a "
         "fabric between the two (fabric); or at a port of that fabric, on the other CPU (port)")  //
        ("fabric", po::value<std::string>()->value_name("LIST")->default_value("", ""),
         "impairments of the ports of that fabric, as in delay=10us: so long the way is then, for messages "
         "and tokens; sockets do not take it")  //
        ("sweep", po::value<std::string>()->value_name("LIST")->default_value("all"),
         "sweeps by their names, all or none");
}

/// A message in logical time has to fit a frame.
OrderOptions read(const po::variables_map& values) {
    OrderOptions options{read_links(values, kDefaults)};
    read_plan(options, values);
    options.kernel = !values["no-kernel"].as<bool>();
    options.ahead = numbers_of("--tokens-ahead", values["tokens-ahead"].as<std::string>(), std::size_t{64});
    options.manager_at = manager_of(values["tm"].as<std::string>(), options.link);
    options.impairment = impairment_of(values["fabric"].as<std::string>(), options.manager_at);
    options.sweeps = sweeps_of(values["sweep"].as<std::string>());
    check_fits(options, wire::kIsotachSize, "a message in logical time");
    return options;
}

constexpr Benchmark<OrderOptions> kBenchmark{
    kOrder,
    "Measures what ordering costs: messages in logical time beside the same messages without it,\n"
    "beside frames alone on the same links and UDP and TCP sockets of the kernel, all in turns on the\n"
    "same CPUs. Each message is an isochron of its own.\n\n"
    "  raw        messages copied into frames and out of them, and nothing else\n"
    "  noniso     messages outside logical time\n"
    "  detour     the same sent on from where the token manager is, where that is not a host: no token\n"
    "             is faster\n"
    "  isotach/H  messages in logical time, with H tokens sent ahead\n"
    "  udp, tcp   non-blocking sockets, 32 messages a call; over a veth pair where the user may make\n"
    "             one, otherwise over loopback\n\n"
    "Then come sweeps: what an isochron costs as one thing changes, among hosts around a switch with\n"
    "a token manager, which one thread polls in turn.\n\n"
    "  messages, mixed  of an isochron: all to others; every other one to its issuer\n"
    "  destinations     of an isochron, a message for each\n"
    "  hosts            of which one is addressed\n"
    "  ahead, interval  tokens that are sent ahead; microseconds between two tokens, at least\n"
    "  loss             of all frames\n",
    describe, read, measure_all};

}  // namespace

int run_order(int argc, char** argv) {
    return run_benchmark(kBenchmark, argc, argv);
}

}  // namespace isoplane::perf
