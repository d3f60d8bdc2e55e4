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
#include "memory_round_trips.hh"
#include "memory_writes.hh"
#include "sockets.hh"

namespace isoplane::perf {

namespace {

constexpr Defaults kDefaults{};

using Updaters = std::vector<std::unique_ptr<Updater>>;

/// In the order in which they take turns.
Updaters updaters(Workers& workers, Sides& sides, MemoryPair& pair, const std::optional<KernelPath>& kernel,
                  const std::optional<Redis>& redis) {
    Updaters all;
    all.push_back(make_isochron_updater(pair));
    all.push_back(make_sched_updater(pair));
    const auto make = [&](unsigned end) {
        return make_niu(sides, end, sides[end].link->input(), sides[end].link->output(), {});
    };
    auto [workers_end, servers_end] = workers.make_both(make);
    all.push_back(std::make_unique<LockUpdater<NiuEnd>>("locks_niu", workers, std::move(workers_end),
                                                        std::move(servers_end)));
    if (kernel) {
        Sockets sockets = kernel->tcp();
        auto [a, b] = workers.make_both([&](unsigned side) {
            return std::make_unique<TcpEnd>(std::move(side == 0 ? sockets.first : sockets.second));
        });
        all.push_back(
            std::make_unique<LockUpdater<TcpEnd>>("locks_tcp", workers, std::move(a), std::move(b)));
    }
    if (redis && redis->runs()) all.push_back(make_redis_updater(workers, *redis));
    return all;
}

void measure(Figures& figures, const MemoryOptions& options, Workers& workers, Sides& sides,
             const std::optional<KernelPath>& kernel, const std::optional<Redis>& redis,
             const runtime::StopSignal& signal) {
    const double seconds = options.duration;
    MemoryPair pair(workers, sides);
    const Contestants there_and_back = round_trips(workers, sides, kernel);
    const Updaters ways = updaters(workers, sides, pair, kernel, redis);
    const auto in_turn = [&](auto&& what) {
        if (signal.raised()) throw std::runtime_error("interrupted before the end; nothing is reported");
        what();
    };
    for (unsigned round = 0; round < options.rounds; ++round) {
        in_turn([&] { measure_local_reads(pair, seconds, figures); });
        in_turn([&] { measure_remote_reads(pair, seconds, figures); });
        in_turn([&] { measure_read_steps(pair, seconds, figures); });
        in_turn([&] { measure_round_trips(there_and_back, seconds, figures); });
        for (const unsigned writes : options.writes) {
            for (const Copies copies : {Copies::kRemote, Copies::kMixed})
                in_turn([&] { measure_writes(pair, writes, copies, seconds, figures); });
            in_turn([&] { measure_load(pair, writes, seconds, figures); });
        }
        for (const unsigned variables : options.variables) {
            for (const auto& way : ways)
                in_turn([&] { way->measure({variables, options.workers, seconds}, figures); });
        }
    }
}

report::Record measure_all(const MemoryOptions& options) {
    const runtime::StopSignal signal;
    const PairOfSpecs pair(options.link);
    const runtime::Eal eal(eal_options(options, pair));
    Workers workers(idle_policy(options));
    Sides sides(pair.specs(), options.mtu);
    std::optional<KernelPath> kernel;
    std::optional<Redis> redis;
    if (options.kernel) {
        kernel.emplace(options.mtu);
        redis.emplace(options.cpus.size() < 2 ? std::nullopt : std::optional(options.cpus[1]));
    }
    report::Record record{
        .setup = setup_of(options, pair) + "; the token manager beside the host that is measured.",
        .environment = environment_of(options, pair),
        .details = details_of(options, pair)};
    record.details["workers"] = options.workers;
    record.details["kernel"] = kernel ? nlohmann::json(kernel->name()) : nlohmann::json(nullptr);
    record.details["redis"] = redis ? nlohmann::json(redis->name()) : nlohmann::json(nullptr);
    measure(record.figures, options, workers, sides, kernel, redis, signal);
    add_to(record, options, kernel ? "; TCP over " + kernel->name() + "; " + redis->name() : std::string());
    record.failures = sides.close();
    return record;
}

void describe(po::options_description& options) {
    describe_links(options, kDefaults);
    describe_kernel(options);
    options.add_options()  //
        ("writes", po::value<std::string>()->value_name("LIST")->default_value("1,2,4,8,16,32"),
         "writes of an isochron")  //
        ("variables", po::value<std::string>()->value_name("LIST")->default_value("1,4,16,64"),
         "variables that updates choose from")  //
        ("workers", po::value<app::Whole<unsigned>>()->value_name("N")->default_value({16}, "16"),
         "workers that update, each one update at a time");
}

MemoryOptions read(const po::variables_map& values) {
    constexpr unsigned kMost = 1024;
    MemoryOptions options{read_links(values, kDefaults)};
    options.writes = numbers_of("--writes", said_or_quick(values, "writes", std::string("1,32")), kMost);
    options.variables =
        numbers_of("--variables", said_or_quick(values, "variables", std::string("1,16")), kMost);
    options.workers = number_of(values, "workers", 1000);
    options.kernel = !values["no-kernel"].as<bool>();
    return options;
}

constexpr Benchmark<MemoryOptions> kBenchmark{
    kMemory,
    "Measures shared memory in logical time between two hosts, all in turns on the same links and "
    "CPUs:\n\n"
    "  reads    of a variable whose copy is here; of one whose copy the other host has, step by\n"
    "           step, beside a message in logical time that is answered by another\n"
    "  writes   what it takes to issue isochrons of some writes, how many of them are executed, and how\n"
    "           fast time goes under that load; all to the other host, or half of them (mixed)\n"
    "  updates  of two variables that the other host has, atomically, by workers that want the old\n"
    "           values: the fewer variables, the more they contend\n\n"
    "The updates are done in these ways:\n\n"
    "  isochron      one isochron that adds to both variables\n"
    "  sched         one that reads and schedules them, and one that assigns what was computed\n"
    "  locks_niu     a lock for each variable, at a server of theirs, by messages of the NIU\n"
    "  locks_tcp     the same by a non-blocking TCP connection; over a veth pair where the user\n"
    "                may make one, otherwise over loopback\n"
    "  redis         MULTI, two INCR and EXEC, over loopback, where redis-server is installed\n",
    describe, read, measure_all};

}  // namespace

int run_memory(int argc, char** argv) {
    return run_benchmark(kBenchmark, argc, argv);
}

}  // namespace isoplane::perf
