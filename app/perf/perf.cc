// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "perf.hh"

#include <algorithm>
#include <string>

#include "../command.hh"
#include "../options.hh"
#include "active.hh"
#include "all.hh"
#include "batch.hh"
#include "channel.hh"
#include "memory.hh"
#include "names.hh"
#include "order.hh"
#include "pair.hh"
#include "portals.hh"
#include "rfc2544.hh"
#include "scale.hh"

namespace isoplane::perf {

namespace {

constexpr app::Command kBenchmarks[] = {kPair,    kOrder,  kPortals, kActive, kChannel,
                                        kRfc2544, kMemory, kScale,   kAll};

std::string names() {
    std::string all;
    for (const app::Command& benchmark : kBenchmarks)
        all += (all.empty() ? "" : ", ") + std::string(benchmark.name);
    return all;
}

const app::Command* find(std::string_view name) {
    const auto* const found = std::ranges::find(kBenchmarks, name, &app::Command::name);
    return found == std::end(kBenchmarks) ? nullptr : found;
}

}  // namespace

std::string unknown_benchmark(const std::string& name) {
    if (find(name) != nullptr) return {};
    const std::string_view near = app::nearest(kBenchmarks, name);
    return "there is no benchmark '" + name + "'; " +
           (near.empty() ? "the benchmarks there are: " + names()
                         : "did you mean " + std::string(near) + "?");
}

std::string benchmarks_text() {
    std::string text = "Benchmarks:\n";
    for (const app::Command& benchmark : kBenchmarks) {
        std::string name(benchmark.name);
        name.resize(9, ' ');
        text += "  " + name + " " + std::string(benchmark.summary) + "\n";
    }
    return text + "\n`isoplane perf BENCHMARK --help` has the options of a benchmark.\n";
}

int run(int argc, char** argv) {
    if (argc < 2)
        return app::wrong_usage("perf", "what to measure is missing; the benchmarks there are: " + names());
    const std::string word = argv[1];
    if (word.starts_with('-')) return run_batch(argc, argv);
    if (const app::Command* const found = find(word)) return found->run(argc - 1, argv + 1);
    return app::wrong_usage("perf", unknown_benchmark(word));
}

}  // namespace isoplane::perf
