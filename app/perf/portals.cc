// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "portals.hh"

#include <isoplane/runtime/eal.hh>
#include <isoplane/runtime/stop_signal.hh>
#include <stdexcept>

#include "benchmark.hh"
#include "contest.hh"
#include "ends.hh"
#include "portals_report.hh"
#include "report.hh"
#include "sockets.hh"

namespace isoplane::perf {

namespace {

using Contestants = std::vector<std::unique_ptr<Contestant>>;

std::unique_ptr<PortalsEnd> make_end(Sides& sides, unsigned end, bool udp) {
    link::Link& link = *sides[end].link;
    return std::make_unique<PortalsEnd>(link.input(), link.output(), *sides[end].pool,
                                        pair_options(sides, end, udp));
}

template <typename End>
std::unique_ptr<Contestant> contest(const std::string& name, Workers& workers, std::unique_ptr<End> a,
                                    std::unique_ptr<End> b) {
    return std::make_unique<Contest<End>>(name, workers, std::move(a), std::move(b));
}

/// In the order in which they take turns.
Contestants contestants(Workers& workers, Sides& sides, bool udp, const std::optional<KernelPath>& kernel) {
    const auto raw = [&](unsigned end) {
        link::Link& link = *sides[end].link;
        return make_raw<Content::kCopied>(sides, end, link.input(), link.output());
    };
    const auto niu = [&](unsigned end) {
        link::Link& link = *sides[end].link;
        return make_niu(sides, end, link.input(), link.output(), {.udp = udp, .coalesce = true});
    };
    Contestants all;
    all.push_back(contest(transport::kRaw, workers, raw(0), raw(1)));
    auto niu_a = niu(0);
    all.push_back(contest(transport::kNiuCoalesced, workers, std::move(niu_a), niu(1)));
    auto portals_a = make_end(sides, 0, udp);
    all.push_back(contest(transport::kPortals, workers, std::move(portals_a), make_end(sides, 1, udp)));
    if (kernel) {
        Sockets tcp = kernel->tcp();
        all.push_back(contest(transport::kTcp, workers, std::make_unique<TcpEnd>(std::move(tcp.first)),
                              std::make_unique<TcpEnd>(std::move(tcp.second))));
    }
    return all;
}

Overlap overlap(Workers& workers, Sides& sides, bool udp, double seconds) {
    const auto from = make_end(sides, 0, udp);
    const auto to = make_end(sides, 1, udp);
    return measure_overlap(workers, *from, *to, seconds);
}

void measure(PortalsReport& report, Workers& workers, Sides& sides, const std::optional<KernelPath>& kernel,
             const runtime::StopSignal& signal) {
    const PairOptions& options = report.options;
    const Contestants all = contestants(workers, sides, options.in_udp, kernel);
    for (unsigned round = 0; round < options.rounds; ++round) {
        for (const std::size_t size : options.sizes) {
            for (const auto& contestant : all) {
                if (signal.raised())
                    throw std::runtime_error("interrupted before the end; nothing is reported");
                report.results.add(contestant->name(), size, contestant->measure(size, options.duration));
            }
        }
        report.overlaps.push_back(overlap(workers, sides, options.in_udp, options.duration));
    }
    constexpr std::size_t kCopied = std::size_t{1} << 20;
    report.copy = measure_copy(kCopied, options.duration);
    report.matching = measure_matching();
}

int run_with(const PairOptions& options) {
    const runtime::StopSignal signal;
    const PairOfSpecs pair(options.link);
    const runtime::Eal environment(eal_options(options, pair));
    Workers workers(idle_policy(options));
    Sides sides(pair.specs(), options.mtu);
    std::optional<KernelPath> kernel;
    if (options.kernel) kernel.emplace(options.mtu);

    PortalsReport report{.options = options,
                         .links = {pair.specs()[0].text, pair.specs()[1].text},
                         .kernel = kernel ? kernel->name() : std::string()};
    measure(report, workers, sides, kernel, signal);
    report.targets = portals_targets(report);
    report.failures = sides.close();
    if (!options.json.empty()) write_to(options.json, to_json(report));
    if (!options.csv.empty()) write_to(options.csv, to_csv(report));
    if (options.json != "-" && options.csv != "-") write_to("-", to_tables(report));
    return conclude("perf portals", report.failures, report.targets, options.check);
}

}  // namespace

int run_portals(int argc, char** argv) {
    return run_benchmark("perf portals", parse_portals_options(argc, argv), run_with);
}

}  // namespace isoplane::perf
