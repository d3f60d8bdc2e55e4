// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Who takes turns in a comparison on a pair of links.
#pragma once

#include <isoplane/runtime/stop_signal.hh>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benchmark.hh"
#include "contest.hh"
#include "ends.hh"
#include "options.hh"
#include "report.hh"
#include "sockets.hh"

namespace isoplane::perf {

/// In the order in which they take turns.
using Contestants = std::vector<std::unique_ptr<Contestant>>;

/// `make` makes end 0, and then end 1.
template <typename Make>
std::unique_ptr<Contestant> contest(const std::string& name, Workers& workers, Make&& make) {
    using End = typename decltype(make(0U))::element_type;
    auto a = make(0U);
    auto b = make(1U);
    return std::make_unique<Contest<End>>(name, workers, std::move(a), std::move(b));
}

template <Transport End>
std::unique_ptr<Contestant> contest(const std::string& name, Workers& workers, Sockets sockets) {
    return std::make_unique<Contest<End>>(name, workers, std::make_unique<End>(std::move(sockets.first)),
                                          std::make_unique<End>(std::move(sockets.second)));
}

template <Content content>
std::unique_ptr<Contestant> contest_of_frames(const std::string& name, Workers& workers, Sides& sides) {
    return contest(name, workers, [&](unsigned end) {
        link::Link& link = *sides[end].link;
        return make_raw<content>(sides, end, link.input(), link.output());
    });
}

inline std::unique_ptr<Contestant> contest_of_nius(const std::string& name, Workers& workers, Sides& sides,
                                                   const NiuSetup& setup) {
    return contest(name, workers, [&](unsigned end) {
        link::Link& link = *sides[end].link;
        return make_niu(sides, end, link.input(), link.output(), setup);
    });
}

/// Of each at each size, once. Throws when a signal asks for the end.
inline void measure_round(Results& results, const Contestants& all, const Options& options,
                          const runtime::StopSignal& signal) {
    for (const std::size_t size : options.sizes) {
        for (const auto& contestant : all) {
            if (!contestant->carries(size)) continue;
            if (signal.raised()) throw std::runtime_error("interrupted before the end; nothing is reported");
            results.add(contestant->name(), size, contestant->measure(size, options.duration));
        }
    }
}

/// Runs a benchmark that compares transports: `measure(report, workers, sides, kernel, signal)` fills in its
/// report, targets included. Returns the exit code.
template <typename Report, typename Measure>
int compare(const char* command, const PairOptions& options, Measure&& measure) {
    const runtime::StopSignal signal;
    const PairOfSpecs pair(options.link);
    const runtime::Eal environment(eal_options(options, pair));
    Workers workers(idle_policy(options));
    Sides sides(pair.specs(), options.mtu);
    std::optional<KernelPath> kernel;
    if (options.kernel) kernel.emplace(options.mtu);

    Report report{{.options = options,
                   .links = {pair.specs()[0].text, pair.specs()[1].text},
                   .kernel = kernel ? kernel->name() : std::string()}};
    measure(report, workers, sides, kernel, signal);
    report.failures = sides.close();
    if (!options.json.empty()) write_to(options.json, to_json(report));
    if (!options.csv.empty()) write_to(options.csv, to_csv(report));
    if (options.json != "-" && options.csv != "-") write_to("-", to_tables(report));
    return conclude(command, report.failures, report.targets, options.check);
}

}  // namespace isoplane::perf
