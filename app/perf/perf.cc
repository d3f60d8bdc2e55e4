// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "perf.hh"

#include <algorithm>
#include <cstdio>
#include <span>
#include <string>

#include "../command.hh"
#include "../options.hh"
#include "active.hh"
#include "channel.hh"
#include "memory.hh"
#include "order.hh"
#include "pair.hh"
#include "portals.hh"
#include "rfc2544.hh"

namespace isoplane::perf {

namespace {

constexpr app::Command kBenchmarks[] = {
    {"pair", "latency, message rate and bandwidth between two links", run_pair},
    {"order", "what ordering messages costs", run_order},
    {"portals", "puts of Portals, beside what is under them", run_portals},
    {"active", "requests and transfers of active messages, beside what is under them", run_active},
    {"channel", "messages to channels, and a relay of them", run_channel},
    {"rfc2544", "throughput, latency, loss and bursts of whatever is between two links", run_rfc2544},
    {"memory", "shared memory in logical time, beside locks and transactions", run_memory},
};

std::string names() {
    std::string all;
    for (const app::Command& benchmark : kBenchmarks)
        all += (all.empty() ? "" : ", ") + std::string(benchmark.name);
    return all;
}

void print_help() {
    std::printf("Usage: isoplane perf BENCHMARK [OPTION...]\n\nBenchmarks:\n");
    for (const app::Command& benchmark : kBenchmarks)
        std::printf("  %-9s %s\n", benchmark.name.data(), benchmark.summary.data());
    std::printf(
        "\nOptions:\n  --help    this text; `isoplane perf BENCHMARK --help` has those of a benchmark\n");
}

}  // namespace

int run(int argc, char** argv) {
    if (argc < 2)
        return app::wrong_usage("perf", "what to measure is missing; the benchmarks there are: " + names());
    const std::string_view word = argv[1];
    if (word == "--help" || word == "-h") {
        print_help();
        return app::kSuccess;
    }
    const auto* const found = std::ranges::find(kBenchmarks, word, &app::Command::name);
    if (found != std::end(kBenchmarks)) return found->run(argc - 1, argv + 1);
    if (word.starts_with('-')) {
        return app::wrong_usage("perf", "unrecognised option '" + std::string(word) +
                                            "' in front of the benchmark's name; there are: " + names());
    }
    return app::wrong_usage(
        "perf", "there is no benchmark '" + std::string(word) + "'; the benchmarks there are: " + names());
}

}  // namespace isoplane::perf
