// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "active.hh"

#include "active_end.hh"
#include "active_report.hh"
#include "contestants.hh"

namespace isoplane::perf {

namespace {

constexpr Defaults kDefaults{.sizes = "8,32,64,128,256,512,1K,2K,4K,8K,64K,1M", .quick_sizes = "32,1K"};

std::unique_ptr<Contestant> contest_of_messages(const std::string& name, Workers& workers, Sides& sides,
                                                const FrameForm& frames, Form form) {
    const auto make = [&](unsigned end) {
        link::Link& link = *sides[end].link;
        return std::make_unique<ActiveEnd>(form, link.input(), link.output(), *sides[end].pool,
                                           pair_options(sides, end, frames));
    };
    auto [a, b] = workers.make_both(make);
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

void measure_all(const Arena& arena, report::Record& record) {
    const PairOptions& options = arena.options;
    const Contestants all = contestants(arena.workers, arena.sides, options.frames, arena.kernel);
    Results results;
    for (unsigned round = 0; round < options.rounds; ++round)
        measure_round(results, all, options, arena.signal);
    const std::string& niu = transport::kNiuCoalesced;
    add_results(record, results,
                {.subjects = {transport::kRequest, transport::kTransfer},
                 .bases = {.round_trip = niu, .rate = niu, .bandwidth = niu},
                 .limit = transport::kRaw},
                options.percentiles);
    add_to(record, results, break_active_down(arena.workers, arena.sides, options.frames));
}

constexpr Benchmark<PairOptions> kBenchmark{
    kActive,
    "Measures active messages between two links: requests of four words and transfers, there and back\n"
    "and in a stream, beside the NIU under them, frames alone on the same links and UDP and TCP sockets\n"
    "of the kernel, all in turns on the same two CPUs. Then the cycles of a request, step by step, and\n"
    "what they are for.\n\n"
    "  raw       messages copied into frames and out of them, and nothing else\n"
    "  niu       the NIU, small messages share frames\n"
    "  request   four words, 32 bytes: a request, and its handler's reply or an acknowledgement\n"
    "  xfer      transfers to the receiver's memory, answered by one back or an acknowledgement\n"
    "  udp, tcp  non-blocking sockets, 32 messages a call; over a veth pair where the user may make\n"
    "            one, otherwise over loopback\n",
    [](po::options_description& options) { describe_pair(options, kDefaults); },
    [](const po::variables_map& values) { return read_pair(values, kDefaults); },
    [](const PairOptions& options) { return compare(options, measure_all); }};

}  // namespace

int run_active(int argc, char** argv) {
    return run_benchmark(kBenchmark, argc, argv);
}

}  // namespace isoplane::perf
