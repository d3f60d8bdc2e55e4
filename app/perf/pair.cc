// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "pair.hh"

#include <isoplane/runtime/stop_signal.hh>
#include <memory>
#include <optional>
#include <stdexcept>

#include <isoplane/runtime/eal.hh>

#include "benchmark.hh"
#include "contest.hh"
#include "ends.hh"
#include "report.hh"
#include "sockets.hh"

namespace isoplane::perf {

namespace {

using Contestants = std::vector<std::unique_ptr<Contestant>>;

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

/// In the order in which they take turns.
Contestants contestants(Workers& workers, Sides& sides, bool in_udp,
                        const std::optional<KernelPath>& kernel) {
    const auto raw = [&]<Content content>(unsigned end) {
        link::Link& link = *sides[end].link;
        return make_raw<content>(sides, end, link.input(), link.output());
    };
    const auto niu = [&](unsigned end, bool coalesce) {
        link::Link& link = *sides[end].link;
        return make_niu(sides, end, link.input(), link.output(), {.udp = in_udp, .coalesce = coalesce});
    };
    Contestants all;
    all.push_back(contest(transport::kIo, workers,
                          [&](unsigned end) { return raw.template operator()<Content::kUntouched>(end); }));
    all.push_back(contest(transport::kRaw, workers,
                          [&](unsigned end) { return raw.template operator()<Content::kCopied>(end); }));
    all.push_back(contest(transport::kNiu, workers, [&](unsigned end) { return niu(end, false); }));
    all.push_back(contest(transport::kNiuCoalesced, workers, [&](unsigned end) { return niu(end, true); }));
    if (kernel) {
        all.push_back(contest<UdpEnd>(transport::kUdp, workers, kernel->udp()));
        all.push_back(contest<TcpEnd>(transport::kTcp, workers, kernel->tcp()));
    }
    return all;
}

void measure(Report& report, Workers& workers, Sides& sides, const std::optional<KernelPath>& kernel,
             const runtime::StopSignal& signal) {
    const Contestants all = contestants(workers, sides, report.options.in_udp, kernel);
    for (unsigned round = 0; round < report.options.rounds; ++round) {
        for (const std::size_t size : report.options.sizes) {
            for (const auto& contestant : all) {
                if (signal.raised())
                    throw std::runtime_error("interrupted before the end; nothing is reported");
                report.results.add(contestant->name(), size,
                                   contestant->measure(size, report.options.duration));
            }
        }
    }
    report.costs = break_down(workers, sides, report.options.in_udp);
}

void print(const Report& report) {
    const PairOptions& options = report.options;
    if (!options.json.empty()) write_to(options.json, to_json(report));
    if (!options.csv.empty()) write_to(options.csv, to_csv(report));
    if (options.json != "-" && options.csv != "-") write_to("-", to_tables(report));
}

int run_with(const PairOptions& options) {
    const runtime::StopSignal signal;
    const PairOfSpecs pair(options.link);
    const runtime::Eal environment(eal_options(options, pair));
    Workers workers(idle_policy(options));
    Sides sides(pair.specs(), options.mtu);
    std::optional<KernelPath> kernel;
    if (options.kernel) kernel.emplace(options.mtu);

    Report report{.options = options,
                  .links = {pair.specs()[0].text, pair.specs()[1].text},
                  .kernel = kernel ? kernel->name() : std::string()};
    measure(report, workers, sides, kernel, signal);
    report.targets = targets(report.results, kernel && kernel->is_veth());
    report.failures = sides.close();
    print(report);
    return conclude("perf pair", report.failures, report.targets, options.check);
}

}  // namespace

int run_pair(int argc, char** argv) {
    return run_benchmark("perf pair", parse_pair_options(argc, argv), run_with);
}

}  // namespace isoplane::perf
