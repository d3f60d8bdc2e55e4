// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What all benchmarks begin and end with.
#pragma once

#include <cstdio>
#include <exception>
#include <isoplane/link/kind.hh>
#include <isoplane/runtime/eal.hh>
#include <stdexcept>
#include <string>

#include "../command.hh"
#include "../options.hh"
#include "options.hh"
#include "outputs.hh"
#include "side.hh"
#include "workers.hh"

namespace isoplane::perf {

/// A benchmark, with what it is told in a type of its own.
template <typename Chosen>
struct Benchmark {
    const app::Command& command;
    const char* text;  ///< of --help
    void (*describe)(po::options_description& options);
    /// Throws std::invalid_argument with a sentence.
    Chosen (*read)(const po::variables_map& values);
    /// Throws std::invalid_argument for what shows only now to be wrong usage, other exceptions for what
    /// fails.
    report::Record (*measure)(const Chosen& options);
};

/// Reads the command line, measures, and delivers. Returns the exit code.
template <typename Chosen>
int run_benchmark(const Benchmark<Chosen>& benchmark, int argc, char** argv) {
    const std::string name = "perf " + std::string(benchmark.command.name);
    po::options_description visible("Options");
    benchmark.describe(visible);
    describe_outputs(visible);
    po::variables_map values;
    const app::Usage usage{name, "[OPTION...]", benchmark.text};
    if (const auto end = app::parse_options(usage, visible, argc, argv, values)) return *end;
    try {
        const Chosen options = benchmark.read(values);
        const Outputs outputs = read_outputs(values);
        report::Record record = benchmark.measure(options);
        record.benchmark = benchmark.command.name;
        record.summary = benchmark.command.summary;
        record.command = command_of(argc, argv);
        return deliver(name, {std::move(record)}, outputs);
    } catch (const std::invalid_argument& error) {
        return app::wrong_usage(name, error.what());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "isoplane %s: %s\n", name.c_str(), error.what());
        return app::kRunFailed;
    }
}

/// The EAL with an lcore for each side.
inline runtime::EalOptions eal_options(const Options& options, const PairOfSpecs& pair) {
    runtime::EalOptions eal;
    eal.workers = 2;
    eal.cpus = options.cpus;
    eal.telemetry = false;
    eal.pci = link::pci_devices(pair.specs());
    return eal;
}

/// Sides with a CPU each have it for themselves.
inline runtime::IdlePolicy idle_policy(const Options& options) {
    return options.cpus.size() < 2 ? runtime::IdlePolicy::kYield : runtime::IdlePolicy::kSpin;
}

/// What was measured on, with the links and the CPUs of their sides.
inline report::Environment environment_of(const Options& options, const PairOfSpecs& pair) {
    report::Environment environment = report::environment();
    std::string cpus;
    for (const unsigned cpu : options.cpus)
        cpus += (cpus.empty() ? "" : ", ") + std::to_string(cpu);
    environment.set("CPUs of the sides", cpus.empty() ? "any" : cpus);
    environment.set("link", pair.specs()[0].text + " and " + pair.specs()[1].text + ", MTU " +
                                std::to_string(options.mtu));
    return environment;
}

/// As a setup begins.
inline std::string setup_of(const Options& options, const PairOfSpecs& pair) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.3f", options.duration);
    std::string text = "Links " + pair.specs()[0].text + " and " + pair.specs()[1].text + ", MTU " +
                       std::to_string(options.mtu) + ", " + std::to_string(options.rounds) + " rounds of ";
    if (options.plan.iterations > 0)
        return text + std::to_string(options.plan.iterations) + " iterations a measurement";
    return text + seconds + " s a measurement";
}

/// What is the same in the details of all.
inline nlohmann::json details_of(const Options& options, const PairOfSpecs& pair) {
    return {{"links", {pair.specs()[0].text, pair.specs()[1].text}},
            {"mtu", options.mtu},
            {"cpus", options.cpus},
            {"rounds", options.rounds},
            {"seconds_each", options.duration}};
}

}  // namespace isoplane::perf
