// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "memory.hh"

#include <cstdio>
#include <isoplane/runtime/eal.hh>
#include <isoplane/runtime/stop_signal.hh>
#include <stdexcept>

#include "../command.hh"
#include "../options.hh"
#include "memory_reads.hh"
#include "memory_report.hh"
#include "memory_writes.hh"
#include "report.hh"

namespace isoplane::perf {

namespace {

void measure(MemoryReport& report, Workers& workers, Sides& sides, const runtime::StopSignal& signal) {
    const MemoryOptions& options = report.options;
    const double seconds = options.duration;
    MemoryPair pair(workers, sides);
    OrderedRoundTrip round_trip(workers, sides);
    const auto in_turn = [&](auto&& what) {
        if (signal.raised()) throw std::runtime_error("interrupted before the end; nothing is reported");
        what();
    };
    for (unsigned round = 0; round < options.rounds; ++round) {
        in_turn([&] { measure_local_reads(pair, seconds, report.figures); });
        in_turn([&] { measure_remote_reads(pair, seconds, report.figures); });
        in_turn([&] { round_trip.measure(seconds, report.figures); });
        for (const unsigned writes : options.writes) {
            for (const Copies copies : {Copies::kRemote, Copies::kMixed})
                in_turn([&] { measure_writes(pair, writes, copies, seconds, report.figures); });
            in_turn([&] { measure_load(pair, writes, seconds, report.figures); });
        }
    }
}

int run_with(const MemoryOptions& options) {
    const runtime::StopSignal signal;
    const PairOfSpecs specs(options.link);
    runtime::EalOptions eal;
    eal.workers = 2;
    eal.cpus = options.cpus;
    eal.telemetry = false;
    eal.pci = link::pci_devices(specs.specs());
    const runtime::Eal environment(eal);
    Workers workers(options.cpus.size() < 2 ? runtime::IdlePolicy::kYield : runtime::IdlePolicy::kSpin);
    Sides sides(specs.specs(), options.mtu);
    MemoryReport report{.options = options, .links = {specs.specs()[0].text, specs.specs()[1].text}};
    measure(report, workers, sides, signal);
    report.targets = memory_targets(report.figures, options);
    report.failures = sides.close();
    if (!options.json.empty()) write_to(options.json, to_json(report));
    if (!options.csv.empty()) write_to(options.csv, to_csv(report));
    if (options.json != "-" && options.csv != "-") write_to("-", to_tables(report));
    return conclude("perf memory", report.failures, report.targets, options.check);
}

}  // namespace

int run_memory(int argc, char** argv) {
    auto parsed = parse_memory_options(argc, argv);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    try {
        return run_with(std::get<MemoryOptions>(parsed));
    } catch (const std::invalid_argument& error) {
        return app::wrong_usage("perf memory", error.what());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "isoplane perf memory: %s\n", error.what());
        return app::kRunFailed;
    }
}

}  // namespace isoplane::perf
