// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "active.hh"

#include "active_end.hh"
#include "active_report.hh"
#include "contestants.hh"

namespace isoplane::perf {

namespace {

std::unique_ptr<Contestant> contest_of_messages(const std::string& name, Workers& workers, Sides& sides,
                                                const FrameForm& frames, Form form) {
    const auto make = [&](unsigned end) {
        link::Link& link = *sides[end].link;
        return std::make_unique<ActiveEnd>(form, link.input(), link.output(), *sides[end].pool,
                                           pair_options(sides, end, frames));
    };
    auto a = make(0);
    auto b = make(1);
    a->face(*b);
    b->face(*a);
    return std::make_unique<Contest<ActiveEnd>>(name, workers, std::move(a), std::move(b));
}

Contestants contestants(Workers& workers, Sides& sides, const FrameForm& frames,
                        const std::optional<KernelPath>& kernel) {
    Contestants all;
    all.push_back(contest_of_frames<Content::kCopied>(transport::kRaw, workers, sides));
    all.push_back(
        contest_of_nius(transport::kNiuCoalesced, workers, sides, {.frames = frames, .coalesce = true}));
    all.push_back(contest_of_messages(transport::kRequest, workers, sides, frames, Form::kRequest));
    all.push_back(contest_of_messages(transport::kTransfer, workers, sides, frames, Form::kTransfer));
    if (kernel) {
        all.push_back(contest<UdpEnd>(transport::kUdp, workers, kernel->udp()));
        all.push_back(contest<TcpEnd>(transport::kTcp, workers, kernel->tcp()));
    }
    return all;
}

void measure(ActiveReport& report, Workers& workers, Sides& sides, const std::optional<KernelPath>& kernel,
             const runtime::StopSignal& signal) {
    const PairOptions& options = report.options;
    const Contestants all = contestants(workers, sides, options.frames, kernel);
    for (unsigned round = 0; round < options.rounds; ++round)
        measure_round(report.results, all, options, signal);
    report.costs = break_active_down(workers, sides, options.frames);
    report.targets = active_targets(report);
}

int run_with(const PairOptions& options) {
    return compare<ActiveReport>("perf active", options, measure);
}

}  // namespace

int run_active(int argc, char** argv) {
    return run_benchmark("perf active", parse_active_options(argc, argv), run_with);
}

}  // namespace isoplane::perf
