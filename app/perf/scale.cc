// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <sys/resource.h>

#include <cmath>
#include <isoplane/fabric/impairment.hh>
#include <isoplane/runtime/eal.hh>
#include <isoplane/runtime/stop_signal.hh>
#include <isoplane/tm/token_exchange.hh>
#include <stdexcept>

#include "../sim/large.hh"
#include "benchmark.hh"
#include "scale.hh"
#include "scale_report.hh"
#include "tables.hh"

namespace isoplane::perf {

namespace {

constexpr unsigned kMostOnSwitch = 256;
constexpr unsigned kMostInTree = 4096;
constexpr double kMostMicroseconds = 10'000;
constexpr double kMostLoss = 0.1;

runtime::Duration nanoseconds(double microseconds) {
    return runtime::Duration{static_cast<runtime::Duration::rep>(microseconds * 1000)};
}

double microseconds(runtime::Duration duration) {
    return std::chrono::duration<double, std::micro>(duration).count();
}

std::string timeouts_of(const ScaleSetup& setup) {
    const auto after = [&](const niu::TimeoutLimits& limits) {
        return " sent again after " + figure(microseconds(setup.timeout.value_or(limits.least))) + " us";
    };
    return "messages that are lost are" + after({}) + " and tokens" + after(tm::ExchangeOptions{}.timeout);
}

std::string setup_of(const ScaleOptions& options) {
    const ScaleSetup& each = options.each;
    return "Links of " + figure(microseconds(each.latency)) +
           " us one way, CPUs that look for frames every " + figure(microseconds(each.poll) / 2) + " us, " +
           (each.tree ? "a token manager beside each switch, " : "the token manager beside the switch, ") +
           std::to_string(each.ahead) + " token" + (each.ahead == 1 ? "" : "s") +
           " ahead; every host issues an isochron of one message every " + figure(microseconds(each.every)) +
           " us and as often sends one outside logical time, to one of " +
           (each.partners == 0 ? "all others; " : std::to_string(each.partners) + " others; ") +
           std::to_string(options.rounds) + " seeds of " + figure(microseconds(each.duration) / 1000) +
           " ms; " + timeouts_of(each) + " at the least. Every host has a CPU of its own.";
}

ScaleFigures simulate(const ScaleSetup& setup, runtime::Pool& pool) {
    const double begin = cpu_seconds();
    ScaleFigures found = ScaleNetwork(setup, pool).run();
    found.seconds = cpu_seconds() - begin;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    found.memory_mb = static_cast<double>(usage.ru_maxrss) / 1024;
    return found;
}

report::Record measure_all(const ScaleOptions& options) {
    const runtime::StopSignal signal;
    runtime::EalOptions eal_options;
    eal_options.hugepages = runtime::Hugepages::kNever;
    eal_options.telemetry = false;
    const sim::Room room = sim::room_for(options.hosts.back(), options.each.partners);
    eal_options.memory_mb = room.memory_mb;
    const runtime::Eal eal(eal_options);
    runtime::Pool pool("scale", room.packets);
    report::Record record{.setup = setup_of(options), .environment = report::environment()};
    for (unsigned round = 0; round < options.rounds; ++round) {
        for (const unsigned hosts : options.hosts) {
            for (const double loss : options.losses) {
                if (signal.raised())
                    throw std::runtime_error("interrupted before the end; nothing is reported");
                ScaleSetup setup = options.each;
                setup.hosts = hosts;
                setup.loss = loss;
                setup.seed = round + 1;
                add_scale(record.figures, options, hosts, loss, simulate(setup, pool));
            }
        }
    }
    if (pool.in_use() != 0)
        record.failures.push_back(std::to_string(pool.in_use()) + " packets were not freed");
    report_scale(record, options);
    return record;
}

double within(const po::variables_map& values, const char* option, double least) {
    const double value = values[option].as<double>();
    if (!(value >= least && value <= kMostMicroseconds))
        throw std::invalid_argument("--" + std::string(option) + " is out of range: it can be " +
                                    figure(least) + " to " + figure(kMostMicroseconds));
    return value;
}

std::vector<double> losses_of(const std::string& list) {
    std::vector<double> losses;
    for (const std::string& word : words_of("--loss", list)) {
        fabric::Impairment impairment;
        try {
            fabric::set_key(impairment, "loss", word);
        } catch (const std::invalid_argument&) {
            impairment.loss = 1;
        }
        if (impairment.loss > kMostLoss)
            throw std::invalid_argument("--loss names '" + word + "'; write shares of all frames up to " +
                                        figure(kMostLoss) + ", as in 0,0.001,1%");
        losses.push_back(impairment.loss);
    }
    std::sort(losses.begin(), losses.end());
    losses.erase(std::unique(losses.begin(), losses.end()), losses.end());
    return losses;
}

void describe(po::options_description& options) {
    options.add_options()  //
        ("hosts", po::value<std::string>()->value_name("LIST")->default_value("2,4,8,16,32,64"),
         "how many there are")  //
        ("tree", po::bool_switch(),
         "three levels of switches, each with as many below it, rather than one switch")  //
        ("partners", po::value<app::Whole<unsigned>>()->value_name("N")->default_value({0}, "all"),
         "others that each host talks to, from all over the network")  //
        ("tokens-ahead", po::value<app::Whole<unsigned>>()->value_name("N")->default_value({1}, "1"),
         "tokens that every node sends ahead")  //
        ("loss", po::value<std::string>()->value_name("LIST")->default_value("0"),
         "which share each port of a switch loses of the frames that leave through it, as in 0,0.001,1%")  //
        ("timeout", po::value<double>()->value_name("US"),
         "microseconds after which what was lost is sent again, at the least; by default 500 for messages "
         "and "
         "100 for tokens")  //
        ("latency", po::value<double>()->value_name("US")->default_value(1, "1"),
         "microseconds that a frame takes from a host to the switch")  //
        ("poll", po::value<double>()->value_name("US")->default_value(0.1, "0.1"),
         "microseconds between two polls of a CPU, at the most")  //
        ("every", po::value<double>()->value_name("US")->default_value(20, "20"),
         "microseconds between two isochrons of a host, on average")  //
        ("duration", po::value<double>()->value_name("MS")->default_value(2, "2"),
         "milliseconds of virtual time")  //
        ("rounds", po::value<app::Whole<unsigned>>()->value_name("N")->default_value({3}, "3"),
         "seeds that are run")  //
        ("quick", po::bool_switch(), "only see that all of it runs: fewer hosts, for a shorter time");
}

ScaleOptions read(const po::variables_map& values) {
    const bool tree = values["tree"].as<bool>();
    const bool short_time = values["quick"].as<bool>() && values["duration"].defaulted();
    return {.hosts = numbers_of("--hosts", said_or_quick(values, "hosts", std::string("2,8")),
                                tree ? kMostInTree : kMostOnSwitch),
            .losses = losses_of(values["loss"].as<std::string>()),
            .rounds = number_of(values, "rounds", 1000),
            .each = {.tree = tree,
                     .partners = values["partners"].as<app::Whole<unsigned>>().value,
                     .ahead = number_of(values, "tokens-ahead", 64),
                     .latency = nanoseconds(within(values, "latency", 0.1)),
                     .poll = nanoseconds(within(values, "poll", 0.01)),
                     .timeout = values.contains("timeout")
                                    ? std::optional(nanoseconds(within(values, "timeout", 1)))
                                    : std::nullopt,
                     .every = nanoseconds(within(values, "every", 1)),
                     .duration = nanoseconds((short_time ? 0.3 : within(values, "duration", 0.1)) * 1000)}};
}

constexpr Benchmark<ScaleOptions> kBenchmark{
    kScale,
    "Simulates hosts around a switch, each with a CPU of its own, and says how what ordering costs grows\n"
    "with their number: what it adds to the latency of a message, how fast logical time goes, and which\n"
    "share of the frames are tokens. Times are virtual: they are the protocol's, not this machine's.\n",
    describe, read, measure_all};

}  // namespace

int run_scale(int argc, char** argv) {
    return run_benchmark(kBenchmark, argc, argv);
}

}  // namespace isoplane::perf
