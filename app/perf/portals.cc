// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "portals.hh"

#include "contestants.hh"
#include "portals_report.hh"

namespace isoplane::perf {

namespace {

std::unique_ptr<PortalsEnd> make_end(Sides& sides, unsigned end, const FrameForm& frames) {
    link::Link& link = *sides[end].link;
    return std::make_unique<PortalsEnd>(link.input(), link.output(), *sides[end].pool,
                                        pair_options(sides, end, frames));
}

Contestants contestants(Workers& workers, Sides& sides, const FrameForm& frames,
                        const std::optional<KernelPath>& kernel) {
    Contestants all;
    all.push_back(contest_of_frames<Content::kCopied>(transport::kRaw, workers, sides));
    all.push_back(
        contest_of_nius(transport::kNiuCoalesced, workers, sides, {.frames = frames, .coalesce = true}));
    all.push_back(
        contest(transport::kPortals, workers, [&](unsigned end) { return make_end(sides, end, frames); }));
    if (kernel) all.push_back(contest<TcpEnd>(transport::kTcp, workers, kernel->tcp()));
    return all;
}

Overlap overlap(Workers& workers, Sides& sides, const FrameForm& frames, double seconds) {
    const auto from = make_end(sides, 0, frames);
    const auto to = make_end(sides, 1, frames);
    return measure_overlap(workers, *from, *to, seconds);
}

void measure(PortalsReport& report, Workers& workers, Sides& sides, const std::optional<KernelPath>& kernel,
             const runtime::StopSignal& signal) {
    const PairOptions& options = report.options;
    const Contestants all = contestants(workers, sides, options.frames, kernel);
    for (unsigned round = 0; round < options.rounds; ++round) {
        measure_round(report.results, all, options, signal);
        report.overlaps.push_back(overlap(workers, sides, options.frames, options.duration));
    }
    constexpr std::size_t kCopied = std::size_t{1} << 20;
    report.copy = measure_copy(kCopied, options.duration);
    report.matching = measure_matching();
    report.targets = portals_targets(report);
}

int run_with(const PairOptions& options) {
    return compare<PortalsReport>("perf portals", options, measure);
}

}  // namespace

int run_portals(int argc, char** argv) {
    return run_benchmark("perf portals", parse_portals_options(argc, argv), run_with);
}

}  // namespace isoplane::perf
