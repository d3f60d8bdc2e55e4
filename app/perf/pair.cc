// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "pair.hh"

#include <memory>
#include <optional>

#include "contestants.hh"

namespace isoplane::perf {

namespace {

Contestants contestants(Workers& workers, Sides& sides, const FrameForm& frames,
                        const std::optional<KernelPath>& kernel) {
    Contestants all;
    all.push_back(contest_of_frames<Content::kUntouched>(transport::kIo, workers, sides));
    all.push_back(contest_of_frames<Content::kCopied>(transport::kRaw, workers, sides));
    for (const bool coalesce : {false, true}) {
        all.push_back(contest_of_nius(coalesce ? transport::kNiuCoalesced : transport::kNiu, workers, sides,
                                      {.frames = frames, .coalesce = coalesce}));
    }
    if (kernel) {
        all.push_back(contest<UdpEnd>(transport::kUdp, workers, kernel->udp()));
        all.push_back(contest<TcpEnd>(transport::kTcp, workers, kernel->tcp()));
    }
    return all;
}

void measure(Report& report, Workers& workers, Sides& sides, const std::optional<KernelPath>& kernel,
             const runtime::StopSignal& signal) {
    const Contestants all = contestants(workers, sides, report.options.frames, kernel);
    for (unsigned round = 0; round < report.options.rounds; ++round)
        measure_round(report.results, all, report.options, signal);
    report.costs = break_down(workers, sides, report.options.frames);
    report.targets = targets(report.results, kernel && kernel->is_veth());
}

int run_with(const PairOptions& options) {
    return compare<Report>("perf pair", options, measure);
}

}  // namespace

int run_pair(int argc, char** argv) {
    return run_benchmark("perf pair", parse_pair_options(argc, argv), run_with);
}

}  // namespace isoplane::perf
