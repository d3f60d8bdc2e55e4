// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cmath>
#include <isoplane/runtime/eal.hh>
#include <isoplane/runtime/stop_signal.hh>
#include <stdexcept>

#include "benchmark.hh"
#include "scale.hh"
#include "scale_network.hh"
#include "tables.hh"

namespace isoplane::perf {

namespace {

constexpr unsigned kMostOnSwitch = 256;
constexpr unsigned kMostInTree = 1024;
constexpr double kMostMicroseconds = 10'000;

/// What `isoplane perf scale` is told.
struct ScaleOptions {
    std::vector<unsigned> hosts;
    bool tree = false;
    unsigned partners = 0;
    std::uint32_t ahead = 1;
    double latency_us = 1;
    double every_us = 20;
    double duration_ms = 2;
    unsigned rounds = 3;
};

/// A figure of every line: its column in the table, its name in JSON and CSV.
struct Column {
    const char* title;
    const char* name;
    double ScaleFigures::*value;
    int digits;
    double scale;
};

constexpr Column kColumns[]{
    {"ordered us", "ordered_us_p50", &ScaleFigures::ordered_us, 2, 1},
    {"99 %", "ordered_us_p99", &ScaleFigures::ordered_p99_us, 2, 1},
    {"unordered us", "unordered_us_p50", &ScaleFigures::unordered_us, 2, 1},
    {"pulses/ms", "pulses_per_second", &ScaleFigures::pulses_per_second, 1, 1e-3},
    {"tokens %", "token_share", &ScaleFigures::token_share, 1, 100},
    {"frames/ms of a host", "frames_of_host_per_s", &ScaleFigures::frames_per_host, 1, 1e-3},
};

runtime::Duration nanoseconds(double microseconds) {
    return runtime::Duration{static_cast<runtime::Duration::rep>(microseconds * 1000)};
}

void add_to(report::Record& record, const ScaleOptions& options) {
    const auto median = [&](unsigned hosts, const char* name) {
        return record.figures.median({"network", "isotach", hosts, name}).value_or(0);
    };
    Table table{.name = "scale",
                .title = std::string(options.tree ? "Hosts below three levels of switches"
                                                  : "Hosts around one switch") +
                         "; times are virtual, figures are medians",
                .lines = {{"hosts"}}};
    for (const Column& column : kColumns)
        table.lines[0].emplace_back(column.title);
    table.lines[0].insert(table.lines[0].begin() + 4, "added us");
    for (const unsigned hosts : options.hosts) {
        std::vector<std::string>& line = table.lines.emplace_back(1, std::to_string(hosts));
        for (const Column& column : kColumns)
            line.push_back(fixed(median(hosts, column.name) * column.scale, column.digits));
        line.insert(line.begin() + 4, fixed(median(hosts, "added_us"), 2));
    }
    record.tables.push_back(std::move(table));

    const auto plot = [&](const char* name, const char* title, const char* unit) -> report::Plot& {
        return record.plots.emplace_back(report::Plot{
            .name = name,
            .title = title,
            .x = {.title = "hosts", .scale = report::Scale::kLog, .notation = report::Notation::kBytes},
            .y = {.title = unit}});
    };
    const auto series = [&](const char* name, const char* figure, double scale, report::Role role) {
        report::Series out{.name = name, .role = role};
        for (const unsigned hosts : options.hosts)
            out.dots.push_back({static_cast<double>(hosts), median(hosts, figure) * scale});
        return out;
    };
    plot("latency", "Ordered and unordered, by the number of hosts", "microseconds of virtual time, median")
        .series = {series("ordered", "ordered_us_p50", 1, report::Role::kSubject),
                   series("unordered", "unordered_us_p50", 1, report::Role::kLimit)};
    plot("added", "What ordering adds", "microseconds of virtual time, median").series = {
        series("added", "added_us", 1, report::Role::kSubject)};
    plot("tokens", "Tokens among all frames", "% of frames").series = {
        series("tokens", "token_share", 100, report::Role::kSubject)};
    plot("pulses", "How fast logical time goes", "thousand pulses a second").series = {
        series("pulses", "pulses_per_second", 1e-3, report::Role::kSubject)};
}

report::Record measure_all(const ScaleOptions& options) {
    constexpr unsigned kPackets = 65535;  // touched only as a network needs them
    const runtime::StopSignal signal;
    runtime::EalOptions eal_options;
    eal_options.hugepages = runtime::Hugepages::kNever;
    eal_options.telemetry = false;
    const runtime::Eal eal(eal_options);
    runtime::Pool pool("scale", kPackets);
    report::Record record{
        .setup = "Links of " + figure(options.latency_us) + " us one way, " +
                 (options.tree ? "a token manager beside each switch, "
                               : "the token manager beside the switch, ") +
                 std::to_string(options.ahead) + " token" + (options.ahead == 1 ? "" : "s") +
                 " ahead; every host issues an isochron of one message every " + figure(options.every_us) +
                 " us and as often sends one outside logical time, to one of " +
                 (options.partners == 0 ? "all others; " : std::to_string(options.partners) + " others; ") +
                 std::to_string(options.rounds) + " seeds of " + figure(options.duration_ms) +
                 " ms. Every host has a CPU of its own.",
        .environment = report::environment()};
    for (unsigned round = 0; round < options.rounds; ++round) {
        for (const unsigned hosts : options.hosts) {
            if (signal.raised()) throw std::runtime_error("interrupted before the end; nothing is reported");
            const ScaleFigures found = ScaleNetwork({.hosts = hosts,
                                                     .tree = options.tree,
                                                     .partners = options.partners,
                                                     .ahead = options.ahead,
                                                     .latency = nanoseconds(options.latency_us),
                                                     .every = nanoseconds(options.every_us),
                                                     .duration = nanoseconds(options.duration_ms * 1000),
                                                     .seed = round + 1},
                                                    pool)
                                           .run();
            for (const Column& column : kColumns)
                record.figures.add({"network", "isotach", hosts, column.name}, found.*column.value);
            record.figures.add({"network", "isotach", hosts, "added_us"},
                               found.ordered_us - found.unordered_us);
        }
    }
    if (pool.in_use() != 0)
        record.failures.push_back(std::to_string(pool.in_use()) + " packets were not freed");
    add_to(record, options);
    return record;
}

double within(const po::variables_map& values, const char* option, double least) {
    const double value = values[option].as<double>();
    if (!(value >= least && value <= kMostMicroseconds))
        throw std::invalid_argument("--" + std::string(option) + " is out of range: it can be " +
                                    figure(least) + " to " + figure(kMostMicroseconds));
    return value;
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
        ("latency", po::value<double>()->value_name("US")->default_value(1, "1"),
         "microseconds that a frame takes from a host to the switch")  //
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
    return {.hosts = numbers_of("--hosts", said_or_quick(values, "hosts", std::string("2,8")),
                                tree ? kMostInTree : kMostOnSwitch),
            .tree = tree,
            .partners = values["partners"].as<app::Whole<unsigned>>().value,
            .ahead = number_of(values, "tokens-ahead", 64),
            .latency_us = within(values, "latency", 0.1),
            .every_us = within(values, "every", 1),
            .duration_ms = values["quick"].as<bool>() && values["duration"].defaulted()
                               ? 0.3
                               : within(values, "duration", 0.1),
            .rounds = number_of(values, "rounds", 1000)};
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
