// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "memory.hh"

#include <isoplane/runtime/eal.hh>
#include <isoplane/runtime/stop_signal.hh>
#include <stdexcept>

#include "benchmark.hh"
#include "ends.hh"
#include "memory_isochrons.hh"
#include "memory_locks.hh"
#include "memory_reads.hh"
#include "memory_redis.hh"
#include "memory_report.hh"
#include "memory_writes.hh"
#include "report.hh"
#include "sockets.hh"

namespace isoplane::perf {

namespace {

using Updaters = std::vector<std::unique_ptr<Updater>>;

/// In the order in which they take turns.
Updaters updaters(Workers& workers, Sides& sides, MemoryPair& pair, const std::optional<KernelPath>& kernel,
                  const std::optional<Redis>& redis) {
    Updaters all;
    all.push_back(make_isochron_updater(pair));
    all.push_back(make_sched_updater(pair));
    auto workers_end = make_niu(sides, 0, sides[0].link->input(), sides[0].link->output(), {});
    auto servers_end = make_niu(sides, 1, sides[1].link->input(), sides[1].link->output(), {});
    all.push_back(std::make_unique<LockUpdater<NiuEnd>>("locks_niu", workers, std::move(workers_end),
                                                        std::move(servers_end)));
    if (kernel) {
        Sockets sockets = kernel->tcp();
        all.push_back(std::make_unique<LockUpdater<TcpEnd>>(
            "locks_tcp", workers, std::make_unique<TcpEnd>(std::move(sockets.first)),
            std::make_unique<TcpEnd>(std::move(sockets.second))));
    }
    if (redis && redis->runs()) all.push_back(make_redis_updater(workers, *redis));
    return all;
}

void measure(MemoryReport& report, Workers& workers, Sides& sides, const std::optional<KernelPath>& kernel,
             const std::optional<Redis>& redis, const runtime::StopSignal& signal) {
    const MemoryOptions& options = report.options;
    const double seconds = options.duration;
    MemoryPair pair(workers, sides);
    OrderedRoundTrip round_trip(workers, sides);
    const Updaters ways = updaters(workers, sides, pair, kernel, redis);
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
        for (const unsigned variables : options.variables) {
            for (const auto& way : ways)
                in_turn([&] { way->measure({variables, options.workers, seconds}, report.figures); });
        }
    }
}

int run_with(const MemoryOptions& options) {
    const runtime::StopSignal signal;
    const PairOfSpecs specs(options.link);
    const runtime::Eal environment(eal_options(options, specs));
    Workers workers(idle_policy(options));
    Sides sides(specs.specs(), options.mtu);
    std::optional<KernelPath> kernel;
    std::optional<Redis> redis;
    if (options.kernel) {
        kernel.emplace(options.mtu);
        redis.emplace(options.cpus.size() < 2 ? std::nullopt : std::optional(options.cpus[1]));
    }
    MemoryReport report{.options = options,
                        .links = {specs.specs()[0].text, specs.specs()[1].text},
                        .kernel = kernel ? kernel->name() : std::string(),
                        .redis = redis ? redis->name() : std::string()};
    measure(report, workers, sides, kernel, redis, signal);
    report.targets = memory_targets(report.figures, options);
    report.failures = sides.close();
    if (!options.json.empty()) write_to(options.json, to_json(report));
    if (!options.csv.empty()) write_to(options.csv, to_csv(report));
    if (options.json != "-" && options.csv != "-") write_to("-", to_tables(report));
    return conclude("perf memory", report.failures, report.targets, options.check);
}

}  // namespace

int run_memory(int argc, char** argv) {
    return run_benchmark("perf memory", parse_memory_options(argc, argv), run_with);
}

}  // namespace isoplane::perf
